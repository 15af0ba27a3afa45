import math
import pickle
import random

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
from baytree.exceptions import (
    ImpossibleEvidenceError,
    InferenceTooLargeError,
    TableError,
    UnknownStateError,
    UnknownVariableError,
)
from inference_oracle import random_evidence
from mixture_oracle import mixture_table, random_components, small_mixtures

SEEDS = st.integers(0, 2**32 - 1)


def with_evidence(mixture, joint, evidence):
    """Multiply a joint table by the likelihood of each state."""
    for name, observed in evidence.items():
        states = mixture.states(name)
        likelihood = [
            observed[state] if isinstance(observed, dict) else float(state == observed)
            for state in states
        ]
        shape = [1] * joint.ndim
        shape[mixture.variables.index(name)] = len(states)
        joint = joint * np.reshape(likelihood, shape)
    return joint


def marginal(joint, axes):
    """The distribution of some axes, in their order."""
    others = tuple(axis for axis in range(joint.ndim) if axis not in axes)
    summed = joint.sum(axis=others).transpose(np.argsort(np.argsort(axes)))
    return (summed / summed.sum()).ravel()


def all_arcs(mixture):
    return [arc for own in mixture.components for arc in own.arcs]


@pytest.fixture
def year():
    states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    arcs = [("rain", "wet")]
    winter = bt.BayesianNetwork(
        states, arcs, cpts={"rain": [0.2, 0.8], "wet": [[0.9, 0.1], [0.1, 0.9]]}
    )
    summer = bt.BayesianNetwork(states, cpts={"rain": [1.0, 0.0], "wet": [0.9, 0.1]})
    return bt.NetworkMixture([winter, summer], [0.25, 0.75])


@given(small_mixtures(), SEEDS)
def test_every_query_equals_a_sum_over_all_joint_states(drawn, seed):
    mixture, joint = drawn
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, mixture)
    joint = with_evidence(mixture, joint, evidence)
    assert mixture.probability(evidence) == pytest.approx(joint.sum(), rel=1e-12, abs=0)
    targets = rng.permutation(mixture.variables)[: rng.integers(1, 4)].tolist()
    if joint.sum() == 0:
        assert mixture.log_probability(evidence) == -math.inf
        for query in (mixture.marginals, mixture.most_probable):
            with pytest.raises(ImpossibleEvidenceError, match="probability zero"):
                query(evidence)
        with pytest.raises(ImpossibleEvidenceError):
            mixture.posterior(targets, evidence)
        with pytest.raises(ImpossibleEvidenceError):
            mixture.sample(1, evidence)
        return
    assert mixture.log_probability(evidence) == pytest.approx(math.log(joint.sum()))
    axes = [mixture.variables.index(target) for target in targets]
    found = mixture.posterior(targets, evidence)
    assert found.to_numpy() == pytest.approx(marginal(joint, axes))
    assert list(mixture.marginals(evidence)) == list(mixture.variables)
    for axis, distribution in enumerate(mixture.marginals(evidence).values()):
        assert distribution.to_numpy() == pytest.approx(marginal(joint, [axis]))


@given(small_mixtures(), SEEDS)
def test_most_probable_states_keep_their_guarantee(drawn, seed):
    mixture, joint = drawn
    evidence = random_evidence(np.random.default_rng(seed), mixture)
    joint = with_evidence(mixture, joint, evidence)
    if joint.sum() == 0:
        return
    best = mixture.most_probable(evidence)
    codes = tuple(mixture.states(name).index(state) for name, state in best.assignment.items())
    assert best.log_probability == pytest.approx(math.log(joint[codes]))
    assert joint[codes] * mixture.n_components >= joint.max() * (1 - 1e-12)


@given(small_mixtures())
def test_the_network_of_a_mixture_is_the_mixture(drawn):
    mixture, joint = drawn
    try:
        network = mixture.to_network()
    except ValueError:
        assert not nx.is_directed_acyclic_graph(nx.DiGraph(all_arcs(mixture)))
        return
    assert network.variables == (*mixture.variables, "component")
    assert len(network.states("component")) == mixture.n_components
    found = network.posterior([*mixture.variables]).to_numpy()
    assert found == pytest.approx(joint.ravel())
    assert network.posterior("component").to_numpy() == pytest.approx(mixture.weights)


@given(small_mixtures())
def test_components_and_weights_make_the_mixture(drawn):
    mixture, joint = drawn
    assert mixture.weights.sum() == pytest.approx(1)
    assert len(mixture.components) == len(mixture.weights) == mixture.n_components
    assert mixture_table(mixture.components, mixture.weights) == pytest.approx(joint)
    assert mixture.treewidth == max(own.treewidth for own in mixture.components)


@given(small_mixtures(), SEEDS)
def test_samples_are_as_frequent_as_the_sum_says(drawn, seed):
    mixture, joint = drawn
    n_rows = 3000
    rows = mixture.state_codes(mixture.sample(n_rows, random_state=seed))
    found = np.zeros_like(joint)
    np.add.at(found, tuple(rows.T), 1 / n_rows)
    assert not found[joint == 0].any()
    spread = np.sqrt(joint * (1 - joint) / n_rows)
    assert (np.abs(found - joint) <= 5.5 * spread + 1e-9).all()


def test_samples_obey_evidence_and_do_not_depend_on_threads(year):
    options = {"evidence": {"wet": {"no": 0.1, "yes": 0.9}}, "random_state": 3}
    rows = year.sample(4000, **options)
    assert rows.equals(year.sample(4000, **options, n_jobs=2))
    share = (rows["rain"] == "yes").mean()
    assert share == pytest.approx(year.posterior("rain", options["evidence"])["yes"], abs=0.03)
    assert set(year.sample(50, {"rain": "yes"}, 0)["rain"]) == {"yes"}
    assert year.sample(0).shape == (0, 2)
    with pytest.raises(ValueError, match="n must be an integer of at least 0"):
        year.sample(-1)


def test_the_cost_is_the_sum_over_the_parts(year):
    cost = year.inference_cost()
    parts = [part.network.inference_cost() for part in year._parts]
    assert cost.table_entries == sum(part.table_entries for part in parts)
    assert cost.n_bytes == sum(part.n_bytes for part in parts)
    assert cost.clique_variables == max(part.clique_variables for part in parts)
    assert year.inference_cost({"wet": "no"}).table_entries < cost.table_entries


def test_components_of_the_same_arcs_are_one_part(year):
    winter, summer = year.components
    mixture = bt.NetworkMixture([winter, summer, winter], [0.2, 0.3, 0.5])
    assert len(mixture._parts) == 2
    assert mixture.weights == pytest.approx([0.2, 0.5, 0.3])
    assert [len(own.arcs) for own in mixture.components] == [1, 1, 0]
    assert mixture.components[-1].equals(summer)
    assert [own.equals(winter) for own in mixture.components[:2]] == [True, True]
    with pytest.raises(IndexError, match="3 components; got 3"):
        mixture.components[3]


def test_components_of_weight_zero_are_left_out(year):
    assert bt.NetworkMixture([*year.components], [0, 2]).n_components == 1


def test_a_variable_may_be_named_component():
    network = bt.BayesianNetwork({"component": [0, 1]}, cpts={"component": [0.25, 0.75]})
    mixture = bt.NetworkMixture([network, network])
    assert mixture.posterior("component")[1] == pytest.approx(0.75)
    assert mixture.to_network().variables == ("component", "component 2")
    assert mixture.sample(3, random_state=0).columns.tolist() == ["component"]


def test_the_component_is_no_variable_of_queries(year):
    with pytest.raises(UnknownVariableError, match="component"):
        year.posterior("rain", {"component": 0})
    with pytest.raises(UnknownVariableError, match="component"):
        year.posterior("component")
    with pytest.raises(UnknownVariableError, match="component"):
        year.sample(1, {"component": 0})


def test_states_of_equal_numbers_stay_apart(year):
    integers = bt.BayesianNetwork({"a": [0, 1]}, cpts={"a": [0.5, 0.5]})
    truths = bt.BayesianNetwork({"a": [False, True]}, cpts={"a": [0.5, 0.5]})
    with pytest.raises(TableError, match="same states; of 'a', component 1"):
        bt.NetworkMixture([integers, truths])
    assert bt.NetworkMixture([truths]).posterior("a").index.tolist() == [False, True]


@pytest.mark.parametrize(
    ("components", "weights", "problem"),
    [
        ([], None, "at least one network"),
        (["rain"], None, "components must be networks; got 'rain'"),
        (2, [1], "weights must be one number"),
        (2, [0, 0], "weights must be one number"),
        (2, [0.5, -0.1], "weights must be one number"),
        (2, [0.5, math.nan], "weights must be one number"),
        (2, "ab", "weights must be one number"),
        (2, {"a": 1}, "weights must be one number"),
    ],
)
def test_unusable_components_and_weights_are_refused(year, components, weights, problem):
    given_components = year.components if components == 2 else components
    with pytest.raises(ValueError, match=problem):
        bt.NetworkMixture(given_components, weights)


def test_components_must_have_the_same_variables(year):
    other = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.5, 0.5]})
    with pytest.raises(TableError, match="same variables in the same order; component 2"):
        bt.NetworkMixture([*year.components, other])
    structure = bt.BayesianNetwork({"rain": ["no", "yes"]})
    with pytest.raises(ValueError, match="without probabilities"):
        bt.NetworkMixture([structure])


def test_the_network_of_different_arcs_may_be_too_large(year):
    with pytest.raises(ValueError, match="12 probabilities, more than max_entries=11"):
        year.to_network(max_entries=11)


def test_arcs_that_form_a_cycle_together_have_no_network(year):
    states = {name: year.states(name) for name in year.variables}
    cpts = {"wet": [0.5, 0.5], "rain": [[0.9, 0.1], [0.2, 0.8]]}
    turned = bt.BayesianNetwork(states, [("wet", "rain")], cpts=cpts)
    mixture = bt.NetworkMixture([year.components[0], turned])
    with pytest.raises(ValueError, match="together form a cycle: 'rain' -> 'wet' -> 'rain'"):
        mixture.to_network()


def test_queries_take_a_memory_limit_and_approximate_engines(year):
    with pytest.raises(InferenceTooLargeError):
        year.posterior("rain", {"wet": "yes"}, max_memory=1)
    found = year.posterior("rain", {"wet": "yes"}, engine=bt.IJGP(i_bound=3))
    assert found["yes"] == pytest.approx(year.posterior("rain", {"wet": "yes"})["yes"], abs=1e-4)
    assert found.attrs["convergence"].is_converged
    with pytest.raises(UnknownStateError):
        year.probability({"rain": "perhaps"})


def test_a_mixture_is_frozen_and_can_be_pickled(year):
    with pytest.raises(AttributeError, match="frozen"):
        year.weights = [1, 0]
    year.marginals()
    again = pickle.loads(pickle.dumps(year))
    assert again == year
    assert hash(again) == hash(year)
    assert again.log_likelihood(pd.DataFrame({"rain": ["yes"]})) == pytest.approx(math.log(0.2))
    assert year != bt.NetworkMixture([*year.components], [0.5, 0.5])
    assert year != "year"


def test_a_mixture_of_one_network_is_the_network():
    rng = np.random.default_rng(1)
    (network,) = random_components(random.Random(1), rng, 1, 1)
    mixture = bt.NetworkMixture([network])
    assert mixture.components[0] == network
    assert repr(mixture).endswith(f"1 component, treewidth {network.treewidth})")
