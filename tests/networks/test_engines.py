import pickle
import warnings

import numpy as np
import pytest

import baytree as bt
from baytree.exceptions import (
    ConvergenceWarning,
    ImpossibleEvidenceError,
    InferenceTooLargeError,
)
from inference_oracle import brute_force_marginals, random_evidence, random_network


@pytest.fixture
def loop():
    """Return a network with a cycle that has to be cut at bound 1."""
    rng = np.random.default_rng(1)
    names = ["a", "b", "c", "d", "e"]
    arcs = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("b", "e"), ("c", "e"), ("d", "e")]
    cpts = {}
    for name in names:
        n_parents = sum(child == name for _, child in arcs)
        cpts[name] = rng.dirichlet([0.5, 0.5], 2**n_parents).reshape([2] * (n_parents + 1))
    return bt.BayesianNetwork({name: ["no", "yes"] for name in names}, arcs, cpts=cpts)


@pytest.mark.parametrize("seed", range(10))
def test_a_bound_of_the_treewidth_gives_what_the_exact_engine_gives(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 12)
    evidence = random_evidence(rng, network)
    ijgp = {"engine": bt.IJGP(max(1, network.treewidth))}
    exact, found = network.marginals(evidence), network.marginals(evidence, **ijgp)
    assert found.convergence.is_exact
    assert exact.convergence is None
    for variable in network.variables:
        assert found[variable].to_numpy() == pytest.approx(exact[variable].to_numpy(), abs=1e-12)
        alone = network.posterior(variable, evidence, **ijgp)
        assert alone.to_numpy() == pytest.approx(exact[variable].to_numpy(), abs=1e-12)
        assert alone.index.equals(exact[variable].index)
    probability = network.probability(evidence)
    assert network.probability(evidence, **ijgp) == pytest.approx(probability, rel=1e-9)
    log_probability = network.log_probability(evidence, **ijgp)
    assert log_probability == pytest.approx(np.log(probability), abs=1e-9)


def test_a_small_bound_comes_close_and_reports_its_convergence(loop):
    evidence = {"e": "yes"}
    found = loop.marginals(evidence, engine=bt.IJGP(i_bound=1))
    convergence = found.convergence
    assert (convergence.is_converged, convergence.is_exact) == (True, False)
    assert 2 < convergence.n_sweeps < 100
    assert convergence.largest_change <= 1e-6
    expected = brute_force_marginals(loop, evidence)
    for variable in loop.variables:
        assert found[variable].to_numpy() == pytest.approx(expected[variable], abs=0.1)


def test_a_posterior_carries_its_convergence(loop):
    found = loop.posterior("a", {"e": "yes"}, engine=bt.IJGP(i_bound=1))
    assert found.attrs["convergence"].is_converged
    assert loop.posterior("a", {"e": "yes"}).attrs == {}


@pytest.mark.parametrize("query", ["marginals", "probability", "log_probability"])
def test_a_propagation_that_does_not_converge_warns(loop, query):
    with pytest.warns(ConvergenceWarning, match=r"changed by \S+ in sweep 1.* Raise i_bound"):
        getattr(loop, query)({"e": "yes"}, engine=bt.IJGP(i_bound=1, max_sweeps=1))


def test_the_warning_points_to_the_line_of_the_user(loop):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loop.posterior("a", {"e": "yes"}, engine=bt.IJGP(i_bound=1, max_sweeps=1))
    assert caught[0].filename == __file__


def test_likelihoods_and_missing_cells_are_evidence_as_ever(loop):
    evidence = {"e": {"no": 1, "yes": 4}, "a": None, "b": "no"}
    exact = loop.posterior("d", evidence)
    found = loop.posterior("d", evidence, engine=bt.IJGP(i_bound=4))
    assert found.to_numpy() == pytest.approx(exact.to_numpy(), abs=1e-12)


def test_an_observed_target_has_its_state(loop):
    found = loop.posterior("a", {"a": "yes"}, engine=bt.IJGP())
    assert found.to_dict() == {"no": 0.0, "yes": 1.0}


def test_impossible_evidence_has_probability_zero_and_no_posterior():
    cpts = {"a": [0.5, 0.5], "b": np.eye(2)}
    network = bt.BayesianNetwork({"a": [0, 1], "b": [0, 1]}, [("a", "b")], cpts=cpts)
    impossible = {"a": 0, "b": 1}
    assert network.probability(impossible, engine=bt.IJGP()) == 0.0
    assert network.log_probability(impossible, engine=bt.IJGP()) == -np.inf
    for query in (network.marginals, lambda *a, **k: network.posterior("a", *a, **k)):
        with pytest.raises(ImpossibleEvidenceError, match="probability zero"):
            query(impossible, engine=bt.IJGP())


def test_an_estimate_of_a_probability_stays_within_one(loop):
    assert loop.probability({}, engine=bt.IJGP(i_bound=1)) <= 1.0
    likelihood = {"a": {"no": 1e200, "yes": 1e200}, "b": {"no": 1e200, "yes": 1e200}}
    assert loop.probability(likelihood, engine=bt.IJGP()) == np.inf


def test_several_targets_are_refused_with_a_way_out(loop):
    with pytest.raises(ValueError, match=r"one target; got 2\. Query each"):
        loop.posterior(["a", "b"], engine=bt.IJGP())


def test_tables_that_are_too_large_are_refused_before_they_are_made(loop):
    with pytest.raises(InferenceTooLargeError, match=r"more than the 100 bytes .* Lower i_bound"):
        loop.marginals(engine=bt.IJGP(), max_memory=100)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"engine": "magic"}, "engine must be \"exact\" or an IJGP object.* got 'magic'"),
        ({"engine": "ijgp"}, r"as in engine=IJGP\(i_bound=6\); got 'ijgp'"),
        ({"engine": bt.IJGP}, "or an IJGP object"),
        ({"engine": bt.IJGP(0)}, "i_bound must be an integer of at least 1; got 0"),
        ({"engine": bt.IJGP(max_sweeps=1.5)}, "max_sweeps must be an integer"),
        ({"engine": bt.IJGP(), "max_memory": 0}, "max_memory must be a positive number of bytes"),
    ],
)
def test_wrong_arguments_are_refused_by_name(loop, wrong, message):
    with pytest.raises(ValueError, match=message):
        loop.marginals(**wrong)


def test_a_huge_bound_is_no_bound(loop):
    assert loop.marginals(engine=bt.IJGP(i_bound=10**30)).convergence.is_exact


def test_a_network_survives_a_pickle_after_a_query(loop):
    loop.marginals(engine=bt.IJGP())
    assert pickle.loads(pickle.dumps(loop)) == loop
