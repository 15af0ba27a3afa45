"""XDSL, the XML format of GeNIe and SMILE."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from xml.sax.saxutils import escape

from baytree.messages.quoting import shortened
from baytree.networks.files.file_contents import BinarySource
from baytree.networks.files.file_labels import WordRule, written_labels
from baytree.networks.files.network_draft import NetworkDraft, NetworkParts
from baytree.networks.files.xml_elements import (
    Place,
    XmlElement,
    append_element_numbers,
    attribute,
    element,
    is_held,
    read_xml,
)

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
RULE = WordRule("XDSL", is_name=_WORD.fullmatch, is_state=_WORD.fullmatch)

_LABELS = "baytree_labels"
_POSITION = "baytree_position"
_POSITION_TEXT = re.compile(r"[0-9]{1,9}")


def read_xdsl(source: BinarySource) -> NetworkParts:
    """Return the network of a file; states are text unless a note says otherwise."""
    root = read_xml(source)
    nodes = root.first("nodes") if root.tag == "smile" else None
    if nodes is None:
        source.refuse(root.place, "no smile with nodes in it. Is this an XDSL file?")
    draft = NetworkDraft[Place](source)
    elements = _in_order(nodes.children)
    for node in elements:
        _add_variable(draft, node)
    if not elements:
        source.refuse(nodes.place, "no node")
    for child, node in enumerate(elements):
        _add_table(draft, child, node)
    return draft.parts()


def _in_order(nodes: Sequence[XmlElement]) -> list[XmlElement]:
    """Return the nodes in the original order of the network, if the file holds it."""
    # SMILE wants parents before children, which a network need not have.
    positions = [_property(node, _POSITION) for node in nodes]
    numbers = [int(p.text) for p in positions if p and _POSITION_TEXT.fullmatch(p.text)]
    if sorted(numbers) != list(range(len(nodes))):
        return list(nodes)
    return [node for _, node in sorted(zip(numbers, nodes, strict=True), key=lambda pair: pair[0])]


def _property(node: XmlElement, name: str) -> XmlElement | None:
    return next((p for p in node.all("property") if p.attributes.get("id") == name), None)


def _add_variable(draft: NetworkDraft[Place], node: XmlElement) -> None:
    name = node.attributes.get("id")
    if not name:
        draft.source.refuse(node.place, "a node without an id")
    if node.tag not in ("cpt", "deterministic"):
        draft.source.refuse(
            node.place, f"node {name!r} is of the kind {node.tag}; cpt and deterministic are read"
        )
    states = [state.attributes.get("id", "") for state in node.all("state")]
    position = draft.add_variable(name, states, node.place)
    note = _property(node, _LABELS)
    if note is not None:
        draft.add_note(position, note.text, note.place)


def _add_table(draft: NetworkDraft[Place], child: int, node: XmlElement) -> None:
    listed = node.first("parents")
    place = node.place if listed is None else listed.place
    words = [] if listed is None else listed.text.split()
    draft.set_parents(child, [draft.position(word, place) for word in words], place)
    tag = "probabilities" if node.tag == "cpt" else "resultingstates"
    table = node.first(tag)
    if table is None:
        draft.source.refuse(node.place, f"node {draft.name(child)!r} has no {tag}")
    numbers = array("d")
    if node.tag == "cpt":
        append_element_numbers(draft.source, table, numbers)
    else:
        _append_results(draft, child, table, numbers)
    draft.set_numbers(child, numbers, table.place)


def _append_results(
    draft: NetworkDraft[Place], child: int, table: XmlElement, numbers: array[float]
) -> None:
    """Append one for the state that each row names, and zero for the others."""
    states = draft.states[child]
    words = table.text.split()
    if len(words) == draft.n_rows(child):
        draft.check_short(child, table.place)
        for word in words:
            if word not in states:
                draft.source.refuse(table.place, f"{shortened(word)} is no state of the node")
            numbers.extend(float(word == state) for state in states)


def write_xdsl(parts: NetworkParts) -> Iterator[str]:
    """Yield the text of a network that has probabilities."""
    labels = written_labels(parts.variables, parts.states or (), RULE)
    parents = parts.parent_positions()
    order = [*TopologicalSorter(dict(enumerate(parents))).static_order()]
    is_in_order = all(p < child for child, members in enumerate(parents) for p in members)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<smile version="1.0" id="network">\n<nodes>\n'
    for child in range(len(parents)) if is_in_order else order:
        yield f"<cpt{attribute('id', labels.names[child])}>\n"
        yield "".join(f"<state{attribute('id', state)} />\n" for state in labels.states[child])
        if parents[child]:
            yield f"<parents>{' '.join(labels.names[p] for p in parents[child])}</parents>\n"
        cells = (parts.cpts or ())[child].ravel().tolist()
        yield f"<probabilities>{' '.join(map(repr, cells))}</probabilities>\n"
        yield _properties(labels.notes[child], None if is_in_order else child)
        yield "</cpt>\n"
    yield '</nodes>\n<extensions>\n<genie version="1.0" app="baytree" name="network">\n'
    for position, word in enumerate(labels.names):
        yield _drawing(word, str(parts.variables[position]), position)
    yield "</genie>\n</extensions>\n</smile>\n"


def _drawing(word: str, name: str, position: int) -> str:
    """Return the name and the place of a node in GeNIe, where nodes stand in ten columns."""
    left, top = 20 + position % 10 * 120, 20 + position // 10 * 80
    return (
        f"<node{attribute('id', word)}>{element('name', name if is_held(name) else word)}"
        f"<position>{left} {top} {left + 90} {top + 50}</position></node>\n"
    )


def _properties(note: str | None, position: int | None) -> str:
    texts = {_LABELS: note, _POSITION: position}
    return "".join(
        f'<property id="{name}">{escape(str(text))}</property>\n'
        for name, text in texts.items()
        if text is not None
    )
