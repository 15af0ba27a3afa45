"""Files of networks; the suffix of the name is the format."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Sequence

from baytree.exceptions import EscapedLabelWarning
from baytree.messages.file_names import check_structure_suffix, network_suffix
from baytree.messages.quoting import quoted
from baytree.messages.user_warnings import warn_user
from baytree.networks.files.bif import read_bif, write_bif
from baytree.networks.files.file_contents import MAX_BYTES, BinarySource, TextSource
from baytree.networks.files.file_labels import is_written_as_text
from baytree.networks.files.hugin_net import read_net, write_net
from baytree.networks.files.network_draft import NetworkParts
from baytree.networks.files.network_json import read_network_json, write_network_json
from baytree.networks.files.uai import read_uai, write_uai
from baytree.networks.files.xdsl import read_xdsl, write_xdsl
from baytree.networks.files.xmlbif import read_xmlbif, write_xmlbif
from baytree.runtime.atomic_files import replaced_file

_TEXT_READERS: dict[str, Callable[[TextSource], NetworkParts]] = {
    ".json": read_network_json,
    ".bif": read_bif,
    ".uai": read_uai,
    ".net": read_net,
}
_XML_READERS: dict[str, Callable[[BinarySource], NetworkParts]] = {
    ".xml": read_xmlbif,
    ".xmlbif": read_xmlbif,
    ".bifxml": read_xmlbif,
    ".xdsl": read_xdsl,
}
_WRITERS: dict[str, Callable[[NetworkParts], Iterator[str]]] = {
    ".json": write_network_json,
    ".bif": write_bif,
    ".xml": write_xmlbif,
    ".xmlbif": write_xmlbif,
    ".bifxml": write_xmlbif,
    ".uai": write_uai,
    ".net": write_net,
    ".xdsl": write_xdsl,
}


def read_parts(path: str | os.PathLike[str]) -> NetworkParts:
    """Read the parts of a network."""
    suffix = network_suffix(path)
    if suffix in _XML_READERS:
        return _XML_READERS[suffix](BinarySource(path, MAX_BYTES))
    return _TEXT_READERS[suffix](TextSource(path, MAX_BYTES))


def write_parts(path: str | os.PathLike[str], parts: NetworkParts) -> None:
    """Write a network, and replace a file of that name."""
    suffix = network_suffix(path)
    if parts.cpts is None:
        check_structure_suffix(path)
    n_bytes = 0
    with replaced_file(path) as stream:
        for text in _WRITERS[suffix](parts):
            data = text.encode()
            n_bytes += len(data)
            if n_bytes > MAX_BYTES:
                raise ValueError(
                    f"{path}: the network takes more than {MAX_BYTES:,} bytes of text, which are "
                    "not read back. Use shorter names, or fewer parents."
                )
            stream.write(data)
    _warn_of_losses(suffix, parts)


def _warn_of_losses(suffix: str, parts: NetworkParts) -> None:
    """Warn of labels that come back as text, and of bins that do not come back."""
    warn_of_labels_as_text(parts.variables, parts.states or [()] * len(parts.variables))
    if parts.bins and suffix != ".json":
        warn_user(
            f"{suffix} holds the names of bins only, of {quoted(_binned(parts))}: after reading, "
            "numbers cannot be put into them. A .json file keeps the bins.",
            EscapedLabelWarning,
        )


def warn_of_labels_as_text(
    variables: Sequence[Hashable], states: Sequence[Sequence[Hashable]]
) -> None:
    """Warn of names and states that come back as text."""
    as_text = [
        name
        for name, labels in zip(variables, states, strict=True)
        if any(map(is_written_as_text, (name, *labels)))
    ]
    if as_text:
        warn_user(
            f"Names or states of {quoted(as_text)} are neither text, numbers nor truth values. "
            "They are written as text and come back as text. Convert them to text before learning "
            "to use the file with the same tables, or keep the model by pickle.",
            EscapedLabelWarning,
        )


def _binned(parts: NetworkParts) -> list[Hashable]:
    return [parts.variables[position] for position in sorted(parts.bins)]
