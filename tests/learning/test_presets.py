import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import baytree as bt
from baytree.learning import em_settings
from baytree.learning.searches import search_in_cache


@pytest.fixture
def incomplete():
    random = np.random.default_rng(0)
    first = random.integers(0, 2, 300)
    columns = [np.where(random.random(300) < 0.15, 1 - first, first) for _ in range(5)]
    complete = pd.DataFrame(np.column_stack([first, *columns]), columns=list("abcdef"))
    return bt.ampute(complete, 0.2, random_state=1)


def test_sem_kmax_has_the_settings_of_the_paper():
    learner = bt.NetworkLearner.preset("sem-kmax")
    assert (learner.search, learner.max_treewidth, learner.criterion) == ("k-max", 6, "bic")
    assert learner.em == bt.StructuralEM("chain", "joint", None, 0, 1.0)
    assert clone(learner).get_params()["em"] == learner.em


def test_unknown_presets_are_refused():
    with pytest.raises(ValueError, match=r"name must be .*got 'sem'"):
        bt.NetworkLearner.preset("sem")


@pytest.mark.parametrize("seed", range(5))
def test_sem_kmax_ends_when_the_structure_stays_and_returns_the_last_network(incomplete, seed):
    learner = bt.NetworkLearner.preset("sem-kmax")
    learner.set_params(em__effort=None, max_iterations=20, random_state=seed).fit(incomplete)
    history = learner.em_history_
    assert history["changed_arcs"].iloc[-1] == 0
    assert (history["changed_arcs"].iloc[:-1] > 0).all()
    log_likelihood = learner.network_.log_likelihood(incomplete).sum()
    assert log_likelihood == pytest.approx(history["log_likelihood"].iloc[-1])
    assert learner.score_ == history["score"].iloc[-1]


def counted(table, parents):
    """The network whose probabilities are counts of the rows in which a family is observed."""
    cpts = {}
    for child in table.columns:
        family = table[[*parents[child], child]].dropna().astype(int)
        cpts[child] = bt.fit_parameters({child: parents[child]}, family).cpt(child)
    arcs = [(parent, child) for child, members in parents.items() for parent in members]
    return bt.BayesianNetwork({name: [0, 1] for name in table.columns}, arcs, cpts=cpts)


def hard_em(table, parents):
    """Trees until the structure stays, and the scores of the tables that they were found in."""
    network, scores = counted(table, parents), []
    while True:
        completed = network.impute(table, completion="joint").astype(int)
        found = bt.NetworkLearner(1, search="chow-liu").fit(completed)
        before = network.bic(completed)
        is_better = found.score_ > before + 1e-9 * abs(before)
        scores.append(found.score_ if is_better else before)
        parents = found.parents_ if is_better else parents
        network = counted(completed, parents)
        if not is_better:
            return network, scores


def test_sem_tree_is_hard_em_by_hand(incomplete, monkeypatch):
    chain = {"a": [], "b": ["a"], "c": ["b"], "d": ["c"], "e": ["d"], "f": ["e"]}
    monkeypatch.setattr(em_settings, "random_chain", lambda _: [[], [0], [1], [2], [3], [4]])
    fitted = bt.NetworkLearner.preset("sem-tree").fit(incomplete)
    network, scores = hard_em(incomplete, chain)
    assert fitted.em_history_["score"].tolist()[1:] == pytest.approx(scores)
    assert len(scores) > 1
    assert fitted.network_.equals(network)


@pytest.fixture
def deadlines(monkeypatch):
    """Seconds that searches among parent sets may take, from their beginning."""
    found = []

    def recorded(problem, cache, started):
        found.append(problem.settings.deadline - time.monotonic())
        return search_in_cache(problem, cache, started)

    monkeypatch.setattr("baytree.learning.searches.search_in_cache", recorded)
    return found


def test_time_that_parent_sets_leave_does_not_go_to_the_search(incomplete, deadlines):
    learner = bt.NetworkLearner.preset("sem-kmax").set_params(em__effort=0.2, random_state=0)
    learner.fit(incomplete)
    assert deadlines
    assert max(deadlines) <= 0.2 * 6 / 10


def test_the_imputer_completes_rows_jointly_by_the_network_of_the_preset(incomplete):
    imputer = bt.BayesianNetworkImputer.preset("sem-tree").set_params(random_state=0)
    filled = imputer.fit_transform(incomplete)
    assert len(imputer.networks_) == 1
    assert imputer.network_.treewidth == 1
    assert imputer.em_history_["changed_arcs"].iloc[-1] == 0
    expected = imputer.network_.impute(incomplete, completion="joint")
    assert (filled.to_numpy() == expected.to_numpy()).all()


def test_a_limit_shorter_than_an_update_leaves_time_for_the_network_of_its_search():
    random = np.random.default_rng(0)
    first = random.integers(0, 2, (300, 10))
    columns = np.where(random.random((300, 60)) < 0.1, 0, np.repeat(first, 6, axis=1))
    incomplete = bt.ampute(pd.DataFrame(columns), 0.1, random_state=0)
    learner = bt.NetworkLearner.preset("sem-kmax").set_params(time_limit=2, random_state=0)
    history = learner.fit(incomplete).em_history_
    assert len(history) > 1
    assert history["changed_arcs"].iloc[1] > 0


def test_a_proof_is_one_for_the_table_that_was_completed_last(incomplete):
    """Where the structure stays, so may not the proof of an earlier completion."""
    n_proven = 0
    for seed in range(30):
        table = bt.ampute(incomplete.dropna().head(60), 0.25, random_state=seed)
        learner = bt.NetworkLearner(2, search="exact", random_state=0).fit(table)
        assert learner.score_ <= learner.score_bound_ + 1e-9
        if learner.is_proven_:
            assert learner.score_bound_ == pytest.approx(learner.score_)
            n_proven += 1
    assert n_proven > 10


def test_a_preset_obeys_constraints_and_weights(incomplete):
    constraints = bt.ArcConstraints(forbidden=[("a", "b"), ("b", "a")])
    learner = bt.NetworkLearner.preset("sem-kmax").set_params(em__effort=None, max_iterations=5)
    learner.set_params(constraints=constraints, random_state=0)
    learner.fit(incomplete, sample_weight=np.full(len(incomplete), 2.0))
    assert "a" not in learner.parents_["b"]
    assert "b" not in learner.parents_["a"]
    assert learner.em_history_["changed_arcs"].iloc[-1] == 0
