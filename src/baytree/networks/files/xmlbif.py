"""XMLBIF 0.3, the XML format of JavaBayes, Weka, pgmpy and pyAgrum."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from baytree.messages.quoting import shortened
from baytree.networks.files.file_contents import BinarySource
from baytree.networks.files.file_labels import NOTE_MARK, WordRule, written_labels
from baytree.networks.files.network_draft import NetworkDraft, NetworkParts
from baytree.networks.files.xml_elements import (
    Place,
    XmlElement,
    append_element_numbers,
    element,
    is_held,
    read_xml,
)

RULE = WordRule("XMLBIF", is_name=is_held, is_state=is_held)

_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<BIF VERSION="0.3">
<NETWORK>
<NAME>unknown</NAME>
"""


def read_xmlbif(source: BinarySource) -> NetworkParts:
    """Return the network of a file; states are text unless a note says otherwise."""
    root = read_xml(source)
    network = root.first("NETWORK") if root.tag == "BIF" else None
    if network is None:
        source.refuse(root.place, "no BIF with a NETWORK in it. Is this an XMLBIF file?")
    draft = NetworkDraft[Place](source)
    for variable in network.all("VARIABLE"):
        _add_variable(draft, variable)
    if not draft.positions:
        source.refuse(network.place, "no VARIABLE")
    for definition in network.all("DEFINITION", "PROBABILITY"):
        _add_definition(draft, definition)
    return draft.parts()


def _add_variable(draft: NetworkDraft[Place], variable: XmlElement) -> None:
    kind = variable.attributes.get("TYPE", "nature")
    if kind != "nature":
        draft.source.refuse(variable.place, f"a VARIABLE must be nature; got {shortened(kind)}")
    name = variable.first("NAME")
    if name is None or not name.text.strip():
        draft.source.refuse(variable.place, "a VARIABLE without a NAME")
    states = [outcome.text.strip() for outcome in variable.all("OUTCOME", "VALUE")]
    position = draft.add_variable(name.text.strip(), states, variable.place)
    for note in variable.all("PROPERTY"):
        if note.text.startswith(NOTE_MARK):
            draft.add_note(position, note.text.removeprefix(NOTE_MARK), note.place)


def _add_definition(draft: NetworkDraft[Place], definition: XmlElement) -> None:
    children = [*definition.all("FOR")]
    table = definition.first("TABLE")
    if len(children) != 1 or table is None:
        draft.source.refuse(definition.place, "a DEFINITION must have one FOR and a TABLE")
    child, *parents = (
        draft.position(named.text.strip(), named.place)
        for named in [*children, *definition.all("GIVEN")]
    )
    draft.set_parents(child, parents, definition.place)
    numbers = array("d")
    append_element_numbers(draft.source, table, numbers)
    draft.set_numbers(child, numbers, table.place)


def write_xmlbif(parts: NetworkParts) -> Iterator[str]:
    """Yield the text of a network that has probabilities."""
    labels = written_labels(parts.variables, parts.states or (), RULE)
    yield _HEADER
    for name, states, note in zip(labels.names, labels.states, labels.notes, strict=True):
        yield f'<VARIABLE TYPE="nature">\n{element("NAME", name)}\n'
        yield "".join(f"{element('OUTCOME', state)}\n" for state in states)
        if note is not None:
            yield f"{element('PROPERTY', NOTE_MARK + note)}\n"
        yield "</VARIABLE>\n"
    for child, parents in enumerate(parts.parent_positions()):
        yield f"<DEFINITION>\n{element('FOR', labels.names[child])}\n"
        yield "".join(f"{element('GIVEN', labels.names[parent])}\n" for parent in parents)
        yield "<TABLE>"
        for row in (parts.cpts or ())[child]:
            yield f"{' '.join(map(repr, row.tolist()))}\n"
        yield "</TABLE>\n</DEFINITION>\n"
    yield "</NETWORK>\n</BIF>\n"
