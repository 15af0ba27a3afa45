import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import TableError, UnknownStateError, UnknownVariableError
from em_oracle import DenseEm
from interrupted_runs import announcing, run_and_interrupt


@pytest.fixture
def structure():
    return bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")])


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "rain": [0, 0, 0, 1, 1, 1, 1, 1],
            "wet": ["no", "no", "yes", "yes", "yes", "no", "yes", "yes"],
        }
    )


def test_maximum_likelihood_is_the_share_of_rows(structure, table):
    network = bt.fit_parameters(structure, table, equivalent_sample_size=0)
    assert network.cpt("rain").to_numpy() == pytest.approx(np.array([[3 / 8, 5 / 8]]))
    assert network.cpt("wet").loc[1].to_numpy() == pytest.approx([1 / 5, 4 / 5])
    assert (network.arcs, network.states("rain")) == (structure.arcs, (0, 1))


def test_the_prior_is_worth_its_rows(structure, table):
    network = bt.fit_parameters(structure, table, equivalent_sample_size=4)
    assert network.cpt("rain").to_numpy() == pytest.approx(np.array([[5 / 12, 7 / 12]]))
    assert network.cpt("wet").loc[1].to_numpy() == pytest.approx([2 / 7, 5 / 7])


def test_unseen_states_of_parents_get_the_overall_distribution(table):
    structure = bt.BayesianNetwork({"rain": [0, 1, 2], "wet": ["no", "yes"]}, [("rain", "wet")])
    network = bt.fit_parameters(structure, table, equivalent_sample_size=0)
    assert network.cpt("wet").loc[2].to_numpy() == pytest.approx([3 / 8, 5 / 8])
    smoothed = bt.fit_parameters(structure, table)
    assert smoothed.cpt("wet").loc[2].to_numpy() == pytest.approx([0.5, 0.5])


def test_weights_count_rows(structure, table):
    twice = bt.fit_parameters(structure, pd.concat([table, table.iloc[:3]]))
    weighted = bt.fit_parameters(structure, table, sample_weight=[2] * 3 + [1] * 5)
    assert weighted.cpt("wet").to_numpy() == pytest.approx(twice.cpt("wet").to_numpy())


def test_missing_cells_are_filled_in_expectation(structure, table):
    table.loc[[2, 5], "wet"] = None
    table.loc[7, "rain"] = None
    network = bt.fit_parameters(structure, table, equivalent_sample_size=0, tolerance=0)
    # a fixed point of EM: the expected shares under the network are its own
    rain, wet = network.cpt("rain").to_numpy()[0], network.cpt("wet").to_numpy()
    hidden = rain * wet[:, 1] / (rain * wet[:, 1]).sum()
    assert rain == pytest.approx((np.array([3, 4]) + hidden) / 8, abs=1e-4)
    yes = np.array([wet[0, 1], 3 + wet[1, 1]]) + hidden
    assert wet[:, 1] == pytest.approx(yes / (np.array([3, 4]) + hidden), abs=1e-4)


STATES = {"d": [0, 1, 2], "a": [0, 1], "c": [0, 1], "b": [0, 1, 2], "e": [0, 1]}
ARCS = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("b", "e"), ("d", "e")]


@pytest.fixture(params=range(3))
def rows_with_missing_cells(request):
    """A structure whose arcs do not follow its variables, and 150 rows with 30 % missing cells."""
    network = bt.BayesianNetwork(STATES, ARCS)
    rng = np.random.default_rng(request.param)
    codes = np.column_stack([rng.integers(len(s), size=150) for s in STATES.values()])
    codes[:, 1] = codes[:, 3] % 2  # not all is noise
    codes[rng.random(codes.shape) < 0.3] = -1
    frame = pd.DataFrame(codes, columns=list(STATES)).astype("Int64").mask(lambda cells: cells < 0)
    return network, frame, codes


def oracle_of(network, codes, prior):
    parents = [[*map(network.variables.index, network.parents(v))] for v in network.variables]
    return DenseEm([len(network.states(v)) for v in network.variables], parents, codes, prior)


@pytest.mark.parametrize("prior", [0.0, 2.0])
@pytest.mark.parametrize("n_steps", [1, 7])
def test_an_iteration_of_em_is_that_of_all_joint_states(rows_with_missing_cells, prior, n_steps):
    structure, frame, codes = rows_with_missing_cells
    oracle = oracle_of(structure, codes, prior)
    settings = {"equivalent_sample_size": prior, "tolerance": 0}
    before, after = (
        oracle.from_network(bt.fit_parameters(structure, frame, max_em_iterations=n, **settings))
        for n in (n_steps, n_steps + 1)
    )
    for ours, theirs in zip(after, oracle.step(before), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("prior", [0.5, 2.0])  # without one, steps towards 0 have no end
def test_em_without_a_tolerance_ends_at_a_maximum(rows_with_missing_cells, prior):
    structure, frame, codes = rows_with_missing_cells
    oracle = oracle_of(structure, codes, prior)
    network = bt.fit_parameters(
        structure, frame, equivalent_sample_size=prior, tolerance=0, max_em_iterations=20_000
    )
    tables = oracle.from_network(network)
    for ours, theirs in zip(tables, oracle.maximum(tables), strict=True):
        assert ours == pytest.approx(theirs, abs=2e-5)


def test_a_search_result_is_a_structure(table):
    result = bt.search_structure(bt.score_parent_sets(table, max_parents=1), max_iterations=10)
    network = bt.fit_parameters(result, table)
    assert network.arcs == result.network.arcs
    assert network.decomposition == result.decomposition
    assert network.score == result.score
    assert network.has_probabilities


def test_cells_come_back_in_the_dtypes_of_the_table(structure):
    table = pd.DataFrame({"wet": np.linspace(0, 1, 50), "rain": [True, False] * 25})
    with pytest.warns(bt.exceptions.DiscretizationWarning):
        network = bt.fit_parameters(structure, table)
    rows = network.sample(10, random_state=0)
    assert rows.dtypes.tolist() == table.dtypes.tolist()
    assert rows.columns.tolist() == ["wet", "rain"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"equivalent_sample_size": -1}, "equivalent_sample_size must be a finite number of at"),
        ({"max_em_iterations": 0}, "max_em_iterations must be an integer of at least 1; got 0"),
        ({"tolerance": np.nan}, "tolerance must be a finite number of at least 0; got nan"),
        ({"sample_weight": [1]}, "sample_weight must hold one number per row"),
    ],
)
def test_what_cannot_be_is_named(structure, table, options, message):
    with pytest.raises(ValueError, match=message):
        bt.fit_parameters(structure, table, **options)


def test_a_table_in_the_place_of_the_structure_is_named(structure, table):
    with pytest.raises(ValueError, match=r"structure must come first.*got a DataFrame first"):
        bt.fit_parameters(table, structure)


def test_tables_of_other_variables_are_refused(structure, table):
    with pytest.raises(TableError, match="lacks the variables 'wet' and holds the unknown"):
        bt.fit_parameters(structure, table.rename(columns={"wet": "snow"}))
    known = bt.BayesianNetwork({"rain": [0], "wet": ["no", "yes"]})
    with pytest.raises(UnknownStateError, match="'rain' has state 1"):
        bt.fit_parameters(known, table)


@pytest.mark.parametrize(
    "arcs",
    [
        {"wet": ["rain"]},
        {"rain": (), "wet": {"rain"}, "cold": []},
        [("rain", "wet")],
        iter([["rain", "wet"]]),
    ],
)
def test_parents_and_arcs_are_a_structure_of_all_variables_of_the_table(table, arcs):
    table["cold"] = table["wet"]
    found = bt.fit_parameters(arcs, table)
    structure = bt.BayesianNetwork(["rain", "wet", "cold"], [("rain", "wet")])
    assert found.equals(bt.fit_parameters(structure, table))


@pytest.mark.parametrize(
    ("arcs", "error", "message"),
    [
        ({"wett": ["rain"]}, UnknownVariableError, "structure names 'wett'.* mean 'wet'"),
        ({"wet": ["rian"]}, UnknownVariableError, "structure names 'rian'.* mean 'rain'"),
        ([("rain", "snow")], UnknownVariableError, "structure names 'snow', which is not"),
        ({"wet": "rain"}, ValueError, "structure must give a list of parents for 'wet'; got 'ra"),
        ([("rain",)], ValueError, r"structure must hold pairs \(parent, child\); got"),
        (["rain", "wet"], ValueError, r"structure must hold pairs \(parent, child\); got 'rain'"),
        ({"wet": ["rain"], "rain": ["wet"]}, ValueError, "The arcs of structure form a cycle"),
        ({"wet": ["wet"]}, ValueError, "structure has an arc from 'wet' to itself"),
        ("rain", ValueError, "structure must be a BayesianNetwork, a SearchResult, parents by"),
        (3, ValueError, "structure must be a BayesianNetwork, .*got 3"),
    ],
)
def test_arcs_that_cannot_be_are_named(table, arcs, error, message):
    with pytest.raises(error, match=message):
        bt.fit_parameters(arcs, table)


LONG_EM = """
    import numpy as np
    import baytree as bt
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (2000, 30)).astype(float)
    table[rng.random(table.shape) < 0.9] = np.nan
    names = [f"x{i}" for i in range(30)]
    structure = bt.BayesianNetwork(names, [*zip(names, names[1:]), *zip(names, names[2:])])
    network = bt.fit_parameters(structure, table, tolerance=0, max_em_iterations=10**6)
    print(network.has_probabilities)
"""


def test_ctrl_c_keeps_the_last_iteration():
    script = announcing("baytree._core.estimate_network", LONG_EM)
    _, out, err = run_and_interrupt(script, delay=3)  # many iterations
    assert out == "True\n", err
    assert "InterruptedWarning: Interrupted: the probabilities of the last complete" in err
