"""Views of a network or mixture as JSON: names to show, and numbers for the rest.

Variables, states and cliques are numbers from 0; `graph_payload` has their names.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import baytree as bt
from baytree.exceptions import ImpossibleEvidenceError
from baytree.explorer.drawings import (
    clique_drawing,
    nearest,
    parent_numbers,
    variable_drawing,
)
from baytree.messages.labels import shown_labels

Payload: TypeAlias = dict[str, Any]
Evidence: TypeAlias = Mapping[Hashable, Hashable]
StateCodes: TypeAlias = npt.NDArray[np.int32]  # -1 for missing cells
Model: TypeAlias = bt.BayesianNetwork | bt.NetworkMixture

MAX_DRAWN_WHOLE = 2000  # beyond, the neighbourhood of a variable is drawn
MAX_NEIGHBOURS = 60  # that are drawn then
MAX_JOINT_STATES = 100_000  # of a clique whose joint distribution is shown
N_TOP_JOINT_STATES = 8
MAX_RANKED = 200
MAX_LISTED_COMPONENTS = 200


def graph_payload(network: bt.BayesianNetwork) -> Payload:
    """Return names, states and parents, the cost of inference, and the drawing."""
    variables = network.variables
    is_whole = len(variables) <= MAX_DRAWN_WHOLE
    return {
        "variables": shown_labels(variables),
        "states": [shown_labels(network.states(variable)) for variable in variables],
        "parents": parent_numbers(network),
        "drawing": variable_drawing(network, range(len(variables))) if is_whole else None,
        "treewidth": network.treewidth,
        "n_cliques": len(network.decomposition.bags),
        "cost": str(network.inference_cost()),
    }


def components_payload(mixture: bt.NetworkMixture) -> Payload:
    """Return the sizes of a mixture, and the numbers and weights of its heaviest components."""
    weights = mixture.weights
    listed = np.argsort(-weights, kind="stable")[:MAX_LISTED_COMPONENTS]
    return {
        "n": len(weights),
        "treewidth": mixture.treewidth,
        "cost": str(mixture.inference_cost()),
        "listed": listed.tolist(),
        "weights": _five_digits(weights[listed]),
    }


def neighbourhood_payload(network: bt.BayesianNetwork, variable: int) -> Payload:
    """Return the drawing around a variable, with the numbers of neighbours left out."""
    arcs = _arc_numbers(network)
    numbers = nearest(len(network.variables), arcs, [variable], MAX_NEIGHBOURS)
    drawn = set(numbers)
    hidden = Counter(end for arc in arcs if not drawn.issuperset(arc) for end in arc)
    n_hidden = [hidden[number] for number in numbers]
    return {**variable_drawing(network, numbers), "n_hidden": n_hidden}


def clique_tree_payload(network: bt.BayesianNetwork, around: int | None = None) -> Payload:
    """Return the drawing of the clique tree: all of it, or the part near a variable."""
    tree = network.decomposition
    shown: Sequence[int] = range(len(tree.bags))
    if len(shown) > MAX_DRAWN_WHOLE:
        starts = [0]
        if around is not None:
            name = network.variables[around]
            starts = [number for number, bag in enumerate(tree.bags) if name in bag]
        shown = nearest(len(tree.bags), tree.edges, starts, MAX_NEIGHBOURS)
    return clique_drawing(network, shown)


def posteriors_payload(network: Model, evidence: Evidence) -> Payload:
    """Return the probabilities of all states of all variables, one after the other."""
    try:
        marginals = network.marginals(evidence)
    except ImpossibleEvidenceError as error:
        return {"impossible": str(error)}
    return {
        "probabilities": _five_digits(marginals.probabilities),
        "log_probability": network.log_probability(evidence) if evidence else 0.0,
    }


def explanation_payload(network: Model, evidence: Evidence) -> Payload:
    """Return the most probable states of all variables together."""
    try:
        best = network.most_probable(evidence)
    except ImpossibleEvidenceError as error:
        return {"impossible": str(error)}
    log_evidence = network.log_probability(evidence) if evidence else 0.0
    return {
        "states": _codes(network, best.assignment),
        "log_probability": best.log_probability,
        "log_posterior": min(best.log_probability - log_evidence, 0.0),
        # No states have more than so many times the probability.
        "factor": network.n_components if isinstance(network, bt.NetworkMixture) else 1,
    }


def most_informative_payload(network: Model, target: int, evidence: Evidence) -> Payload:
    """Return the unobserved variables that are most informative about a target."""
    name = network.variables[target]
    try:
        flat = network.marginals(evidence).probabilities
    except ImpossibleEvidenceError as error:
        return {"impossible": str(error)}
    begins = np.cumsum([0, *(len(network.states(name)) for name in network.variables)])
    own = flat[begins[target] : begins[target + 1]]
    bits = np.zeros(len(network.variables))
    if name not in evidence:
        for state, probability in zip(network.states(name), own, strict=True):
            if probability > 0:
                given = network.marginals({**evidence, name: state}).probabilities
                bits += probability * np.add.reduceat(_surprise(given, flat), begins[:-1])
    entropy = float(-_surprise(own, np.ones_like(own)).sum())
    for known in {name, *evidence}:
        bits[network.variables.index(known)] = -1.0
    order = [int(n) for n in np.argsort(-bits, kind="stable")[:MAX_RANKED] if bits[n] >= 0]
    return {
        "entropy": max(entropy, 0.0),
        "variables": order,
        "bits": [max(round(float(bits[number]), 9), 0.0) for number in order],
    }


def clique_payload(
    network: bt.BayesianNetwork, clique: int, evidence: Evidence, model: Model | None = None
) -> Payload:
    """Return the variables of a clique, and its most probable joint states given evidence.

    These are the states by a mixture, if that is the model.
    """
    bag = sorted(network.decomposition.bags[clique], key=network.variables.index)
    arities = [len(network.states(name)) for name in bag]
    payload: Payload = {
        "members": [network.variables.index(name) for name in bag],
        "n_joint_states": math.prod(arities),
    }
    if payload["n_joint_states"] > MAX_JOINT_STATES:
        return payload
    try:
        joint = (network if model is None else model).posterior(list(bag), evidence).to_numpy()
    except ImpossibleEvidenceError as error:
        return {**payload, "impossible": str(error)}
    best = np.argsort(-joint, kind="stable")[:N_TOP_JOINT_STATES]
    payload["states"] = np.column_stack(np.unravel_index(best, arities)).tolist()
    payload["probabilities"] = _five_digits(np.asarray(joint[best], dtype=np.float64))
    return payload


def row_payload(network: Model, codes: StateCodes, number: int) -> Payload:
    """Return the observed cells of a row, its missing cells, and their most probable states."""
    row = codes[number]
    missing = np.flatnonzero(row < 0)
    evidence = [(int(variable), int(row[variable])) for variable in np.flatnonzero(row >= 0)]
    payload: Payload = {
        "number": number,
        "n_rows": len(codes),
        "evidence": evidence,
        "missing": missing.tolist(),
    }
    best = explanation_payload(network, labelled(network, evidence))
    if "impossible" in best:
        return {**payload, "impossible": best["impossible"]}
    return {**payload, "imputed": [best["states"][variable] for variable in missing]}


def labelled(network: Model, evidence: Sequence[tuple[int, int]]) -> Evidence:
    """Return evidence by name and label from numbers of variables and states."""
    names = [network.variables[variable] for variable, _ in evidence]
    return {
        name: network.states(name)[state] for name, (_, state) in zip(names, evidence, strict=True)
    }


def _arc_numbers(network: bt.BayesianNetwork) -> list[tuple[int, int]]:
    return [(p, child) for child, own in enumerate(parent_numbers(network)) for p in own]


def _codes(network: Model, assignment: Evidence) -> list[int]:
    # 1 and True are two states, though they are equal.
    return [
        [(type(state), state) for state in network.states(name)].index(
            (type(assignment[name]), assignment[name])
        )
        for name in network.variables
    ]


def _surprise(p: npt.NDArray[np.float64], q: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return p log2(p / q) for each pair; 0 where p is 0."""
    ratios = np.divide(p, q, out=np.ones_like(p), where=(p > 0) & (q > 0))
    return p * np.log2(ratios)


def _five_digits(probabilities: npt.NDArray[np.float64]) -> list[float]:
    """Round to five significant digits, which keeps small probabilities and short texts."""
    with np.errstate(divide="ignore"):
        exponents = np.floor(np.log10(probabilities))
    is_tiny = exponents < -290  # and 0
    scales = 10.0 ** (4 - np.where(is_tiny, 0, exponents))
    rounded = np.where(is_tiny, probabilities, np.round(probabilities * scales) / scales)
    return [float(p) for p in rounded.tolist()]
