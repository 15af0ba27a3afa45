import itertools
import json
import math

import numpy as np
import pytest

import baytree as bt
from baytree.explorer import payloads
from inference_oracle import (
    brute_force_marginals,
    brute_force_most_probable,
    brute_force_posterior,
    brute_force_probability,
    random_evidence,
    random_network,
)

IMPOSSIBLE = {"rain": "no", "sprinkler": 0, "grass": "wet"}
SEEDS = range(6)


def query(seed):
    """Return a small network and possible evidence."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, 6)
    return network, random_evidence(rng, network)


def long_chain(n_variables):
    """Return a network of which only a part is drawn."""
    names = [f"v{i}" for i in range(n_variables)]
    arcs = list(itertools.pairwise(names))
    cpts = {name: [[0.7, 0.3], [0.2, 0.8]] for name in names[1:]}
    return bt.BayesianNetwork(
        {name: ["no", "yes"] for name in names}, arcs, cpts={names[0]: [0.5, 0.5], **cpts}
    )


def test_the_graph_has_names_states_and_parents_by_number(sprinkler_network):
    payload = payloads.graph_payload(sprinkler_network)
    assert payload["variables"] == ["rain", "sprinkler", "grass"]
    assert payload["states"] == [["no", "yes"], ["0", "1"], ["dry", "damp", "wet"]]
    assert payload["parents"] == [[], [0], [0, 1]]
    assert sorted(payload["drawing"]["arcs"]) == [(0, 1), (0, 2), (1, 2)]
    assert payload["treewidth"] == 2


def test_payloads_of_hostile_names_are_json(hostile_network):
    for payload in (
        payloads.graph_payload(hostile_network),
        payloads.posteriors_payload(hostile_network, {}),
        payloads.clique_tree_payload(hostile_network),
    ):
        assert json.loads(json.dumps(payload, allow_nan=False))


def test_beyond_the_bound_only_a_neighbourhood_is_drawn(monkeypatch):
    monkeypatch.setattr(payloads, "MAX_DRAWN_WHOLE", 50)
    monkeypatch.setattr(payloads, "MAX_NEIGHBOURS", 5)
    network = long_chain(60)
    assert payloads.graph_payload(network)["drawing"] is None
    near = payloads.neighbourhood_payload(network, 30)
    assert sorted(near["boxes"]) == [28, 29, 30, 31, 32]
    assert dict(zip(near["boxes"], near["n_hidden"], strict=True))[28] == 1
    tree = payloads.clique_tree_payload(network, 30)
    assert len(tree["boxes"]) == 5
    assert any(30 in members for members in tree["members"])


@pytest.mark.parametrize("seed", SEEDS)
def test_posteriors_are_those_of_brute_force(seed):
    network, evidence = query(seed)
    payload = payloads.posteriors_payload(network, evidence)
    expected = np.concatenate(list(brute_force_marginals(network, evidence).values()))
    assert payload["probabilities"] == pytest.approx(expected, rel=1e-4, abs=1e-12)
    probability = brute_force_probability(network, evidence)
    assert payload["log_probability"] == pytest.approx(math.log(probability))


def test_states_that_are_equal_but_not_the_same_stay_distinct():
    network = bt.BayesianNetwork({"flag": [1, True, "no"]}, cpts={"flag": [0.1, 0.8, 0.1]})
    assert payloads.explanation_payload(network, {})["states"] == [1]


def test_small_probabilities_do_not_become_zero():
    network = bt.BayesianNetwork({"a": ["no", "yes"]}, cpts={"a": [1 - 1.25e-9, 1.25e-9]})
    assert payloads.posteriors_payload(network, {})["probabilities"] == [1.0, 1.25e-9]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_explanation_is_that_of_brute_force(seed):
    network, evidence = query(seed)
    payload = payloads.explanation_payload(network, evidence)
    best, probability = brute_force_most_probable(network, evidence)
    labels = {
        name: network.states(name)[state]
        for name, state in zip(network.variables, payload["states"], strict=True)
    }
    assert labels in best
    posterior = probability / brute_force_probability(network, evidence)
    assert payload["log_posterior"] == pytest.approx(math.log(posterior), abs=1e-9)


def brute_force_information(network, target, other, evidence):
    """Return the mutual information in bits, from the joint distribution."""
    joint = brute_force_posterior(network, [target, other], evidence)
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / apart[seen])).sum())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_most_informative_variables_have_the_largest_mutual_information(seed):
    network, evidence = query(seed)
    target = next(name for name in network.variables if name not in evidence)
    number = network.variables.index(target)
    payload = payloads.most_informative_payload(network, number, evidence)
    others = [network.variables[n] for n in payload["variables"]]
    assert set(others) == {*network.variables} - {target, *evidence}
    expected = [brute_force_information(network, target, name, evidence) for name in others]
    assert payload["bits"] == pytest.approx(expected, abs=1e-7)
    assert payload["bits"] == sorted(payload["bits"], reverse=True)


def test_nothing_informs_about_an_observed_target(sprinkler_network):
    payload = payloads.most_informative_payload(sprinkler_network, 0, {"rain": "yes"})
    assert payload["entropy"] == 0
    assert payload["bits"] == [0, 0]


@pytest.mark.parametrize(
    "endpoint",
    [
        payloads.posteriors_payload,
        payloads.explanation_payload,
        lambda network, evidence: payloads.most_informative_payload(network, 0, evidence),
        lambda network, evidence: payloads.clique_payload(network, 0, evidence),
    ],
)
def test_impossible_evidence_is_a_sentence(sprinkler_network, endpoint):
    assert "has probability zero" in endpoint(sprinkler_network, IMPOSSIBLE)["impossible"]


def test_a_clique_has_its_most_probable_joint_states_first(sprinkler_network):
    payload = payloads.clique_payload(sprinkler_network, 0, {"grass": "wet"})
    names = [sprinkler_network.variables[member] for member in payload["members"]]
    expected = brute_force_posterior(sprinkler_network, names, {"grass": "wet"})
    assert payload["n_joint_states"] == 12
    assert payload["probabilities"] == sorted(payload["probabilities"], reverse=True)
    for states, probability in zip(payload["states"], payload["probabilities"], strict=True):
        assert probability == pytest.approx(expected[tuple(states)], rel=1e-4)


def test_a_clique_with_too_many_joint_states_lists_none(sprinkler_network, monkeypatch):
    monkeypatch.setattr(payloads, "MAX_JOINT_STATES", 11)
    assert "states" not in payloads.clique_payload(sprinkler_network, 0, {})


def test_the_missing_cells_of_a_row_get_their_most_probable_joint_states(sprinkler_network):
    codes = np.array([[0, 0, 0], [-1, -1, 2]], dtype=np.int32)
    payload = payloads.row_payload(sprinkler_network, codes, 1)
    (best,), _ = brute_force_most_probable(sprinkler_network, {"grass": "wet"})
    assert payload["evidence"] == [(2, 2)]
    assert payload["missing"] == [0, 1]
    assert payload["imputed"] == [
        sprinkler_network.states(name).index(best[name]) for name in ("rain", "sprinkler")
    ]


def test_an_impossible_row_is_a_sentence(sprinkler_network):
    codes = np.array([[0, 0, 2]], dtype=np.int32)
    payload = payloads.row_payload(sprinkler_network, codes, 0)
    assert "has probability zero" in payload["impossible"]
