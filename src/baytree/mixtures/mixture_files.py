"""Mixtures as JSON documents: the variables once, and the arcs and tables of each part."""

from __future__ import annotations

import base64
import math
import os
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from baytree.messages.file_names import check_mixture_suffix
from baytree.messages.quoting import pluralize, shortened
from baytree.mixtures.parts import MixturePart, make_part
from baytree.networks.arcs import check_acyclic
from baytree.networks.cpts import TOLERANCE, Cpt, normalise
from baytree.networks.files import json_documents as json
from baytree.networks.files import network_json
from baytree.networks.files.file_contents import TextSource
from baytree.networks.files.file_labels import to_json_labels
from baytree.networks.files.json_documents import JsonPart, ListOf, ObjectOf
from baytree.networks.files.network_files import warn_of_labels_as_text
from baytree.networks.row_answers import Floats
from baytree.networks.variables import checked_states
from baytree.tables.encoding import TableEncoding

VERSIONS = range(1, 2)
MAX_BYTES = 2**30  # of text; sixteen mixtures of the largest that "auto" learns take 0.7e9
NUMBER_BYTES = np.dtype("<f8")
SHARE = json.number_within(0, 1 + TOLERANCE, "a number from 0 to 1")  # sums may be rounded
PART: dict[str, json.Schema] = {
    "weight": SHARE,
    "component_weights": ListOf(SHARE, 1),
    "parents": ListOf(ListOf(json.POSITION)),
    "elimination_order": ListOf(json.POSITION),
    "probabilities": json.TEXT,
}
MIXTURE = json.document_of(
    "a mixture",
    json.MIXTURE_FORMAT,
    VERSIONS,
    {
        "variables": ListOf(ObjectOf("a variable", network_json.VARIABLE, network_json.OF_BINS), 1),
        "parts": ListOf(ObjectOf("a part of a mixture", PART), 1),
    },
)


def write_parts(
    path: str | os.PathLike[str], encoding: TableEncoding, parts: Sequence[MixturePart]
) -> None:
    """Write a mixture, and replace a file of that name."""
    check_mixture_suffix(path)
    names = to_json_labels(encoding.variables, "variables")
    states = encoding.plain_states.values()
    contents = {
        "format": json.MIXTURE_FORMAT,
        "version": VERSIONS[-1],
        "variables": [
            network_json.variable_document(name, own, encoding.bins.get(position))
            for position, (name, own) in enumerate(zip(names, states, strict=True))
        ],
        "parts": [_part_document(part) for part in parts],
    }
    json.write_document(
        path,
        contents,
        subject="the mixture",
        remedy="Learn fewer components, or keep it by pickle.",
        max_bytes=MAX_BYTES,
    )
    warn_of_labels_as_text(encoding.variables, list(states))


def _part_document(part: MixturePart) -> dict[str, object]:
    numbers = np.concatenate([cpt.ravel() for cpt in part.cpts])
    return {
        "weight": part.weight,
        "component_weights": part.component_weights.tolist(),
        "parents": [list(own) for own in part.parents],
        "elimination_order": list(part.elimination_order),
        "probabilities": base64.b64encode(numbers.astype(NUMBER_BYTES).tobytes()).decode(),
    }


def read_parts(path: str | os.PathLike[str]) -> list[MixturePart]:
    """Return the parts of a mixture in a file."""
    check_mixture_suffix(path)
    document = json.read_document(TextSource(path, MAX_BYTES, "a mixture"), MIXTURE)
    encoding = _read_variables(document["variables"])
    weights = np.array([part["weight"] for part in document["parts"].value], dtype=np.float64)
    if normalise(weights[None, :], TOLERANCE) is not None:
        document["parts"].refuse(f'"weight" of all parts must sum to 1; it is {weights.sum():.6g}')
    return [
        _read_part(part, encoding, float(weight))
        for part, weight in zip(document["parts"], weights, strict=True)
        if weight > 0
    ]


def _read_variables(variables: JsonPart) -> TableEncoding:
    states: dict[Hashable, tuple[Hashable, ...]] = {}
    for name, variable in zip(network_json.variable_names(variables), variables, strict=True):
        with variable["states"].errors():
            states |= checked_states({name: variable.value["states"]})
    bins = {
        position: network_json.read_bins(variable) for position, variable in enumerate(variables)
    }
    return TableEncoding.from_states(states).with_bins(
        {position: own for position, own in bins.items() if own is not None}
    )


def _read_part(part: JsonPart, encoding: TableEncoding, weight: float) -> MixturePart:
    parents = _read_parents(part["parents"], encoding)
    order = part.value["elimination_order"]
    if sorted(order) != [*range(len(parents))]:
        part["elimination_order"].refuse('"elimination_order" must have each variable once')
    own_weights = np.array([part.value["component_weights"]], dtype=np.float64)
    if normalise(own_weights, TOLERANCE) is not None:
        total = own_weights.sum()
        part["component_weights"].refuse(f'"component_weights" must sum to 1; it is {total:.6g}')
    cpts = _read_cpts(part["probabilities"], encoding, parents, own_weights.shape[1])
    return make_part(encoding, parents, cpts, own_weights[0], order, weight)


def _read_parents(part: JsonPart, encoding: TableEncoding) -> list[list[int]]:
    names = encoding.variables
    parents: list[list[int]] = part.value
    if len(parents) != len(names):
        part.refuse(f'"parents" must be a list for each of the {len(names):,} variables')
    for child, own in enumerate(parents):
        if own != sorted({*own} & {*range(len(names))} - {child}):
            part[child].refuse(
                f"the parents of {shortened(names[child])} must be rising positions of others"
            )
    with part.errors():
        check_acyclic(names, parents, '"parents"')
    return parents


def _read_cpts(
    part: JsonPart, encoding: TableEncoding, parents: Sequence[Sequence[int]], n_components: int
) -> list[Cpt]:
    """Return tables of which the component is the last parent."""
    arities = encoding.arities.tolist()
    n_rows = [n_components * math.prod(arities[parent] for parent in own) for own in parents]
    sizes = [rows * arity for rows, arity in zip(n_rows, arities, strict=True)]
    numbers = _read_numbers(part)
    if len(numbers) != sum(sizes):
        part.refuse(
            f'"probabilities" must be {pluralize(sum(sizes), "number")} as base64; it has '
            f"{len(numbers):,}"
        )
    cpts = []
    for name, cpt, arity in zip(encoding.variables, _split(numbers, sizes), arities, strict=True):
        cpts.append(cpt.reshape(-1, arity).copy())
        if normalise(cpts[-1], TOLERANCE) is not None:
            part.refuse(f"the probabilities of {shortened(name)} must not be negative and sum to 1")
    return cpts


def _read_numbers(part: JsonPart) -> Floats:
    try:
        data = base64.b64decode(part.value, validate=True)
        return np.frombuffer(data, dtype=NUMBER_BYTES).astype(np.float64)
    except ValueError:
        part.refuse('"probabilities" must be numbers of 8 bytes as base64')


def _split(numbers: Floats, sizes: Sequence[int]) -> Iterator[Floats]:
    ends = np.cumsum(sizes)
    return (numbers[end - size : end] for end, size in zip(ends, sizes, strict=True))
