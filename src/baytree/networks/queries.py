"""Queries of a network: posteriors, probabilities of evidence, most probable states."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NoReturn

import pandas as pd

from baytree.exceptions import ImpossibleEvidenceError
from baytree.messages.arguments import positive_number
from baytree.messages.quoting import quoted, shortened
from baytree.networks.engines import IJGP, Engine, ExactEngine, InferenceEngine, JoinGraphEngine
from baytree.networks.evidence import EncodedEvidence, Evidence, encode_evidence
from baytree.networks.model import Model
from baytree.networks.query_results import InferenceCost, Marginals, MostProbable
from baytree.networks.state_indexes import joint_index
from baytree.networks.variables import known_targets
from baytree.runtime.memory import available_memory

if TYPE_CHECKING:
    from baytree.networks.network import BayesianNetwork


def posterior(
    network: Model,
    target: Hashable | list[Hashable],
    evidence: Evidence | None,
    engine: Engine,
    max_memory: float | None,
) -> pd.Series[float]:
    """Return the distribution of one variable, or the joint one of several."""
    targets, is_one = known_targets(target, network._positions)
    encoded = encode_evidence(network._encoding, evidence)
    used = network._engine(engine, max_memory)
    probabilities = used.posterior([network._positions[name] for name in targets], encoded)
    if not len(probabilities):
        raise_impossible(network, encoded)
    index: pd.Index[Any] = (
        network._state_indexes[targets[0]]
        if is_one
        else joint_index({name: network._encoded_states[name] for name in targets})
    )
    series = pd.Series(probabilities, index=index, name="probability", copy=False)
    bins = network._encoding.bins.get(network._positions[targets[0]])
    if bins is not None and len(targets) == 1:
        series.attrs["mean"] = float(bins.expected(probabilities))
    if used.convergence is not None:
        series.attrs["convergence"] = used.convergence
    return series


def marginals(
    network: Model,
    evidence: Evidence | None,
    engine: Engine,
    max_memory: float | None,
) -> Marginals:
    """Return the distribution of every variable."""
    encoded = encode_evidence(network._encoding, evidence)
    used = network._engine(engine, max_memory)
    probabilities = used.marginals(encoded)
    if not len(probabilities):
        raise_impossible(network, encoded)
    return Marginals(network._state_indexes, probabilities, convergence=used.convergence)


def probability(
    network: Model, evidence: Evidence, engine: Engine, max_memory: float | None
) -> tuple[float, float]:
    """Return the probability of evidence and its logarithm."""
    encoded = encode_evidence(network._encoding, evidence)
    return network._engine(engine, max_memory).probability(encoded)


def most_probable(
    network: BayesianNetwork, evidence: Evidence | None, max_memory: float | None
) -> MostProbable:
    """Return the most probable states of all variables together."""
    encoded = encode_evidence(network._encoding, evidence)
    codes, log_probability = exact_engine(network, max_memory).most_probable(encoded)
    if log_probability == float("-inf"):
        raise_impossible(network, encoded)
    states = network._encoded_states
    assignment = {
        name: states[name][code] for name, code in zip(network.variables, codes, strict=True)
    }
    return MostProbable(assignment, log_probability)


def inference_cost(network: BayesianNetwork, evidence: Evidence | None) -> InferenceCost:
    """Return the cost of the marginals."""
    encoded = encode_evidence(network._encoding, evidence)
    return exact_engine(network, None).cost(encoded)


def network_engine(
    network: BayesianNetwork, engine: Engine, max_memory: float | None
) -> InferenceEngine:
    """Return the engine that answers queries on a network."""
    if isinstance(engine, IJGP):
        core = network._join_graph_inference
        return JoinGraphEngine(core, _bytes_allowed(max_memory), engine)
    if engine != "exact":
        raise ValueError(
            f'engine must be "exact" or an IJGP object, as in engine=IJGP(i_bound=6); '
            f"got {shortened(engine)}."
        )
    return exact_engine(network, max_memory)


def exact_engine(network: BayesianNetwork, max_memory: float | None) -> ExactEngine:
    """Return the engine of exact inference on a network."""
    return ExactEngine(network._exact_inference, _bytes_allowed(max_memory))


def _bytes_allowed(max_memory: float | None) -> float:
    if max_memory is None:
        return available_memory() / 4
    return positive_number("max_memory", max_memory, "bytes")


def raise_impossible(network: Model, evidence: EncodedEvidence) -> NoReturn:
    """Raise the error about evidence of probability zero."""
    names = network.variables
    observed = {
        names[position]: network._encoded_states[names[position]][code]
        for position, code in evidence.states
    }
    virtual = [names[position] for position, _ in evidence.likelihoods]
    what = f"evidence {shortened(observed)}" if observed else "virtual evidence"
    also = f" with the likelihoods of {quoted(virtual)}" if virtual else ""
    raise ImpossibleEvidenceError(
        f"The {what}{also} has probability zero, so there is no posterior. Look for states "
        "that exclude each other."
    )
