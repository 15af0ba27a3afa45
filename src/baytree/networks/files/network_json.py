"""Networks as JSON, without any loss: probabilities and the tree decomposition included."""

from __future__ import annotations

import json
import sys
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from baytree.messages.arguments import is_integer
from baytree.messages.quoting import shortened
from baytree.messages.suggestions import among
from baytree.networks.arcs import check_acyclic
from baytree.networks.cpts import Cpt, States, checked_cpt
from baytree.networks.files.file_contents import TextSource
from baytree.networks.files.file_labels import Label, has_doubles, is_label, to_json_labels
from baytree.networks.files.json_places import JsonPath, place_of
from baytree.networks.files.json_text import read_json
from baytree.networks.files.network_draft import NetworkParts
from baytree.tables.bins import Bins

FORMAT = "baytree network"
# 2 has probabilities, 3 the bins of numbers. What a network does not have is left out, and the
# version is the lowest that holds the rest, for older readers.
VERSIONS = (1, 2, 3)
# All of them: a reader that passed over an unknown key would give back less than was written. What
# adds a key raises the version.
KEYS = ("format", "version", "score", "variables", "arcs", "bags", "bag_edges")
VARIABLE_KEYS = ("name", "states", "probabilities", "edges", "medians")
MAX_SCORE = sys.float_info.max  # in size: infinity is not written


def write_network_json(parts: NetworkParts) -> Iterator[str]:
    """Yield the text of a network; labels that JSON cannot hold are written as their text."""
    names = to_json_labels(parts.variables, "variables")
    name_of = dict(zip(parts.variables, names, strict=True))
    variables: list[dict[str, object]] = [{"name": name} for name in names]
    for position, entry in enumerate(variables):
        if parts.states is not None:
            entry["states"] = to_json_labels(parts.states[position], f"states of {entry['name']!r}")
        if parts.cpts is not None:
            entry["probabilities"] = parts.cpts[position].ravel().tolist()
        if position in parts.bins:
            entry["edges"] = list(parts.bins[position].edges)
            entry["medians"] = list(parts.bins[position].medians)
    contents: dict[str, object] = {
        "format": FORMAT,
        "version": 3 if parts.bins else 1 if parts.cpts is None else 2,
        "score": parts.score,
        "variables": variables,
        "arcs": [[name_of[parent], name_of[child]] for parent, child in parts.arcs],
        "bags": [[name_of[variable] for variable in bag] for bag in parts.bags or ()],
        "bag_edges": [list(edge) for edge in parts.edges],
    }
    return _spelled(contents)


def _spelled(contents: dict[str, object]) -> Iterator[str]:
    """Yield JSON with one item of a list a line, for people and for version control."""
    opening = "{\n"
    for key, value in contents.items():
        yield f"{opening} {json.dumps(key)}: "
        opening = ",\n"
        if not isinstance(value, list) or not value:
            yield json.dumps(value)
            continue
        for position, item in enumerate(value):
            yield f"{',' if position else '['}\n  {json.dumps(item)}"
        yield "\n ]"
    yield "\n}\n"


def read_network_json(source: TextSource) -> NetworkParts:
    """Return what a file holds, in the types that a network takes."""
    return _Reader(source).parts()


class _Reader:
    """A file on its way to parts; errors name it, and the place of what is being read (`at`)."""

    def __init__(self, source: TextSource) -> None:
        self.source = source
        self.at: JsonPath = ()

    def parts(self) -> NetworkParts:
        contents = self.contents()
        self.check_keys(contents, KEYS, "a network")
        entries = self.items(contents, "variables", dict, "objects")
        if not entries:
            self.refuse("a network has at least one variable", "variables")
        for entry in self.each(entries, "variables"):
            self.check_keys(entry, VARIABLE_KEYS, "a variable")
        names = self.names(entries)
        states = self.states(entries)
        arcs = self.arcs(contents, names)
        parents = self.parents(names, arcs)
        known = set(names)
        bags = self.lists(contents, "bags")
        edges = self.lists(contents, "bag_edges")
        return NetworkParts(
            variables=names,
            states=states,
            arcs=arcs,
            cpts=self.cpts(entries, names, parents),
            bags=[self.members(bag, known) for bag in self.each(bags, "bags")],
            edges=[self.edge(edge, len(bags)) for edge in self.each(edges, "bag_edges")],
            score=self.score(contents.get("score")),
            bins={
                position: self.bins(entry)
                for position, entry in enumerate(self.each(entries, "variables"))
                if "edges" in entry or "medians" in entry
            },
        )

    def each(self, items: list[Any], key: str) -> Iterator[Any]:
        """Yield the items of an outermost list; errors meanwhile name the place of the item."""
        for position, item in enumerate(items):
            self.at = (key, position)
            yield item
        self.at = ()

    def names(self, entries: list[Any]) -> list[Label]:
        names: dict[Label, None] = {}
        for entry in self.each(entries, "variables"):
            (name,) = self.labels([entry.get("name")], "a name")
            if name in names:
                self.refuse(f"variables names {shortened(name)} twice")
            names[name] = None
        return list(names)

    def states(self, entries: list[Any]) -> list[list[Label]] | None:
        if not any(entry.get("states") for entry in entries):
            return None
        states = []
        for entry in self.each(entries, "variables"):
            labels = entry.get("states")
            if not isinstance(labels, list) or not labels:
                self.refuse('"variables" must all have a list of "states", or none of them')
            states.append(self.labels(labels, "a state"))
            if has_doubles(states[-1]):
                self.refuse(f"variable {shortened(entry['name'])} has a state twice")
        return states

    def contents(self) -> dict[str, Any]:
        """Return the outermost object of a file that is ours and of a version we know."""
        contents = read_json(self.source, "a network")
        if not isinstance(contents, dict) or contents.get("format") != FORMAT:
            self.refuse(f'not a network of baytree, which has "format": "{FORMAT}"')
        if contents.get("version") not in VERSIONS or isinstance(contents["version"], bool):
            self.refuse(
                f"version {shortened(contents.get('version'))} of the format; this baytree reads "
                f"versions {VERSIONS[0]} to {VERSIONS[-1]}. Update baytree",
                "version",
            )
        return contents

    def parents(self, names: list[Label], arcs: list[tuple[Label, Label]]) -> list[list[int]]:
        """Return the positions of each variable's parents, in the order of the variables."""
        positions = {name: position for position, name in enumerate(names)}
        parents: list[list[int]] = [[] for _ in names]
        for parent, child in sorted(arcs, key=lambda arc: positions[arc[0]]):
            parents[positions[child]].append(positions[parent])
        try:
            check_acyclic(names, parents, "arcs")
        except ValueError as error:
            self.refuse(str(error).removesuffix("."), "arcs")
        return parents

    def cpts(
        self, entries: list[Any], names: list[Label], parents: list[list[int]]
    ) -> list[Cpt] | None:
        """Return a table for every variable, or None if no variable has one."""
        if not any(entry.get("probabilities") for entry in entries):
            return None
        states: dict[Hashable, Any] = {
            name: entry.get("states") for name, entry in zip(names, entries, strict=True)
        }
        cpts = []
        for entry, positions in zip(self.each(entries, "variables"), parents, strict=True):
            cpts.append(self.listed_cpt(entry))
            self.check_cpt(cpts[-1], entry["name"], [names[i] for i in positions], states)
        return cpts

    def listed_cpt(self, entry: dict[str, Any]) -> Cpt:
        """Return the probabilities of a variable, a row for each list of its states."""
        numbers, states = entry.get("probabilities"), entry.get("states")
        described = f'"probabilities" of {shortened(entry["name"])}'
        if not isinstance(numbers, list):
            self.refuse('"variables" must all have lists of "probabilities", or none of them')
        if not states:
            self.refuse(f'{described} need its "states"')
        if not all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in numbers):
            self.refuse(f"{described} must be numbers")
        if not numbers or len(numbers) % len(states):
            self.refuse(f"{described} are {len(numbers):,} numbers for {len(states):,} states")
        return self.table(numbers).reshape(-1, len(states))

    def check_cpt(self, cpt: Cpt, name: Label, parents: Sequence[Label], states: States) -> None:
        try:
            checked_cpt(name, parents, states, cpt)
        except ValueError as error:
            self.refuse(str(error).removesuffix("."))

    def bins(self, entry: dict[str, Any]) -> Bins:
        """Return the bins of a variable, whose names must be its states."""
        edges, medians = (
            self.numbers(entry.get(key), f'"{key}" of {shortened(entry["name"])}')
            for key in ("edges", "medians")
        )
        is_rising = all(a <= b for a, b in pairwise(edges))
        if not medians or len(edges) != len(medians) + 1 or not is_rising:
            self.refuse(f'"edges" of {shortened(entry["name"])} must rise, one more than "medians"')
        found = Bins(tuple(edges), tuple(medians))
        if list(found.labels) != entry.get("states"):
            self.refuse(f'"edges" of {shortened(entry["name"])} do not make its states')
        return found

    def numbers(self, items: Any, described: str) -> list[float]:
        if not isinstance(items, list) or not all(
            isinstance(item, (int, float)) and not isinstance(item, bool) for item in items
        ):
            self.refuse(f"{described} must be a list of numbers; got {shortened(items)}")
        return [float(number) for number in self.table(items)]

    def table(self, numbers: list[float]) -> Cpt:
        try:
            return np.array(numbers, dtype=np.float64)
        except OverflowError:
            self.refuse("a number that is too large")

    def score(self, value: Any) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > MAX_SCORE:
            self.refuse(f'"score" must be a number or null; got {shortened(value)}', "score")
        return float(value)

    def arcs(self, contents: dict[str, Any], names: list[Label]) -> list[tuple[Label, Label]]:
        known = set(names)
        arcs: dict[tuple[Label, Label], None] = {}
        for items in self.each(self.lists(contents, "arcs"), "arcs"):
            arc = self.pair(items, "an arc")
            if arc in arcs:
                ends = f"from {shortened(arc[0])} to {shortened(arc[1])}"
                self.refuse(f"the arc {ends} is there twice")
            if arc[0] == arc[1]:
                self.refuse(f"arcs has an arc from {shortened(arc[0])} to itself")
            for name in arc:
                if name not in known:
                    problem = f"arcs names {shortened(name)}, which is not a variable "
                    self.refuse((problem + among(name, names)).removesuffix("."))
            arcs[arc] = None
        return list(arcs)

    def members(self, bag: list[Any], known: set[Label]) -> list[Label]:
        """Return the variables of a bag."""
        members = self.labels(bag, "a member of a bag")
        stranger = next((member for member in members if member not in known), None)
        if stranger is not None:
            self.refuse(f"a bag holds {shortened(stranger)}, which is no variable")
        if len(set(members)) < len(members):
            self.refuse("a bag holds a variable twice")
        return members

    def lists(self, contents: dict[str, Any], key: str) -> list[Any]:
        return self.items(contents, key, list, "lists")

    def items(self, contents: dict[str, Any], key: str, kind: type, kinds: str) -> list[Any]:
        items = contents.get(key)
        if not isinstance(items, list) or not all(isinstance(item, kind) for item in items):
            self.refuse(f'"{key}" must be a list of {kinds}', key)
        return items

    def labels(self, items: Any, described: str) -> list[Label]:
        for item in items:
            if not is_label(item):
                wanted = "whole characters" if isinstance(item, str) else "text or a finite number"
                self.refuse(f"{described} must be {wanted}; got {shortened(item)}")
        return list(items)

    def pair(self, items: list[Any], described: str) -> tuple[Label, Label]:
        if len(items) != 2:
            self.refuse(f"{described} must be a pair; got {shortened(items)}")
        first, second = self.labels(items, f"an end of {described}")
        return first, second

    def edge(self, items: list[Any], n_bags: int) -> tuple[int, int]:
        first, second = self.pair(items, "a bag edge")
        known = range(n_bags)
        if not (is_integer(first) and is_integer(second) and first in known and second in known):
            self.refuse(
                "a bag edge must be two integers from 0 on, below the number of bags "
                f"({n_bags:,}); got {shortened(items)}"
            )
        return first, second

    def check_keys(self, contents: dict[str, Any], known: Sequence[str], described: str) -> None:
        for key in contents:
            if key not in known:
                self.refuse(
                    f"{shortened(key)} is no part of {described}, which has "
                    f"{', '.join(known)}. Take it out, or update baytree if a newer one wrote it",
                    key,
                )

    def refuse(self, problem: str, *within: str) -> NoReturn:
        """Raise the error, with the place of what is being read or of a part of it."""
        path = (*self.at, *within)
        self.source.refuse(place_of(self.source.text, *path) if path else None, problem)
