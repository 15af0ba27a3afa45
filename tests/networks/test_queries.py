import math
import pickle
import threading
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
from baytree.exceptions import (
    ImpossibleEvidenceError,
    InferenceTooLargeError,
    UnknownStateError,
    UnknownVariableError,
)
from baytree.networks.query_results import InferenceCost
from inference_oracle import (
    brute_force_marginals,
    brute_force_most_probable,
    brute_force_posterior,
    brute_force_probability,
    log_or_minus_infinity,
    random_cpt,
    random_evidence,
    random_network,
    small_networks,
)

SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture
def sprinkler():
    return bt.BayesianNetwork(
        {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "grass": ["dry", "wet"]},
        [("rain", "sprinkler"), ("rain", "grass"), ("sprinkler", "grass")],
        cpts={
            "rain": [0.8, 0.2],
            "sprinkler": [[0.6, 0.4], [1.0, 0.0]],
            "grass": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],
        },
    )


@given(small_networks(), SEEDS)
def test_probability_equals_the_sum_over_all_joint_states(network, seed):
    evidence = random_evidence(np.random.default_rng(seed), network)
    expected = brute_force_probability(network, evidence)
    assert network.probability(evidence) == pytest.approx(expected, rel=1e-12, abs=0)
    assert network.log_probability(evidence) == pytest.approx(log_or_minus_infinity(expected))


@given(small_networks(), SEEDS)
def test_posterior_equals_the_sum_over_all_joint_states(network, seed):
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    targets = rng.permutation(network.variables)[: rng.integers(1, 4)].tolist()
    if brute_force_probability(network, evidence) == 0:
        for target in (targets, targets[0]):
            with pytest.raises(ImpossibleEvidenceError, match="probability zero"):
                network.posterior(target, evidence)
        return
    joint = brute_force_posterior(network, targets, evidence)
    assert network.posterior(targets, evidence).to_numpy() == pytest.approx(joint.ravel())
    single = brute_force_posterior(network, targets[:1], evidence)
    assert network.posterior(targets[0], evidence).to_numpy() == pytest.approx(single)


@given(small_networks(), SEEDS)
def test_marginals_equal_sums_over_all_joint_states(network, seed):
    evidence = random_evidence(np.random.default_rng(seed), network)
    if brute_force_probability(network, evidence) == 0:
        with pytest.raises(ImpossibleEvidenceError):
            network.marginals(evidence)
        return
    expected = brute_force_marginals(network, evidence)
    marginals = network.marginals(evidence)
    assert list(marginals) == list(network.variables)
    for variable, probabilities in expected.items():
        assert marginals[variable].to_numpy() == pytest.approx(probabilities, abs=1e-14)


@given(small_networks(), SEEDS)
def test_most_probable_states_are_the_best_of_all(network, seed):
    evidence = random_evidence(np.random.default_rng(seed), network)
    best, probability = brute_force_most_probable(network, evidence)
    if probability == 0:
        with pytest.raises(ImpossibleEvidenceError):
            network.most_probable(evidence)
        return
    found = network.most_probable(evidence)
    assert found.assignment in best
    assert found.log_probability == pytest.approx(math.log(probability))


def test_queries_on_one_network_do_not_disturb_each_other():
    rng = np.random.default_rng(5)
    network = random_network(rng, 8, max_states=3)
    for _ in range(30):
        evidence = random_evidence(rng, network, share=rng.random())
        assert network.probability(evidence) == pytest.approx(
            brute_force_probability(network, evidence)
        )
        target = network.variables[rng.integers(8)]
        expected = brute_force_posterior(network, [target], evidence)
        assert network.posterior(target, evidence).to_numpy() == pytest.approx(expected)


def test_a_posterior_is_a_series_of_states(sprinkler):
    posterior = sprinkler.posterior("rain", {"grass": "wet"})
    assert posterior.index.tolist() == ["no", "yes"]
    assert (posterior.index.name, posterior.name) == ("rain", "probability")
    joint = sprinkler.posterior(["grass", "rain"])
    assert joint.index.names == ["grass", "rain"]
    assert joint["wet", "no"] == pytest.approx(0.8 * 0.4 * 0.9)
    assert sprinkler.posterior(["rain"]).index.names == ["rain"]


def test_a_target_that_is_observed_has_its_state(sprinkler):
    assert sprinkler.posterior("rain", {"rain": "yes"}).tolist() == [0.0, 1.0]
    joint = sprinkler.posterior(["rain", "grass"], {"rain": "yes"})
    assert joint.tolist() == pytest.approx([0.0, 0.0, 0.2, 0.8])
    assert sprinkler.marginals({"rain": "yes"})["rain"].tolist() == [0.0, 1.0]


def test_impossible_evidence_is_quoted_and_has_probability_zero(sprinkler):
    evidence = {"rain": "no", "sprinkler": "off", "grass": "wet"}
    assert sprinkler.probability(evidence) == 0.0
    assert sprinkler.log_probability(evidence) == -math.inf
    with pytest.raises(ImpossibleEvidenceError, match="'sprinkler': 'off', 'grass': 'wet'"):
        sprinkler.posterior("rain", evidence)


def test_impossible_evidence_is_found_where_it_does_not_bear_on_the_target():
    network = bt.BayesianNetwork(
        {name: [0, 1] for name in "abc"},
        [("a", "b")],
        cpts={"a": [1.0, 0.0], "b": [[1.0, 0.0], [0.5, 0.5]], "c": [0.5, 0.5]},
    )
    with pytest.raises(ImpossibleEvidenceError, match="'b': 1"):
        network.posterior("c", {"b": 1})
    with pytest.raises(ImpossibleEvidenceError, match="likelihoods of 'a'"):
        network.posterior("c", {"a": {0: 0, 1: 1}})


@pytest.mark.parametrize("engine", ["exact", bt.IJGP()])
def test_likelihoods_of_any_magnitude_give_the_same_posterior(sprinkler, engine):
    def evidence(size):
        grass = {"dry": size, "wet": 3 * size}
        return {"grass": grass, "sprinkler": {"off": size, "on": size}}

    def posterior(size):
        return sprinkler.posterior("rain", evidence(size), engine=engine)

    plain = sprinkler.log_probability(evidence(1.0), engine=engine)
    for size in (1e300, 1e-300):
        pd.testing.assert_series_equal(posterior(size), posterior(1.0))
        scaled = sprinkler.log_probability(evidence(size), engine=engine)
        assert scaled == pytest.approx(plain + 2 * math.log(size))


def test_ten_thousand_variables_do_not_underflow():
    n = 10_000
    names = [f"v{i}" for i in range(n)]
    step = np.array([[0.9, 0.1], [0.2, 0.8]])
    cpts = {"v0": [0.3, 0.7], **dict.fromkeys(names[1:], step)}
    network = bt.BayesianNetwork({name: [0, 1] for name in names}, list(pairwise(names)), cpts=cpts)
    everything = dict.fromkeys(names, 1)
    expected = math.log(0.7) + (n - 1) * math.log(0.8)
    assert network.log_probability(everything) == pytest.approx(expected, rel=1e-12)
    assert network.probability(everything) == 0.0
    best = network.most_probable({"v0": 1, names[-1]: 1})  # leaves state 1 at once, for the end
    way = math.log(0.7 * 0.2 * 0.1) + (n - 3) * math.log(0.9)
    assert best.log_probability == pytest.approx(way, rel=1e-12)
    assert set(best.assignment.values()) == {0, 1}
    assert best.assignment["v5000"] == 0
    marginals = network.marginals({"v0": 1, names[-1]: 0})
    forward = np.linalg.matrix_power(step, 5000)
    backward = np.linalg.matrix_power(step, n - 1 - 5000)[:, 0]
    middle = forward[1] * backward
    assert marginals["v5000"].to_numpy() == pytest.approx(middle / middle.sum())


def test_wide_tables_agree_with_narrow_ones():
    """A hub with many parents and many children, summed in two ways."""
    rng = np.random.default_rng(3)
    parents = [f"p{i}" for i in range(12)]
    children = [f"c{i}" for i in range(40)]
    cpts = {name: random_cpt(rng, [2]) for name in parents}
    cpts["hub"] = random_cpt(rng, [2] * 12 + [3])
    cpts |= {name: random_cpt(rng, [3, 2]) for name in children}
    states = {name: list(range(cpts[name].shape[-1])) for name in [*parents, "hub", *children]}
    arcs = [(p, "hub") for p in parents] + [("hub", c) for c in children]
    network = bt.BayesianNetwork(states, arcs, cpts=cpts)
    prior = np.array(cpts["hub"])
    for name in parents:
        prior = np.tensordot(cpts[name], prior, axes=(0, 0))
    evidence = {name: int(rng.integers(2)) for name in children}
    likelihood = np.prod([cpts[name][:, state] for name, state in evidence.items()], axis=0)
    assert network.probability(evidence) == pytest.approx(prior @ likelihood, rel=1e-10)
    expected = prior * likelihood / (prior @ likelihood)
    assert network.posterior("hub", evidence).to_numpy() == pytest.approx(expected)
    assert network.marginals(evidence)["hub"].to_numpy() == pytest.approx(expected)


def test_the_cost_falls_with_evidence(sprinkler):
    cost = sprinkler.inference_cost()
    assert (cost.clique_variables, cost.clique_states, cost.table_entries) == (3, 8, 8)
    assert sprinkler.inference_cost({"rain": "no"}).table_entries == 4
    assert repr(cost).startswith("InferenceCost(largest clique: 3 variables with 8 joint states; ")


def too_wide(n=60):
    """All pairs of roots have a common child."""
    roots = [f"r{i}" for i in range(n)]
    pairs = [(a, b) for i, a in enumerate(roots) for b in roots[:i]]
    states = {name: [0, 1] for name in [*roots, *pairs]}
    cpts = dict.fromkeys(roots, (0.5, 0.5)) | dict.fromkeys(pairs, np.full((2, 2, 2), 0.5))
    return bt.BayesianNetwork(states, [(root, pair) for pair in pairs for root in pair], cpts=cpts)


@pytest.mark.parametrize("n_roots", [60, 110])  # the latter so large that one order is enough
def test_what_is_too_large_is_refused_with_its_figures(n_roots):
    network = too_wide(n_roots)
    assert network.inference_cost().clique_states == 2**n_roots
    for query in (network.marginals, network.most_probable):
        with pytest.raises(
            InferenceTooLargeError, match=f"largest clique: {n_roots} variables with"
        ):
            query()
    evidence = {pair: 0 for pair in network.variables if isinstance(pair, tuple)}
    with pytest.raises(MemoryError, match="raise max_memory"):
        network.posterior("r0", evidence)
    with pytest.raises(InferenceTooLargeError):
        network.probability(evidence)


def test_queries_of_a_too_large_network_that_need_little_are_answered():
    network = too_wide()
    assert network.posterior("r3").tolist() == [0.5, 0.5]
    assert network.probability({"r3": 0, ("r2", "r1"): 1}) == pytest.approx(0.25)


def test_max_memory_bounds_a_query(sprinkler):
    with pytest.raises(InferenceTooLargeError, match="more than the 10 bytes"):
        sprinkler.posterior("rain", {"grass": "wet"}, max_memory=10)
    with pytest.raises(InferenceTooLargeError):
        sprinkler.posterior(["rain", "grass", "sprinkler"], max_memory=100)
    with pytest.raises(ValueError, match="max_memory must be a positive number of bytes; got 0"):
        sprinkler.marginals(max_memory=0)


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        ("snow", UnknownVariableError, "no variable 'snow'"),
        (["rain", "snow"], UnknownVariableError, "no variable 'snow'"),
        ([], ValueError, "a list of different ones; got "),
        (["rain", "rain"], ValueError, "a variable, or a list of different ones"),
    ],
)
def test_what_is_no_target_is_named(sprinkler, target, error, message):
    with pytest.raises(error, match=message):
        sprinkler.posterior(target)


def test_an_unknown_state_is_named(sprinkler):
    with pytest.raises(UnknownStateError, match="'rain' has no state 'maybe'"):
        sprinkler.probability({"rain": "maybe"})


def test_a_structure_alone_answers_nothing():
    with pytest.raises(ValueError, match="structure alone, without probabilities"):
        bt.BayesianNetwork({"a": [0, 1]}).posterior("a")


def test_names_that_are_tuples_are_single_targets():
    network = bt.BayesianNetwork({("a", 1): [0, 1]}, cpts={("a", 1): [0.25, 0.75]})
    assert network.posterior(("a", 1)).tolist() == [0.25, 0.75]


def test_a_network_that_was_asked_survives_a_pickle(sprinkler):
    before = sprinkler.marginals()
    again = pickle.loads(pickle.dumps(sprinkler))
    pd.testing.assert_frame_equal(again.marginals().to_frame(), before.to_frame())


def test_threads_share_a_network():
    rng = np.random.default_rng(11)
    network = random_network(rng, 8, max_states=3)
    cases = [random_evidence(rng, network) for _ in range(20)]
    expected = [brute_force_probability(network, evidence) for evidence in cases]
    found = [[] for _ in range(4)]

    def ask(results):
        results.extend(network.probability(evidence) for evidence in cases)

    threads = [threading.Thread(target=ask, args=(results,), daemon=True) for results in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for results in found:
        assert results == pytest.approx(expected)


def test_marginals_are_a_mapping(sprinkler):
    marginals = sprinkler.marginals()
    assert repr(marginals) == "Marginals(3 variables)"
    assert marginals["rain"]["yes"] == pytest.approx(0.2)
    assert "snow" not in marginals
    frame = marginals.to_frame()
    assert frame.columns.tolist() == ["variable", "state", "probability"]
    assert len(frame) == 6
    assert marginals.probabilities.tolist() == frame["probability"].tolist()
    with pytest.raises(ValueError, match="read-only"):
        marginals.probabilities[0] = 1


def test_marginals_name_an_unknown_variable(sprinkler):
    with pytest.raises(UnknownVariableError, match="There is no variable 'snow'"):
        sprinkler.marginals()["snow"]


def test_a_cost_beyond_all_measure_is_readable():
    network = bt.random_network(250, random_state=0)
    with pytest.raises(InferenceTooLargeError, match=r"about an age\)") as caught:
        network.most_probable()
    assert "IJGP" not in str(caught.value)


def test_a_cost_beyond_all_floats_has_no_infinite_figures():
    cost = InferenceCost(1137, math.inf, math.inf, math.inf, math.inf)
    assert str(cost).count("over 1e308") == 3
    assert "inf " not in str(cost)


def chain(n_variables, n_states):
    rng = np.random.default_rng(0)
    cpts = {0: random_cpt(rng, (n_states,))}
    cpts |= {place: random_cpt(rng, (n_states, n_states)) for place in range(1, n_variables)}
    states = {place: range(n_states) for place in range(n_variables)}
    return bt.BayesianNetwork(states, pairwise(range(n_variables)), cpts=cpts)


def test_the_time_that_is_foretold_grows_with_cliques_and_with_tables():
    seconds = [chain(n, k).inference_cost().seconds for n, k in [(10, 2), (100, 2), (100, 30)]]
    assert 0 < seconds[0] < seconds[1] < seconds[2]


def test_the_time_that_is_foretold_falls_where_evidence_takes_most_of_the_tables():
    network = chain(60, 30)
    before = network.inference_cost().seconds
    few, many = (network.inference_cost(dict.fromkeys(range(0, 60, s), 0)) for s in (30, 2))
    assert many.seconds < before / 2
    assert before < few.seconds < 3 * before  # what is kept for later queries is made first


@pytest.mark.parametrize("kind", [tuple, pd.Index, iter])
def test_several_targets_may_come_in_any_sequence(sprinkler, kind):
    expected = sprinkler.posterior(["rain", "grass"])
    pd.testing.assert_series_equal(sprinkler.posterior(kind(["rain", "grass"])), expected)


def test_impossible_likelihoods_are_named(sprinkler):
    never = {"rain": {"no": 0, "yes": 0}}
    with pytest.raises(ImpossibleEvidenceError, match=r"virtual evidence .* of 'rain' has"):
        sprinkler.posterior("grass", never)
