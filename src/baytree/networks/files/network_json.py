"""Networks as JSON documents, without loss: bins, tree decomposition and exact probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from baytree.messages.quoting import shortened
from baytree.networks.arcs import check_acyclic, check_known
from baytree.networks.cpts import Cpt, checked_cpt
from baytree.networks.decomposition import TreeDecomposition, check_decomposition
from baytree.networks.files import json_documents as json
from baytree.networks.files.file_contents import TextSource
from baytree.networks.files.file_labels import Label, is_label, to_json_labels
from baytree.networks.files.json_documents import JsonPart, ListOf, ObjectOf
from baytree.networks.files.network_draft import NetworkParts
from baytree.networks.variables import checked_states
from baytree.tables.bin_contents import MAX_DECIMALS, BinContents, NumberGroup
from baytree.tables.bins import Bins

FORMAT = "baytree network"
VERSIONS = range(4, 6)  # an older reader refuses new keys: they need a new version. 5 has groups
LABEL = json.Value("text of whole characters, a finite number, true or false", is_label)
ARCS = ListOf(ListOf(LABEL, 2, 2))
NUMBERS = ListOf(json.NUMBER)
VARIABLE: dict[str, json.Schema] = {
    "name": LABEL,
    "states": ListOf(LABEL),
    "edges": NUMBERS,
    "medians": NUMBERS,
    "groups": ListOf(ListOf(ListOf(json.NUMBER, 5, 5), 1)),  # of each bin: n, low, high, mean, sd
    "n_decimals": json.OrNull(json.integer_within(-MAX_DECIMALS, MAX_DECIMALS)),
}
OF_BINS = frozenset({"edges", "medians", "groups", "n_decimals"})
IN_NETWORK: dict[str, json.Schema] = VARIABLE | {"probabilities": NUMBERS}
NETWORK = json.document_of(
    "a network",
    FORMAT,
    VERSIONS,
    {
        "score": json.OrNull(json.NUMBER),
        "variables": ListOf(ObjectOf("a variable", IN_NETWORK, {*IN_NETWORK} - {"name"}), 1),
        "arcs": ARCS,
        "bags": ListOf(ListOf(LABEL)),
        "bag_edges": ListOf(ListOf(json.POSITION, 2, 2)),
    },
)


def write_network_json(parts: NetworkParts) -> Iterator[str]:
    """Yield the text of a network; labels that JSON cannot hold are written as text."""
    return json.document_text(network_document(parts))


def network_document(parts: NetworkParts) -> dict[str, object]:
    """Return a network as JSON."""
    names = to_json_labels(parts.variables, "variables")
    name_of = dict(zip(parts.variables, names, strict=True))
    variables: list[dict[str, object]] = []
    for position, name in enumerate(names):
        states = None if parts.states is None else parts.states[position]
        variables.append(variable_document(name, states, parts.bins.get(position)))
        if parts.cpts is not None:
            variables[-1]["probabilities"] = parts.cpts[position].ravel().tolist()
    return {
        "format": FORMAT,
        "version": VERSIONS[-1],
        "score": parts.score,
        "variables": variables,
        "arcs": [[name_of[parent], name_of[child]] for parent, child in parts.arcs],
        "bags": [[name_of[variable] for variable in bag] for bag in parts.bags or ()],
        "bag_edges": [list(edge) for edge in parts.edges],
    }


def variable_document(
    name: Label, states: Sequence[Hashable] | None, bins: Bins | None
) -> dict[str, object]:
    """Return a variable as JSON."""
    document: dict[str, object] = {"name": name}
    if states is not None:
        document["states"] = to_json_labels(states, f"states of {name!r}")
    if bins is not None:
        document |= {"edges": list(bins.edges), "medians": list(bins.medians)}
        if bins.contents is not None:
            groups = [list(map(list, own)) for own in bins.contents.groups]
            document |= {"groups": groups, "n_decimals": bins.contents.n_decimals}
    return document


def read_network_json(source: TextSource) -> NetworkParts:
    """Return the network of a file."""
    return network_parts(json.read_document(source, NETWORK))


def network_parts(document: JsonPart) -> NetworkParts:
    """Return the network of a document that has its schema."""
    variables = document["variables"]
    states = _states(variables)
    names = variable_names(variables)
    parents = _parents(document["arcs"], names)
    cpts = _cpts(variables, parents, states)
    bags, edges = (document[key].value for key in ("bags", "bag_edges"))
    with document["bags"].errors():
        check_decomposition(TreeDecomposition(tuple(map(tuple, bags)), tuple(edges)), parents)
    bins = {position: read_bins(variable) for position, variable in enumerate(variables)}
    return NetworkParts(
        variables=names,
        states=None if states is None else [*states.values()],
        arcs=[(parent, child) for parent, child in document["arcs"].value],
        cpts=cpts,
        bags=bags,
        edges=[(first, second) for first, second in edges],
        score=document["score"].value,
        bins={position: own for position, own in bins.items() if own is not None},
    )


def variable_names(variables: JsonPart) -> list[Label]:
    """Return the names of variables, which must be distinct."""
    names: dict[Label, None] = {}
    for variable in variables:
        name = variable.value["name"]
        if name in names:
            variable["name"].refuse(f"variables names {shortened(name)} twice")
        names[name] = None
    return [*names]


def read_bins(variable: JsonPart) -> Bins | None:
    """Return the bins of a variable, whose labels are its states, if it has any."""
    if not OF_BINS & variable.value.keys():
        return None
    edges, medians = (variable.value.get(key, ()) for key in ("edges", "medians"))
    name = shortened(variable.value["name"])
    is_rising = all(low <= high for low, high in pairwise(edges))
    if not is_rising or len(edges) != len(medians) + bool(edges):
        variable.refuse(f'"edges" of {name} must rise, one more than "medians"')
    bins = Bins(tuple(map(float, edges)), tuple(medians))
    if list(bins.labels) != variable.value.get("states"):
        variable.refuse(f'"states" of {name} must be the intervals between its "edges"')
    return replace(bins, contents=_read_contents(variable, edges))


def _read_contents(variable: JsonPart, edges: Sequence[float]) -> BinContents | None:
    """Return the groups of the numbers in each bin; files of version 4 have none."""
    if "groups" not in variable.value:
        return None
    part = variable["groups"]
    groups = tuple(tuple(NumberGroup(*map(float, own)) for own in of_bin) for of_bin in part.value)
    if len(groups) != max(len(edges) - 1, 0):
        part.refuse(f'"groups" must have a list for each of the {len(edges) - 1:,} bins')
    for position, (of_bin, (low, high)) in enumerate(zip(groups, pairwise(edges), strict=True)):
        if not all(group.is_sound(low, high) for group in of_bin):
            part[position].refuse("a group must be [n, low, high, mean, sd] of numbers of its bin")
    return BinContents(groups, variable.value.get("n_decimals"))


def _states(variables: JsonPart) -> dict[Hashable, tuple[Hashable, ...]] | None:
    if not any("states" in variable for variable in variables.value):
        return None
    states: dict[Hashable, tuple[Hashable, ...]] = {}
    for variable in variables:
        if "states" not in variable.value:
            variable.refuse('variables must all have a list of "states", or none of them')
        with variable["states"].errors():
            states |= checked_states({variable.value["name"]: variable.value["states"]})
    return states


def _parents(arcs: JsonPart, names: Sequence[Label]) -> dict[Hashable, list[Label]]:
    """Return the parents of every variable, in the order of the variables."""
    positions: dict[Hashable, int] = {name: position for position, name in enumerate(names)}
    parents: list[set[int]] = [set() for _ in names]
    for arc in arcs:
        with arc.errors():
            for name in arc.value:
                check_known(name, positions, "arcs")
        parent, child = (positions[name] for name in arc.value)
        ends = " to ".join(map(shortened, arc.value))
        if parent == child:
            arc.refuse(f"an arc leads from {ends}: a variable cannot be its own parent")
        if parent in parents[child]:
            arc.refuse(f"the arc from {ends} is there twice")
        parents[child].add(parent)
    with arcs.errors():
        check_acyclic(names, parents, "arcs")
    return {
        name: [names[parent] for parent in sorted(members)]
        for name, members in zip(names, parents, strict=True)
    }


def _cpts(
    variables: JsonPart,
    parents: Mapping[Hashable, Sequence[Label]],
    states: Mapping[Hashable, Sequence[Hashable]] | None,
) -> list[Cpt] | None:
    """Return a table for every variable, or None if no variable has one."""
    if not any("probabilities" in variable for variable in variables.value):
        return None
    cpts = []
    for variable in variables:
        if "probabilities" not in variable.value or states is None:
            variable.refuse('variables must all have lists of "states" and "probabilities"')
        name, table = variable.value["name"], variable["probabilities"]
        numbers, arity = table.value, len(states[name])
        if not numbers or len(numbers) % arity:
            counts = f"{len(numbers):,} numbers for {arity:,} states"
            table.refuse(f"the probabilities of {shortened(name)} are {counts}")
        with table.errors():
            rows = np.array(numbers, dtype=np.float64).reshape(-1, arity)
            cpts.append(checked_cpt(name, parents[name], states, rows))
    return cpts
