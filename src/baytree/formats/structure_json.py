"""Structures of networks as JSON: variables, states, arcs and the tree decomposition."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np

from baytree._arguments import is_integer, shortened
from baytree._atomic_files import replaced_file
from baytree.exceptions import FileFormatError
from baytree.formats.compressed_files import BROKEN_DATA, open_compressed
from baytree.formats.network_endings import check_ending

Label: TypeAlias = str | int | float | bool

FORMAT = "baytree network"
VERSION = 1
# All of them: a reader that passed over an unknown key would give back less than was written. What
# adds a key raises the version.
KEYS = ("format", "version", "score", "variables", "arcs", "bags", "bag_edges")
VARIABLE_KEYS = ("name", "states")
# Of text. 10,000 variables of treewidth 8 take some 1,200,000; hostile lists take 20 times as much
# memory as text.
MAX_BYTES = 2**26
MAX_SCORE = sys.float_info.max  # in size: infinity is not written


@dataclass(frozen=True)
class StructureParts:
    """What a file holds; whether it makes sense is for the network to say."""

    variables: Sequence[Hashable]
    states: Sequence[Sequence[Hashable]] | None
    arcs: Sequence[tuple[Hashable, Hashable]]
    bags: Sequence[Sequence[Hashable]]
    edges: Sequence[tuple[int, int]]
    score: float | None


def write_structure(path: str | os.PathLike[str], parts: StructureParts) -> None:
    """Write a structure; names and states that JSON cannot hold are written as their text."""
    check_ending(path)
    names = _labels(parts.variables, "variables")
    name_of = dict(zip(parts.variables, names, strict=True))
    variables: list[dict[str, object]] = [{"name": name} for name in names]
    if parts.states is not None:
        for entry, states in zip(variables, parts.states, strict=True):
            entry["states"] = _labels(states, f"states of {entry['name']!r}")
    contents = {
        "format": FORMAT,
        "version": VERSION,
        "score": parts.score,
        "variables": variables,
        "arcs": [[name_of[parent], name_of[child]] for parent, child in parts.arcs],
        "bags": [[name_of[variable] for variable in bag] for bag in parts.bags],
        "bag_edges": [list(edge) for edge in parts.edges],
    }
    text = _spelled(contents).encode()
    if len(text) > MAX_BYTES:
        raise ValueError(
            f"{path}: the network takes {len(text):,} bytes, and more than {MAX_BYTES:,} are not "
            "read back. Use shorter names."
        )
    with replaced_file(path) as stream:
        stream.write(text)


def _spelled(contents: dict[str, object]) -> str:
    """Return JSON with one item of a list a line, for people and for version control."""
    entries = []
    for key, value in contents.items():
        text = json.dumps(value)
        if isinstance(value, list) and value:
            text = "[\n" + ",\n".join(f"  {json.dumps(item)}" for item in value) + "\n ]"
        entries.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _labels(labels: Iterable[Hashable], described: str) -> list[Label]:
    """Return labels as JSON can hold them."""
    label_of: dict[str, Hashable] = {}
    found: list[Label] = []
    for label in labels:
        plain = _plain(label)
        try:
            spelled = json.dumps(plain)
        except ValueError:  # thousands of digits
            raise ValueError(
                f"Among the {described} is {shortened(label)}, too long to write. Rename it."
            ) from None
        if spelled in label_of:
            raise ValueError(
                f"Among the {described}, {label_of[spelled]!r} and {label!r} would both be "
                f"{spelled} in the file. Rename one of them."
            )
        label_of[spelled] = label
        found.append(plain)
    return found


def _plain(label: Hashable) -> Label:
    # Other scalars of NumPy, such as dates, would turn into numbers.
    is_plain = isinstance(label, (np.bool_, np.integer, np.floating, np.str_))
    value: Any = cast(Any, label).item() if is_plain else label
    is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_number or isinstance(value, str) else str(value)


def read_structure(path: str | os.PathLike[str]) -> StructureParts:
    """Return what a file holds, in the types that a network takes."""
    check_ending(path)
    return _Reader(path).parts()


class _Reader:
    """A file on its way to parts; errors name it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path

    def parts(self) -> StructureParts:
        contents = self.contents()
        self.check_keys(contents, KEYS, "a network")
        entries = self.items(contents, "variables", dict, "objects")
        for entry in entries:
            self.check_keys(entry, VARIABLE_KEYS, "a variable")
        states = [entry.get("states") for entry in entries]
        if any(states) and not all(isinstance(labels, list) and labels for labels in states):
            self.refuse('"variables" must all have a list of "states", or none of them')
        return StructureParts(
            variables=self.labels([entry.get("name") for entry in entries], "a name"),
            states=[self.labels(labels, "a state") for labels in states] if any(states) else None,
            arcs=self.arcs(contents),
            bags=[self.labels(bag, "a member of a bag") for bag in self.lists(contents, "bags")],
            edges=[self.edge(edge) for edge in self.lists(contents, "bag_edges")],
            score=self.score(contents.get("score")),
        )

    def contents(self) -> dict[str, Any]:
        """Return the outermost object of a file that is ours and of a version we know."""
        try:
            contents = json.loads(
                self.text(),
                parse_constant=self.refuse_constant,
                parse_int=self.integer,
                object_pairs_hook=self.object,
            )
        except json.JSONDecodeError as error:
            raise FileFormatError(
                f"{self.path}, line {error.lineno}, column {error.colno}: {error.msg}."
            ) from None
        except RecursionError:
            self.refuse("lists inside lists, too deep to be a network")
        if not isinstance(contents, dict) or contents.get("format") != FORMAT:
            self.refuse(f'not a network of baytree, which has "format": "{FORMAT}"')
        if contents.get("version") != VERSION or isinstance(contents["version"], bool):
            self.refuse(
                f"version {shortened(contents.get('version'))} of the format; this baytree reads "
                f"version {VERSION}. Update baytree"
            )
        return contents

    def text(self) -> str:
        try:
            with open_compressed(Path(self.path)) as stream:
                data = stream.read(MAX_BYTES + 1)
        except BROKEN_DATA as error:
            self.refuse(f"the compressed data is broken ({error})")
        if len(data) > MAX_BYTES:
            self.refuse(f"more than {MAX_BYTES:,} bytes of text, too large for a network")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            self.refuse(f"byte {error.start:,} is not UTF-8")

    def lists(self, contents: dict[str, Any], key: str) -> list[Any]:
        return self.items(contents, key, list, "lists")

    def items(self, contents: dict[str, Any], key: str, kind: type, kinds: str) -> list[Any]:
        items = contents.get(key)
        if not isinstance(items, list) or not all(isinstance(item, kind) for item in items):
            self.refuse(f'"{key}" must be a list of {kinds}')
        return items

    def labels(self, items: Any, described: str) -> list[Label]:
        for item in items:
            if not isinstance(item, (str, int, float)):
                self.refuse(f"{described} must be text or a number; got {shortened(item)}")
        return list(items)

    def score(self, value: Any) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > MAX_SCORE:
            self.refuse(f'"score" must be a number or null; got {shortened(value)}')
        return float(value)

    def arcs(self, contents: dict[str, Any]) -> list[tuple[Label, Label]]:
        arcs = [self.pair(arc, "an arc") for arc in self.lists(contents, "arcs")]
        seen: set[tuple[Label, Label]] = set()
        for arc in arcs:
            if arc in seen:
                self.refuse(f"the arc from {arc[0]!r} to {arc[1]!r} is there twice")
            seen.add(arc)
        return arcs

    def pair(self, items: list[Any], described: str) -> tuple[Label, Label]:
        if len(items) != 2:
            self.refuse(f"{described} must be a pair; got {shortened(items)}")
        first, second = self.labels(items, f"an end of {described}")
        return first, second

    def edge(self, items: list[Any]) -> tuple[int, int]:
        first, second = self.pair(items, "a bag edge")
        if not (is_integer(first) and is_integer(second)):
            self.refuse(f"a bag edge must be two numbers of bags; got {shortened(items)}")
        return first, second

    def check_keys(self, contents: dict[str, Any], known: Sequence[str], described: str) -> None:
        for key in contents:
            if key not in known:
                self.refuse(
                    f"{shortened(key)} is no part of {described}, which has "
                    f"{', '.join(known)}. Take it out, or update baytree if a newer one wrote it"
                )

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        contents: dict[str, Any] = {}
        for key, value in pairs:
            if key in contents:
                self.refuse(f"an object has {shortened(key)} twice")
            contents[key] = value
        return contents

    def integer(self, digits: str) -> int:
        try:
            return int(digits)
        except ValueError:  # Python reads some thousands of digits
            self.refuse(f"a number of {len(digits):,} digits, too long for a network")

    def refuse_constant(self, word: str) -> NoReturn:
        self.refuse(f"{word} is not a number")

    def refuse(self, problem: str) -> NoReturn:
        raise FileFormatError(f"{self.path}: {problem}.") from None
