"""The learner of an imputer: defaults, settings that it shares with the imputer, and limits."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import baytree as bt
from baytree.exceptions import EmptyVariableWarning, FileFormatError, UnknownVariableError
from stored_imputers import WAYS, changed_file, stored_and_loaded

DEFAULT = bt.NetworkLearner(
    6,
    search="hill-climb",
    criterion="auto",
    equivalent_sample_size=10.0,
    em=bt.StructuralEM(max_structure_updates=3),
)


@pytest.fixture
def chain():
    """Four binary variables, each a noisy copy of the one before, with missing cells."""
    random = np.random.default_rng(0)
    columns = [random.integers(0, 2, 400)]
    for _ in range(3):
        columns.append(columns[-1] ^ (random.random(400) < 0.1))
    table = pd.DataFrame(np.array(["no", "yes"])[np.column_stack(columns)], columns=list("abcd"))
    return table.mask(random.random(table.shape) < 0.1)


def imputer(**settings):
    return bt.BayesianNetworkImputer(random_state=0).set_params(**settings)


def test_none_stands_for_the_documented_learner(chain):
    given = bt.BayesianNetworkImputer(learner=DEFAULT, random_state=0).fit(chain)
    assert given.networks_ == imputer().fit(chain).networks_
    changed = imputer(learner__criterion="bic").learner
    assert changed.get_params() == clone(DEFAULT).set_params(criterion="bic").get_params()


def test_the_treewidth_of_the_imputer_comes_before_that_of_the_learner(chain):
    of_learner = imputer(learner__max_treewidth=1).fit(chain)
    assert of_learner.network_.treewidth == 1
    assert imputer(learner=bt.NetworkLearner(3), max_treewidth=1).fit(chain).network_.treewidth == 1
    assert of_learner.get_params()["max_treewidth"] is None


@pytest.mark.parametrize("n_networks", [1, 3])
def test_constraints_hold_in_all_networks(chain, n_networks):
    constraints = bt.ArcConstraints(required=[("d", "a")], forbidden=[("a", "b"), ("b", "a")])
    fitted = imputer(learner__constraints=constraints, n_networks=n_networks).fit(chain)
    assert len(fitted.networks_) == n_networks
    for network in fitted.networks_:
        assert ("d", "a") in network.arcs
        assert not {("a", "b"), ("b", "a")} & set(network.arcs)


def test_an_initial_network_is_obeyed(chain):
    initial = [("a", "d"), ("b", "c")]
    kept = imputer(
        learner__initial_network=initial, learner__search="anneal", learner__max_iterations=1
    )
    assert set(initial) & set(kept.fit(chain).network_.arcs)
    with pytest.raises(ValueError, match="initial_network"):
        imputer(learner__initial_network=[("a", "a")]).fit(chain)


def test_constraints_on_variables_without_observed_cells_are_left_out(chain):
    constraints = bt.ArcConstraints(
        required=[("empty", "a"), ("a", "b")], tiers=[["empty"], ["a"], ["b", "c", "d"]]
    )
    with pytest.warns(EmptyVariableWarning):
        fitted = imputer(learner__constraints=constraints).fit(chain.assign(empty=None))
    assert ("a", "b") in fitted.network_.arcs
    assert not [child for _, child in fitted.network_.arcs if child == "a"]
    constraints.forbidden = [("a", "wrong")]
    with (
        pytest.warns(EmptyVariableWarning),
        pytest.raises(UnknownVariableError, match="'wrong'"),
    ):
        imputer(learner__constraints=constraints).fit(chain.assign(empty=None))


def test_an_initial_network_may_have_variables_without_observed_cells(chain):
    initial = bt.BayesianNetwork(
        {name: ["no", "yes"] for name in ["empty", *"abcd"]}, [("empty", "a"), ("a", "b")]
    )
    with pytest.warns(EmptyVariableWarning):
        fitted = imputer(learner__initial_network=initial).fit(chain.assign(empty=None))
    assert fitted.network_.variables == ("a", "b", "c", "d")
    assert fitted.learner.initial_network is initial


@pytest.mark.parametrize(
    "setting",
    [
        {"time_limit": 5},
        {"n_jobs": -1},
        {"random_state": 3},
        {"verbose": 1},
        {"missing_values": ["gone"]},
        {"missing_values": np.array(["gone", ""])},
        {"missing_values": pd.NA},
    ],
)
def test_settings_of_the_imputer_are_refused_in_its_learner(chain, setting):
    learner = bt.NetworkLearner(2).set_params(**setting)
    name = next(iter(setting))
    with pytest.raises(ValueError, match=f"learner has {name}=.*pass {name} to Bayesian"):
        imputer(learner=learner).fit(chain)


def test_what_is_no_learner_is_refused(chain):
    with pytest.raises(ValueError, match="learner must be a NetworkLearner or None"):
        imputer(learner="hill-climb").fit(chain)


def test_the_criterion_auto_is_refused_by_a_learner_alone(chain):
    with pytest.raises(ValueError, match='criterion="auto" is for the learner of a Bayesian'):
        DEFAULT.fit(chain)


def test_settings_of_the_learner_can_be_searched(chain):
    grid = {
        "learner__criterion": ["bic", "log-likelihood"],
        "learner__em__completion": ["independent"],
    }
    search = GridSearchCV(imputer(), grid, cv=2).fit(chain)
    assert search.best_params_["learner__criterion"] == "bic"
    assert search.best_estimator_.learner.em == bt.StructuralEM(
        completion="independent", max_structure_updates=3
    )


def test_fit_leaves_the_learner_as_it_is(chain):
    learner = clone(DEFAULT)
    bt.BayesianNetworkImputer(2, learner=learner, n_jobs=2, random_state=0).fit(chain)
    assert learner.get_params() == DEFAULT.get_params()
    assert not hasattr(learner, "network_")


@pytest.mark.parametrize("way", WAYS)
def test_stored_imputers_bring_their_learner_along(chain, tmp_path, way):
    constraints = bt.ArcConstraints(
        forbidden=[("a", "b")], tiers=[["a", "b"], ["c", "d"]], max_parents=2
    )
    learner = clone(DEFAULT).set_params(constraints=constraints, initial_network={"c": ["a"]})
    fitted = imputer(learner=learner).fit(chain)
    stored = stored_and_loaded(fitted, tmp_path, way)
    if way == "json":
        assert stored.learner.initial_network == [("a", "c")]
        assert [tuple(arc) for arc in stored.learner.constraints.forbidden] == [("a", "b")]
    assert stored.report(chain).accuracy == fitted.report().accuracy


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("max_treewidth", [2], "max_treewidth must be a single value"),
        ("criterion", "mdl", "criterion must be one of .*mdl"),
        ("em", {"em_init": "tree"}, "em must have .*; completion is missing"),
        ("em", {**bt.StructuralEM().get_params(), "em_init": 3}, "em_init must be one of"),
        ("constraints", {"required": []}, "constraints must have .*; forbidden is missing"),
        (
            "constraints",
            {"required": [["a", "e"]], "forbidden": [], "tiers": None},
            "required names 'e', which is not a variable",
        ),
        ("initial_network", [["a", "e"]], "initial_network names 'e', which is not a variable"),
        ("initial_network", [["a"]], r"initial_network\[0\] must be a list of 2 items"),
        ("initial_network", 3, "initial_network must be a list; got 3"),
        (
            "initial_network",
            [[["a"], "b"]],
            r"initial_network\[0\]\[0\] must be text of whole characters",
        ),
    ],
)
def test_a_learner_that_cannot_be_is_refused_in_files(chain, tmp_path, key, value, problem):
    def change(contents):
        contents["settings"]["learner"][key] = value

    path = changed_file(imputer(learner=DEFAULT).fit(chain), tmp_path, change)
    with pytest.raises(FileFormatError, match=problem):
        bt.BayesianNetworkImputer.read(path)
