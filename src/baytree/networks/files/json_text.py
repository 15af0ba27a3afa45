"""JSON from files of others: bounded in memory, without anything that Python would pass over."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from baytree.messages.quoting import shortened
from baytree.networks.files.file_contents import TextSource
from baytree.networks.files.json_places import place_of_depth, place_of_second, place_of_word

# How often a character may come; lists and text take far more memory than they take in a file.
MAX_COUNTS = {"[": 2**22, "{": 2**22, '"': 2**24, ",": 2**25}


def read_json(source: TextSource, described: str) -> Any:
    """Return what a file spells; `described` is what it should hold, such as "a network".

    Raises
    ------
    FileFormatError
        If the text is no JSON, has more items than fit in memory, a key twice in an object, a
        number without end, or NaN.
    """
    return _JsonText(source, described).contents()


def excess(text: str) -> str | None:
    """Return what a text has too much of to be read, or None."""
    for character, most in MAX_COUNTS.items():
        if text.count(character) > most:
            return f"more than {most:,} times {character}"
    return None


class _JsonText:
    """A text on its way to objects; errors name its file."""

    def __init__(self, source: TextSource, described: str) -> None:
        self.source = source
        self.described = described

    def contents(self) -> Any:
        if (problem := excess(self.source.text)) is not None:
            self.source.refuse(None, f"{problem}, too many for {self.described}")
        try:
            return json.loads(
                self.source.text,
                parse_constant=self.refuse_constant,
                parse_int=self.integer,
                object_pairs_hook=self.object,
            )
        except json.JSONDecodeError as error:
            self.source.refuse(error.pos, error.msg)
        except RecursionError:
            problem = f"lists inside lists, too deep to be {self.described}"
            self.source.refuse(place_of_depth(self.source.text), problem)

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        contents: dict[str, Any] = {}
        for key, value in pairs:
            if key in contents:
                place = place_of_second(self.source.text, key)
                self.source.refuse(place, f"an object has {shortened(key)} twice")
            contents[key] = value
        return contents

    def integer(self, digits: str) -> int:
        try:
            return int(digits)
        except ValueError:  # Python reads some thousands of digits
            problem = f"a number of {len(digits):,} digits, too long for {self.described}"
            self.source.refuse(place_of_word(self.source.text, digits), problem)

    def refuse_constant(self, word: str) -> NoReturn:
        self.source.refuse(place_of_word(self.source.text, word), f"{word} is not a number")
