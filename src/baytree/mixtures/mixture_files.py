"""Mixtures as JSON documents: the networks of their parts, with the component as a variable."""

from __future__ import annotations

import os
from collections.abc import Sequence

from baytree.exceptions import FileFormatError, UnknownVariableError
from baytree.messages.quoting import shortened
from baytree.mixtures.parts import MixturePart, make_part
from baytree.networks.files import json_documents as json
from baytree.networks.files.file_contents import MAX_BYTES, TextSource
from baytree.networks.files.json_documents import JsonPart, ListOf
from baytree.networks.files.network_json import NETWORK, network_document, network_parts
from baytree.networks.network import BayesianNetwork
from baytree.runtime.atomic_files import replaced_file

FORMAT = "baytree mixture"
VERSIONS = range(1, 2)
WEIGHT_TOLERANCE = 1e-6
MIXTURE = json.document_of(
    "a mixture",
    FORMAT,
    VERSIONS,
    {
        "weights": ListOf(json.number_within(0, 1), 1),
        "networks": ListOf(NETWORK, 1),
    },
)


def check_suffix(path: str | os.PathLike[str]) -> None:
    """Refuse a name that is not that of a JSON file."""
    name = os.fspath(path)
    if not name.endswith((".json", ".json.gz", ".json.xz")):
        raise ValueError(f"{name}: the name of a mixture must end in .json, .json.gz or .json.xz.")


def write_parts(path: str | os.PathLike[str], parts: Sequence[MixturePart]) -> None:
    """Write a mixture, and replace a file of that name."""
    check_suffix(path)
    contents = {
        "format": FORMAT,
        "version": VERSIONS[-1],
        "weights": [part.weight for part in parts],
        "networks": [network_document(part.network._to_parts()) for part in parts],
    }
    n_bytes = 0
    with replaced_file(path) as stream:
        for text in json.document_text(contents):
            data = text.encode()
            n_bytes += len(data)
            if n_bytes > MAX_BYTES:
                raise ValueError(
                    f"{path}: the mixture takes more than {MAX_BYTES:,} bytes of text, which are "
                    "not read back. Learn fewer components, or keep it by pickle."
                )
            stream.write(data)


def read_parts(path: str | os.PathLike[str]) -> list[MixturePart]:
    """Return the parts of a mixture in a file."""
    check_suffix(path)
    document = json.read_document(TextSource(path, MAX_BYTES), MIXTURE)
    weights = document["weights"].value
    networks = [_network(path, own) for own in document["networks"]]
    if len(weights) != len(networks):
        document["weights"].refuse(
            f'"weights" must be one for each of the {len(networks):,} networks'
        )
    total = sum(weights)
    if abs(total - 1) > WEIGHT_TOLERANCE:
        document["weights"].refuse(f'"weights" must sum to 1; their sum is {total:.6g}')
    parts = []
    for part, network, weight in zip(document["networks"], networks, weights, strict=True):
        _check_hidden(part, network)
        _check_alike(part, networks[0], network)
        if weight > 0:
            parts.append(_part(networks[0], network, weight / total))
    return parts


def _network(path: str | os.PathLike[str], document: JsonPart) -> BayesianNetwork:
    try:
        return BayesianNetwork._from_parts(network_parts(document))
    except (ValueError, UnknownVariableError) as error:
        raise FileFormatError(f"{path}: {error}") from None


def _check_hidden(part: JsonPart, network: BayesianNetwork) -> None:
    """Refuse a network whose last variable is no parent of all others."""
    hidden = len(network.variables) - 1
    if not network.has_probabilities or hidden < 1:
        part.refuse("a network of a mixture must have probabilities and two variables or more")
    *others, own = network._parent_positions
    if own or not all(hidden in parents for parents in others):
        name = shortened(network.variables[-1])
        part.refuse(f"the last variable, {name}, must be a parent of all others")


def _check_alike(part: JsonPart, first: BayesianNetwork, network: BayesianNetwork) -> None:
    if network.variables != first.variables:
        part.refuse("the networks of a mixture must have the same variables")
    for name in network.variables[:-1]:
        if network.states(name) != first.states(name):
            part.refuse(f"the networks of a mixture must have the same states of {shortened(name)}")


def _part(first: BayesianNetwork, network: BayesianNetwork, weight: float) -> MixturePart:
    """Return a part whose variables are encoded as those of the first network."""
    if network is first:
        return MixturePart(network, weight)
    hidden = len(network.variables) - 1
    encoding = first._encoding.restricted(range(hidden))
    order = [at for at in network._elimination_order if at != hidden]
    parents = [own[:-1] for own in network._parent_positions[:-1]]
    *cpts, prior = network._known_cpts()
    return make_part(encoding, parents, cpts, prior[0], order, weight)
