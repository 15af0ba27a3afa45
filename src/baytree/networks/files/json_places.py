"""Where things stand in the text of a JSON file; looked for only once an error needs to say it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

JsonPath: TypeAlias = tuple[str | int, ...]  # keys and positions, from the outermost value inwards

MAX_DEPTH = 32
MAX_CHARACTERS = 2**22  # a walk takes some seconds at most; in longer texts no place is found
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)


class _Step(NamedTuple):
    """A key or the start of a value; `path` goes on changing with the walk."""

    place: int
    text: str
    path: list[str | int]
    is_key: bool


def place_of(text: str, *path: str | int) -> int | None:
    """Return where a member of an object or an item of a list starts.

    Examples
    --------
    >>> place_of('{"a": [1, {"b": 2}]}', "a", 1)
    10
    """
    wanted = list(path)
    return next((step.place for step in _steps(text) if step.path == wanted), None)


def place_of_word(text: str, word: str) -> int | None:
    """Return where a value that starts like this stands for the first time, outside of quotes."""
    return next((step.place for step in _steps(text) if step.text.startswith(word)), None)


def place_of_second(text: str, key: str) -> int | None:
    """Return where an object has a key for the second time."""
    is_seen: list[bool] = []  # in the objects around the step, the outermost first
    for step in _steps(text):
        depth = len(step.path)
        del is_seen[depth:]
        is_seen += [False] * (depth - len(is_seen))
        if step.is_key and step.path[-1] == key:
            if is_seen[depth - 1]:
                return step.place
            is_seen[depth - 1] = True
    return None


def place_of_depth(text: str) -> int | None:
    """Return where the first value stands that is more than `MAX_DEPTH` deep."""
    return next((step.place for step in _steps(text) if len(step.path) > MAX_DEPTH), None)


def _steps(text: str) -> Iterator[_Step]:
    """Yield keys and values in the order of the text, up to where it is no JSON or too deep."""
    path: list[str | int] = []
    is_key = False
    if len(text) > MAX_CHARACTERS:
        return
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "]},:" and not path:
            return
        if mark in "]}":
            path.pop()
        elif mark == ",":
            is_key = isinstance(path[-1], str)
            path[-1] = path[-1] if isinstance(path[-1], str) else path[-1] + 1
        elif mark != ":":
            if is_key:
                path[-1] = _key(mark)
            yield _Step(token.start(), mark, path, is_key)
            is_key = mark == "{"
            if mark in "[{":
                path.append("" if is_key else 0)
            if len(path) > MAX_DEPTH + 1:
                return


def _key(mark: str) -> str:
    if "\\" not in mark:
        return mark.strip('"')  # a decoder takes far longer
    try:
        return str(json.loads(mark))
    except ValueError:
        return mark
