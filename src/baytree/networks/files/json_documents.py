"""JSON documents: bounded in memory, checked against a schema. Errors name the line and column."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from baytree.exceptions import UnknownVariableError
from baytree.messages.quoting import pluralize, shortened
from baytree.networks.files.file_contents import TextSource
from baytree.runtime.atomic_files import replaced_file

# Occurrences of a character in a text; lists and strings take far more memory than their text.
MAX_COUNTS = {"[": 2**22, "{": 2**22, '"': 2**24, ",": 2**25}
MAX_DEPTH = 32
MAX_CHARACTERS = 2**22  # a walk takes seconds at most; errors in longer texts have no place
MIXTURE_FORMAT = "baytree mixture"
_READERS = {
    "baytree network": ": it is a network. Read it with BayesianNetwork.read",
    MIXTURE_FORMAT: ": it is a mixture. Read it with NetworkMixture.read",
    "baytree imputer": ": it is an imputer. Read it with BayesianNetworkImputer.read, or give "
    "it to baytree impute --imputer",
}
_SPACE = re.compile(r"[ \t\n\r]*+")


@dataclass(frozen=True)
class Value:
    """Schema of a single value; `expected` ends the sentence "it must be ..."."""

    expected: str
    is_valid: Callable[[Any], object]


@dataclass(frozen=True)
class ListOf:
    """Schema of a list."""

    item: Schema
    min_length: int = 0
    max_length: float = math.inf


@dataclass(frozen=True)
class ObjectOf:
    """Schema of an object, which has no other keys than those of `fields`."""

    described: str
    fields: Mapping[str, Schema]
    optional: Set[str] = frozenset()
    format: str = ""
    oldest_version: int = 0


@dataclass(frozen=True)
class OrNull:
    """Schema of a value that may be null."""

    schema: Schema


Schema: TypeAlias = Value | ListOf | ObjectOf | OrNull


def number_within(low: float, high: float, expected: str = "") -> Value:
    """Return the schema of a number within bounds."""
    return Value(
        expected or f"a number from {low:g} to {high:g}",
        lambda number: type(number) in (int, float) and low <= number <= high,
    )


def integer_within(low: int, high: int) -> Value:
    """Return the schema of an integer within bounds."""
    return Value(
        f"an integer from {low} to {high}",
        lambda number: type(number) is int and low <= number <= high,
    )


def document_of(
    described: str, name: str, versions: range, fields: Mapping[str, Schema]
) -> ObjectOf:
    """Return the schema of a document, which begins with its format and version."""
    expected = f"{versions[-1]}, which this baytree reads (update baytree to read a newer one)"
    is_version = Value(expected, lambda value: type(value) is int and value in versions)
    fields = {"format": TEXT, "version": is_version, **fields}
    return ObjectOf(described, fields, format=name, oldest_version=versions[0])


NUMBER = number_within(-sys.float_info.max, sys.float_info.max, "a finite number")
POSITION = Value("an integer of at least 0", lambda value: type(value) is int and value >= 0)
TRUTH = Value("true or false", lambda value: isinstance(value, bool))
TEXT = Value("text", lambda value: isinstance(value, str))


@dataclass(frozen=True)
class JsonPart:
    """A value in a document, or the whole document; `path` has the keys and positions to it."""

    source: TextSource
    value: Any
    path: tuple[str | int, ...] = ()

    def __getitem__(self, key: str | int) -> JsonPart:
        """Return the member of an object or the item of a list."""
        return JsonPart(self.source, self.value[key], (*self.path, key))

    def __iter__(self) -> Iterator[JsonPart]:
        """Yield the items of a list."""
        return (self[position] for position in range(len(self.value)))

    def refuse(self, problem: str) -> NoReturn:
        """Raise an error with the place of the value."""
        place = _place_of(self.source.text, self.path) if self.path else None
        self.source.refuse(place, problem)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Add the place of the value to errors about it."""
        try:
            yield
        except (TypeError, ValueError, UnknownVariableError) as error:
            self.refuse(str(error).removesuffix("."))

    def check(self, schema: Schema) -> None:
        """Refuse a value that does not have its schema."""
        match schema:
            case OrNull():
                if self.value is not None:
                    self.check(schema.schema)
            case Value():
                if not schema.is_valid(self.value):
                    self._expect(schema.expected)
            case ListOf():
                self._check_list(schema)
            case ObjectOf():
                self._check_object(schema)

    def _check_list(self, schema: ListOf) -> None:
        low, item = schema.min_length, schema.item
        if not isinstance(self.value, list) or not low <= len(self.value) <= schema.max_length:
            least = "" if low == schema.max_length else "at least "
            self._expect(f"a list of {least}{pluralize(low, 'item')}" if low else "a list")
        if not isinstance(item, Value) or not all(map(item.is_valid, self.value)):  # fast
            for part in self:
                part.check(item)

    def _check_object(self, schema: ObjectOf) -> None:
        is_object, keys = isinstance(self.value, dict), ", ".join(schema.fields)
        if schema.format:
            self._check_format(schema)
        if not is_object:
            self._expect("an object")
        for key, field in schema.fields.items():
            if key in self.value:
                self[key].check(field)
        for key in self.value:
            if key not in schema.fields:
                self[key].refuse(
                    f"{shortened(key)} is no part of {schema.described}, which has {keys}. Take it "
                    "out, or update baytree if a newer one wrote it"
                )
        for key in schema.fields:
            if key not in self.value and key not in schema.optional:
                self.refuse(f"{schema.described} must have {keys}; {key} is missing")

    def _check_format(self, schema: ObjectOf) -> None:
        """Refuse another kind of document, and those of older versions."""
        head = self.value if isinstance(self.value, dict) else {}
        given, version = head.get("format"), head.get("version")
        if given != schema.format:
            hint = _READERS.get(given, "") if isinstance(given, str) else ""
            expected = f'with "format": "{schema.format}"'
            self.refuse(f"not {schema.described} of baytree, {expected}{hint}")
        if type(version) is int and version < schema.oldest_version:
            self["version"].refuse(
                f"an older baytree wrote it, in version {version}; this one reads version "
                f"{schema.oldest_version} and later. Learn it again and write it anew"
            )

    def _expect(self, expected: str) -> NoReturn:
        keys = [f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path]
        name = "".join(keys).removeprefix(".") or "the document"
        self.refuse(f"{name} must be {expected}; got {shortened(self.value)}")


def read_document(source: TextSource, schema: ObjectOf) -> JsonPart:
    """Return the document in a text.

    Raises
    ------
    FileFormatError
        If the text is not valid JSON or does not have the schema; if an object has a key twice, a
        number is NaN, or there are more items than fit in memory.
    """
    if (problem := excess(source.text)) is not None:
        source.refuse(None, f"{problem}, too many for {schema.described}")
    try:
        document = JsonPart(source, json.loads(source.text, **_HOOKS))
    except json.JSONDecodeError as error:
        source.refuse(error.pos, error.msg)
    except _InvalidValueError as error:
        source.refuse(_place_of_failure(source.text), str(error))
    except RecursionError:
        problem = f"lists inside lists, too deep to be {schema.described}"
        source.refuse(_place_of_failure(source.text), problem)
    document.check(schema)
    return document


def excess(text: str) -> str | None:
    """Return the description of too many items in a text, or None."""
    for character, most in MAX_COUNTS.items():
        if text.count(character) > most:
            return f"more than {most:,} times {character}"
    return None


class _InvalidValueError(ValueError):
    """A value that Python accepts in JSON, and baytree does not."""


def _parse_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    contents: dict[str, Any] = {}
    for key, value in pairs:
        if key in contents:
            raise _InvalidValueError(f"an object has {shortened(key)} twice")
        contents[key] = value
    return contents


def _parse_integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python reads some thousands of digits
        raise _InvalidValueError(f"a number of {len(digits):,} digits, too long to read") from None


def _refuse_constant(word: str) -> NoReturn:
    raise _InvalidValueError(f"{word} is not a number")


_HOOKS: dict[str, Any] = {
    "parse_constant": _refuse_constant,
    "parse_int": _parse_integer,
    "object_pairs_hook": _parse_object,
}
_DECODER = json.JSONDecoder(**_HOOKS)


def _place_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """Return the place of a value in a valid text; of a member of an object, that of its key."""
    if len(text) > MAX_CHARACTERS:
        return None
    start = value = _skip_space(text, 0)
    for key in path:
        start, value = next(places for name, *places in _members(text, value) if name == key)
    return start


def _place_of_failure(text: str) -> int | None:
    """Return the place of the innermost value that cannot be read, or is too deep."""
    if len(text) > MAX_CHARACTERS:
        return None
    place = _skip_space(text, 0)
    for _ in range(MAX_DEPTH + 1):
        seen: set[str | int] = set()
        for key, start, value in _members(text, place):
            try:
                _DECODER.raw_decode(text, value)
            except (RecursionError, ValueError):
                place = value
                break
            if key in seen:
                return start
            seen.add(key)
        else:
            break
    return place


def _members(text: str, place: int) -> Iterator[tuple[str | int, int, int]]:
    """Yield the key of each member of a container, the place of the key and that of the value."""
    closing = {"[": "]", "{": "}"}.get(text[place])
    if closing is None:
        return
    place = _skip_space(text, place + 1)
    number = 0
    while text[place] != closing:
        start, key = place, number
        if closing == "}":
            key, place = _DECODER.raw_decode(text, place)
            place = _skip_space(text, _skip_space(text, place) + 1)
        yield key, start, place
        place = _skip_space(text, _DECODER.raw_decode(text, place)[1])
        if text[place] == ",":
            place = _skip_space(text, place + 1)
        number += 1


def _skip_space(text: str, place: int) -> int:
    space = _SPACE.match(text, place)
    return place if space is None else space.end()


def document_text(contents: Mapping[str, object]) -> Iterator[str]:
    """Yield the text of an object, with one line per item of a list, for version control."""
    opening = "{\n"
    for key, value in contents.items():
        yield f"{opening} {json.dumps(key)}: "
        opening = ",\n"
        if not isinstance(value, list) or not value:
            yield json.dumps(value, allow_nan=False)
            continue
        for position, item in enumerate(value):
            yield f"{',' if position else '['}\n  {json.dumps(item, allow_nan=False)}"
        yield "\n ]"
    yield "\n}\n"


def write_document(
    path: str | os.PathLike[str],
    contents: Mapping[str, object],
    *,
    subject: str,
    remedy: str,
    max_bytes: int,
) -> None:
    """Write an object, and replace a file of that name; refuse what is not read back."""
    text = "".join(document_text(contents))  # ASCII alone: a character is a byte
    if len(text) > max_bytes or excess(text) is not None:
        raise ValueError(
            f"{path}: {subject} takes {len(text):,} bytes of text, more than are read back. "
            f"{remedy}"
        )
    with replaced_file(path) as stream:
        stream.write(text.encode())
