import itertools
import signal
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import baytree as bt
from baytree.exceptions import IdentifierWarning, TableError
from interrupted_runs import announcing, run_and_interrupt

COLUMNS = ["from", "to", "strength", "direction"]


@pytest.fixture(scope="module")
def table():
    """A chain a - b, a collider a -> d <- c, and e on its own."""
    random = np.random.default_rng(0)
    a, c, e = random.integers(0, 2, (3, 400))
    b = a ^ (random.random(400) < 0.05)
    d = (a & c) ^ (random.random(400) < 0.05)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})


@pytest.fixture
def learner():
    return bt.NetworkLearner(3, search="hill-climb", criterion="aic")


def as_dict(frame):
    return {(row[1], row[2]): row[3:] for row in frame.itertuples()}


def hand_counted(table, learner, n_bootstraps, random_state):
    """Repeat the rows that each seed draws, learn as a user would, and count arcs one by one."""
    seed = np.random.RandomState(random_state).randint(1, 2**31 - 1)
    seeds = np.random.RandomState(seed).randint(1, 2**31 - 1, size=n_bootstraps)
    networks = []
    for each in seeds.tolist():
        drawn = np.random.RandomState(each).randint(len(table), size=len(table))
        own = clone(learner).set_params(random_state=each)
        networks.append(own.fit(table.iloc[drawn]).network_)
    return networks


def test_shares_are_those_of_networks_of_repeated_rows(table, learner):
    networks = hand_counted(table, learner, 12, random_state=7)
    found = as_dict(bt.arc_strength(table, 12, learner=learner, graph="dag", random_state=7))
    expected = {}
    for first, second in itertools.permutations(table.columns, 2):
        forth = sum((first, second) in network.arcs for network in networks)
        back = sum((second, first) in network.arcs for network in networks)
        if forth + back:
            expected[first, second] = ((forth + back) / 12, forth / (forth + back))
    assert found == expected
    assert 0 < min(strength for strength, _ in found.values()) < 1


def test_directions_that_no_table_can_tell_count_half(table, learner):
    networks = hand_counted(table, learner, 12, random_state=7)
    found = as_dict(bt.arc_strength(table, 12, learner=learner, random_state=7))
    for (first, second), (strength, direction) in found.items():
        graphs = [network.to_cpdag() for network in networks]
        forth = sum((first, second) in graph.arcs for graph in graphs)
        back = sum((second, first) in graph.arcs for graph in graphs)
        either = sum({first, second} in map(set, graph.edges) for graph in graphs)
        n_connected = forth + back + either
        assert strength == n_connected / 12
        assert direction == pytest.approx((forth + either / 2) / n_connected)


def test_strong_pairs_are_near_one_and_independent_variables_near_zero(table):
    found = as_dict(bt.arc_strength(table, 50, random_state=0))
    assert found["a", "b"][0] == 1.0
    assert found["c", "d"][0] == 1.0
    assert found["a", "d"][0] > 0.9  # b, which nearly is a, takes its place now and then
    assert found["c", "d"][1] > 0.8  # the collider tells its directions
    assert all(found.get((other, "e"), (0.0,))[0] < 0.2 for other in "abcd")


def test_the_strongest_come_first_and_both_directions_together(table):
    frame = bt.arc_strength(table, 30, random_state=0)
    assert list(frame.columns) == COLUMNS
    assert frame["strength"].is_monotonic_decreasing
    halves = frame["direction"].to_numpy().reshape(-1, 2)
    assert (halves.sum(axis=1) == 1).all()
    assert (halves[:, 0] >= halves[:, 1]).all()


def test_threads_and_settings_of_the_learner(table, learner):
    one = bt.arc_strength(table, 10, learner=learner, random_state=1)
    learner.set_params(random_state=99, verbose=1)
    two = bt.arc_strength(table, 10, learner=learner, n_jobs=2, random_state=1)
    pd.testing.assert_frame_equal(one, two)
    assert not hasattr(learner, "network_")
    other = bt.arc_strength(table, 10, learner=learner, random_state=2)
    assert not one.equals(other)


def test_constraints_of_the_learner_hold(table):
    tiers = [["e", "d"], ["a", "b", "c"]]
    learner = bt.NetworkLearner(
        search="hill-climb", constraints=bt.ArcConstraints(tiers=tiers, forbidden=[("a", "b")])
    )
    frame = bt.arc_strength(table, 10, learner=learner, graph="dag", random_state=0)
    wrong = {(late, early) for late in "abc" for early in "de"} | {("a", "b")}
    assert all(row.direction == 0 for row in frame.itertuples() if (row[1], row.to) in wrong)


def test_incomplete_tables_and_names_of_any_kind(table):
    incomplete = bt.ampute(table, 0.05, random_state=0)
    incomplete.columns = pd.Index([("a", 1), 2, "c", 4.5, None], tupleize_cols=False)
    frame = bt.arc_strength(incomplete, 3, random_state=0)
    assert as_dict(frame)["c", 4.5][0] == 1.0


def test_independent_variables_alone_give_an_empty_frame():
    table = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    frame = bt.arc_strength(
        table,
        1,
        learner=bt.NetworkLearner(
            constraints=bt.ArcConstraints(forbidden=[("x0", "x1"), ("x1", "x0")], max_parents=1)
        ),
    )
    assert list(frame.columns) == COLUMNS
    assert len(frame) == 0
    assert frame["strength"].dtype == np.float64


def test_identifiers_are_reported_once(table):
    named = table.assign(name=[f"row {i}" for i in range(len(table))])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bt.arc_strength(named, 3, random_state=0)
    assert [w.category for w in caught] == [IdentifierWarning]
    assert caught[0].filename == __file__


def test_wrong_arguments_are_named(table):
    with pytest.raises(ValueError, match="n_bootstraps must be an integer of at least 1; got 0"):
        bt.arc_strength(table, 0)
    with pytest.raises(ValueError, match='graph must be one of "cpdag", "dag"; got 1'):
        bt.arc_strength(table, graph=1)
    with pytest.raises(ValueError, match="learner must be a NetworkLearner or None; got 'anneal'"):
        bt.arc_strength(table, learner="anneal")
    with pytest.raises(ValueError, match="max_treewidth must be"):
        bt.arc_strength(table, 5, learner=bt.NetworkLearner(0), n_jobs=2)
    with pytest.raises(TableError, match="without a single observed cell"):
        bt.arc_strength(table.assign(nothing=None), 2)


INTERRUPTED = """
    import numpy as np
    import baytree as bt
    table = np.random.default_rng(0).integers(0, 2, (1000, 12))
    learner = bt.NetworkLearner(max_iterations={iterations})
    frame = bt.arc_strength(table, 10**5, learner=learner, n_jobs={n_jobs}, random_state=0)
    print(list(frame.columns), bool(frame["strength"].between(0, 1).all()))
"""


def interrupted_strength(iterations, n_jobs, n_before):
    """Learn networks for ever, with Ctrl-C after so many searches have begun."""
    code = INTERRUPTED.format(iterations=iterations, n_jobs=n_jobs)
    return run_and_interrupt(announcing("baytree._core.search_dags", code, n_before))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_gives_the_shares_of_the_networks_so_far(n_jobs):
    code, out, err = interrupted_strength(2000, n_jobs, n_before=5)
    assert (code, out) == (0, f"{COLUMNS} True\n"), err
    assert "InterruptedWarning: Interrupted: the strengths are fractions of" in err


def test_ctrl_c_before_the_first_network_is_an_interrupt():
    code, out, err = interrupted_strength(10**15, 2, n_before=0)
    assert (code, out) == (-signal.SIGINT, "")
    assert err.rstrip().endswith("KeyboardInterrupt")
