"""Numbers that an XML element holds."""

from __future__ import annotations

from array import array

from baytree.messages.quoting import shortened
from baytree.networks.files.network_draft import Source
from baytree.networks.files.number_lists import NotANumberError, append_numbers
from baytree.networks.files.xml_elements import Place, XmlElement


def element_numbers(source: Source[Place], element: XmlElement, numbers: array[float]) -> None:
    """Append the numbers of an element; an error has the line of the word that is none."""
    text = element.text
    try:
        append_numbers(numbers, text)
    except NotANumberError as error:
        n_breaks = text.count("\n", 0, error.place)
        column = error.place - text.rfind("\n", 0, error.place) if n_breaks else element.place[1]
        place = (element.place[0] + n_breaks, column)
        source.refuse(place, f"{shortened(error.word)} is not a number")
