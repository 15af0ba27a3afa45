"""Imputers as JSON files: settings, states, networks and regressions. Reading runs no code."""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import NoneType
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from baytree.exceptions import UnknownVariableError
from baytree.imputation.imputed_tables import ImputerVariables
from baytree.imputation.learner_settings import SHARED_SETTINGS
from baytree.imputation.regressions import (
    MAX_WEIGHT,
    ModelWeights,
    RidgeMatrix,
    StateColumns,
    StateRegressions,
)
from baytree.learning.constraints import ArcConstraints, InitialNetwork, given_parents
from baytree.learning.em_settings import StructuralEM, check_em
from baytree.learning.learner import NetworkLearner
from baytree.messages.arguments import is_integer, is_number
from baytree.messages.file_names import check_imputer_suffix
from baytree.messages.quoting import shortened
from baytree.networks.arcs import Arc
from baytree.networks.decomposition import TreeDecomposition
from baytree.networks.files.file_contents import MAX_BYTES, TextSource
from baytree.networks.files.json_text import excess, read_json
from baytree.networks.network import BayesianNetwork
from baytree.runtime.atomic_files import replaced_file
from baytree.tables.bins import Bins
from baytree.tables.columns import label_key
from baytree.tables.containers.pandas_tables import PandasLayout
from baytree.tables.encoding import TableEncoding
from baytree.tables.missing_values import is_natural, missing_words
from baytree.tables.variable_encoding import VariableEncoding
from baytree.vocabulary import CRITERIA

FORMAT = "baytree imputer"
VERSION = 1
KEYS = {"format", "version", "settings", "variables", "learned", "incomplete", "has_names"}
KEYS |= {"chosen", "networks", "regressions"}
VARIABLE_KEYS = {"name", "states", "cells", "edges"}
FACTOR_BYTES = np.dtype("<f4")
REGRESSIONS_KEYS = {"means", "factor", "weights"}
NETWORK_KEYS = {"parents", "probabilities", "bags", "bag_edges", "score"}
CONSTRAINTS_KEYS = {"required", "forbidden", "tiers"}
LEARNER_KEYS = set(NetworkLearner().get_params(deep=False)) - set(SHARED_SETTINGS)


@dataclass(frozen=True, eq=False)
class ImputerParts:
    """Contents of a file."""

    settings: dict[str, Any]
    chosen: dict[str, Any]
    variables: ImputerVariables
    networks: Sequence[BayesianNetwork]
    regressions: StateRegressions | None
    has_names: bool


def write_imputer(path: str | os.PathLike[str], parts: ImputerParts) -> None:
    """Write an imputer; refuse states that JSON cannot represent."""
    check_imputer_suffix(path)
    contents = {
        "format": FORMAT,
        "version": VERSION,
        "settings": _settings(parts),
        "chosen": {name: _setting(name, value) for name, value in parts.chosen.items()},
        "variables": [_variable(own) for own in parts.variables.encoding.variable_encodings],
        "learned": parts.variables.known.tolist(),
        "incomplete": parts.variables.incomplete.tolist(),
        "has_names": parts.has_names,
        "networks": [_network(network) for network in parts.networks],
        "regressions": None if parts.regressions is None else _regressions(parts.regressions),
    }
    text = json.dumps(contents, allow_nan=False)  # ASCII alone: a character is a byte
    if len(text) > MAX_BYTES or excess(text) is not None:
        raise ValueError(
            f"{path}: the imputer takes {len(text):,} bytes of text, more than are read back. "
            "Learn a network of smaller treewidth, or without regressions."
        )
    with replaced_file(path) as stream:
        stream.write(text.encode())


def _setting(name: str, value: Any) -> Any:
    """Return a setting as JSON; a generator of random numbers is left out."""
    if name == "random_state" and not is_integer(value):
        return None
    if name == "missing_values" and is_natural(value):
        return None
    if name == "missing_values" and isinstance(value, (list, tuple)):
        return [_setting(name, each) for each in value]
    return _plain(value, f"The setting {name}")


def _settings(parts: ImputerParts) -> dict[str, Any]:
    settings = dict(parts.settings)
    learner = settings.pop("learner")
    plain = {name: _setting(name, value) for name, value in settings.items()}
    return plain | {"learner": learner and _learner(learner, parts.variables.names)}


def _learner(learner: NetworkLearner, variables: Sequence[Hashable]) -> dict[str, Any]:
    """Return the settings of a learner as JSON; of an initial network, the arcs."""
    settings = {name: getattr(learner, name) for name in LEARNER_KEYS}
    em, constraints = settings.pop("em"), settings.pop("constraints")
    initial = settings.pop("initial_network")
    return {
        **{name: _plain(value, f"The setting {name}") for name, value in settings.items()},
        "em": None if em is None else em.get_params(),
        "constraints": None if constraints is None else _constraints(constraints),
        "initial_network": None if initial is None else _given_arcs(initial, variables),
    }


def _given_arcs(initial: InitialNetwork, variables: Sequence[Hashable]) -> list[Any]:
    parents = given_parents(initial, variables, "initial_network")
    return _arcs(
        (variables[parent], variables[child])
        for child, members in enumerate(parents)
        for parent in sorted(members)
    )


def _constraints(constraints: ArcConstraints) -> dict[str, Any]:
    tiers = constraints.tiers
    return {
        "required": _arcs(constraints.required),
        "forbidden": _arcs(constraints.forbidden),
        "tiers": None if tiers is None else [_names(tier) for tier in tiers],
    }


def _arcs(arcs: Iterable[Iterable[Hashable]]) -> list[Any]:
    return [_names(arc) for arc in arcs]


def _names(names: Iterable[Hashable]) -> list[Any]:
    return [_plain(name, f"The name {name!r} of a variable") for name in names]


def _plain(value: Any, described: str) -> Any:
    """Return text, a number, a truth value or None as a Python object."""
    if isinstance(value, (np.bool_, np.integer, np.floating, np.str_)):
        value = value.item()
    is_number = isinstance(value, (int, float)) and math.isfinite(value)
    if value is None or is_number or isinstance(value, str):
        return value
    raise ValueError(
        f"{described} is {shortened(value)}, which a JSON file cannot hold: it holds text, finite "
        "numbers and truth values. Convert it before fit, or use pickle."
    )


def _variable(encoding: VariableEncoding) -> dict[str, Any]:
    name = encoding.name
    entry: dict[str, Any] = {"name": _plain(name, f"The name {name!r} of a variable")}
    described = f"A state of variable {name!r}"
    if encoding.bins is None:
        return entry | {"states": [_plain(state, described) for state in encoding.states]}
    cells = [_plain(cell, described) for cell in encoding.cell_labels]
    return entry | {"cells": cells, "edges": list(encoding.bins.edges)}


def _network(network: BayesianNetwork) -> dict[str, Any]:
    positions = network._positions
    decomposition = network.decomposition
    return {
        "parents": [list(parents) for parents in network._parent_positions],
        "probabilities": [cpt.ravel().tolist() for cpt in network._known_cpts()],
        "bags": [[positions[name] for name in bag] for bag in decomposition.bags],
        "bag_edges": [list(edge) for edge in decomposition.edges],
        "score": network.score,
    }


def _regressions(regressions: StateRegressions) -> dict[str, Any]:
    """Return regressions as JSON; the factor of the matrix as base64 of bytes."""
    matrix, weights = regressions.matrix, regressions.weights
    return {
        "means": matrix.means.tolist(),
        "factor": _as_base64(matrix.factor, FACTOR_BYTES),
        "weights": [weights.networks, weights.regressions],
    }


def _as_base64(array: npt.NDArray[Any], dtype: np.dtype[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=dtype).tobytes()).decode()


def read_imputer(path: str | os.PathLike[str], settings: Collection[str]) -> ImputerParts:
    """Read the contents of a file, which must have exactly the given settings."""
    check_imputer_suffix(path)
    return _Reader(TextSource(path, MAX_BYTES, "an imputer")).parts(settings)


class _Reader:
    """Checks of the contents of a file; errors name the file."""

    def __init__(self, source: TextSource) -> None:
        self.source = source

    def parts(self, settings: Collection[str]) -> ImputerParts:
        contents = self.contents()
        entries = self.items(contents, "variables", dict)
        encodings = tuple(self.variable(entry) for entry in entries)
        learned = self.positions(contents, "learned", len(encodings))
        known = self.settings(contents["settings"], settings)
        words = missing_words(known["missing_values"])
        encoding = TableEncoding(encodings, PandasLayout(), words)
        if len({label_key(name) for name in encoding.variables}) < len(encodings) or not learned:
            self.refuse("a name is there twice, or there are no variables to fill")
        networks = self.items(contents, "networks", dict)
        incomplete = self.positions(contents, "incomplete", len(encodings))
        variables = ImputerVariables(
            encoding, np.array(learned, dtype=np.intp), np.array(incomplete, dtype=np.intp)
        )
        of_networks = variables.known_encoding
        if not networks:
            self.refuse("there is no network")
        return ImputerParts(
            settings=known,
            chosen=self.chosen(contents["chosen"]),
            variables=variables,
            networks=[self.network(network, of_networks) for network in networks],
            regressions=self.regressions(contents["regressions"], of_networks),
            has_names=contents["has_names"] is True,
        )

    def contents(self) -> dict[str, Any]:
        contents = read_json(self.source, "an imputer")
        if not isinstance(contents, dict) or contents.get("format") != FORMAT:
            self.refuse(f'not an imputer of baytree, which has "format": "{FORMAT}"')
        if not is_integer(contents.get("version")) or contents["version"] != VERSION:
            self.refuse(
                f"version {shortened(contents.get('version'))} of the format; this baytree reads "
                f"version {VERSION}. Update baytree"
            )
        self.check_keys(contents, KEYS, "an imputer")
        return contents

    def settings(self, given: Any, known: Collection[str]) -> dict[str, Any]:
        if not isinstance(given, dict) or set(given) != set(known):
            self.refuse(f'"settings" must be {", ".join(known)}')
        learner = self.learner(given["learner"])
        for name, value in given.items():
            if name == "learner":
                continue
            is_list = name == "missing_values" and isinstance(value, list)
            values = value if is_list else [value]
            if not all(each is None or isinstance(each, (str, int, float)) for each in values):
                self.refuse(f"the setting {name} must be a single value; got {shortened(value)}")
        seed = given["random_state"]
        if seed is not None and not (is_integer(seed) and 0 <= seed < 2**32):
            self.refuse(f"the setting random_state must be a seed or null; got {shortened(seed)}")
        natural = {"missing_values": np.nan} if given["missing_values"] is None else {}
        return given | {"learner": learner} | natural

    def learner(self, given: Any) -> NetworkLearner | None:
        if given is None:
            return None
        self.check_object(given, LEARNER_KEYS, "learner")
        objects = {
            "em": self.em(given["em"]),
            "constraints": self.constraints(given["constraints"]),
            "initial_network": self.arcs(given["initial_network"], "initial_network"),
        }
        for name, value in given.items():
            if name not in objects and not isinstance(value, (str, int, float, NoneType)):
                self.refuse(f"the setting {name} must be a single value; got {shortened(value)}")
        return NetworkLearner(**given | objects)

    def em(self, given: Any) -> StructuralEM | None:
        if given is None:
            return None
        self.check_object(given, set(StructuralEM().get_params()), "em")
        try:
            return check_em(StructuralEM(**given))
        except (TypeError, ValueError) as error:
            self.refuse(str(error).rstrip("."))

    def constraints(self, given: Any) -> ArcConstraints | None:
        if given is None:
            return None
        self.check_object(given, CONSTRAINTS_KEYS, "constraints")
        tiers = given["tiers"]
        return ArcConstraints(
            required=self.arcs(given["required"], "required") or (),
            forbidden=self.arcs(given["forbidden"], "forbidden") or (),
            tiers=None if tiers is None else [self.names(tier) for tier in tiers],
        )

    def arcs(self, given: Any, key: str) -> list[Arc] | None:
        if given is None:
            return None
        if not isinstance(given, list) or not all(len(self.names(arc)) == 2 for arc in given):
            self.refuse(f'"{key}" must be a list of pairs of names')
        return [(parent, child) for parent, child in given]

    def names(self, given: Any) -> list[Hashable]:
        if not isinstance(given, list) or not all(isinstance(n, (str, int, float)) for n in given):
            self.refuse(f"{shortened(given)} must be a list of names")
        return list(given)

    def chosen(self, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict) or set(given) != {"criterion", "equivalent_sample_size"}:
            self.refuse('"chosen" must have a criterion and equivalent_sample_size')
        if given["criterion"] not in CRITERIA or not is_number(given["equivalent_sample_size"]):
            self.refuse(
                f'"chosen" must have a known criterion and a number; got {shortened(given)}'
            )
        return given

    def variable(self, entry: dict[str, Any]) -> VariableEncoding:
        if not set(entry) <= VARIABLE_KEYS or not isinstance(entry.get("name"), (str, int, float)):
            self.refuse(f"a variable must have a name, and states or bins; got {shortened(entry)}")
        name: Hashable = entry["name"]
        if "edges" in entry:
            return self.binned(name, self.numbers(entry, "edges"), self.numbers(entry, "cells"))
        states: Any = entry.get("states")
        if not isinstance(states, list) or not all(
            isinstance(s, (str, int, float)) for s in states
        ):
            self.refuse(f"variable {name!r} must have a list of states")
        if len({label_key(state) for state in states}) < len(states):
            self.refuse(f"variable {name!r} has a state twice")
        return VariableEncoding(name, None, tuple(states), tuple(states))

    def binned(self, name: Hashable, edges: list[float], cells: list[float]) -> VariableEncoding:
        is_rising = all(low <= high for low, high in pairwise(edges))
        if not is_rising or len(edges) != len(cells) + bool(edges):
            self.refuse(f"variable {name!r} must have rising edges, one more than cells")
        bins = Bins(tuple(map(float, edges)), tuple(map(float, cells)))
        return VariableEncoding(name, None, bins.labels, tuple(cells), bins)

    def network(self, entry: dict[str, Any], encoding: TableEncoding) -> BayesianNetwork:
        self.check_keys(entry, NETWORK_KEYS, "a network")
        names, arities = encoding.variables, encoding.arities
        parents = self.items(entry, "parents", list)
        tables = self.items(entry, "probabilities", list)
        if not len(parents) == len(tables) == len(names):
            self.refuse("a network must have parents and probabilities for each variable")
        arcs = [
            (names[parent], names[child])
            for child, members in enumerate(parents)
            for parent in self.within(members, names)
        ]
        decomposition = self.decomposition(entry, names)
        for name, table, arity in zip(names, tables, arities, strict=True):
            if len(table) % arity:
                self.refuse(
                    f"variable {name!r} has {len(table):,} probabilities, which is no multiple of "
                    f"its {arity:,} states"
                )
        try:
            return BayesianNetwork._from_encoding(
                encoding,
                arcs,
                cpts={
                    name: np.array(table, dtype=np.float64).reshape(-1, arity)
                    for name, table, arity in zip(names, tables, arities, strict=True)
                },
                decomposition=decomposition,
                score=entry["score"] if is_number(entry["score"]) else None,
            )
        except (TypeError, ValueError, OverflowError, UnknownVariableError) as error:
            self.refuse(str(error).rstrip("."))

    def regressions(self, entry: Any, encoding: TableEncoding) -> StateRegressions | None:
        if entry is None:
            return None
        self.check_object(entry, REGRESSIONS_KEYS, "regressions")
        columns = StateColumns(encoding.arities)
        means, weights = self.numbers(entry, "means"), self.numbers(entry, "weights")
        if len(means) != columns.n_columns or not all(0 <= mean <= 1 for mean in means):
            self.refuse(f'"means" must be {columns.n_columns:,} numbers between 0 and 1')
        if len(weights) != 2 or not all(0 <= weight <= MAX_WEIGHT for weight in weights):
            self.refuse(f'"weights" must be two numbers between 0 and {MAX_WEIGHT:g}')
        if weights[1] == 0:
            self.refuse('"weights" must give regressions more than 0; without them they are null')
        factor = self.base64_rows(entry["factor"], FACTOR_BYTES, len(means))
        if factor is None or not np.isfinite(factor).all():
            self.refuse('"factor" must be finite numbers for all columns as base64')
        matrix = RidgeMatrix(np.array(means, dtype=np.float64), factor)
        if not matrix.is_sound(columns):
            self.refuse('"factor" must be that of an inverse of sums of squares')
        return StateRegressions(encoding.arities, matrix, ModelWeights(*map(float, weights)))

    def base64_rows(
        self, text: Any, dtype: np.dtype[Any], n_columns: int
    ) -> npt.NDArray[Any] | None:
        """Return an array with a number of columns; None if the text is not one."""
        try:
            cells = base64.b64decode(text, validate=True)
            return np.frombuffer(cells, dtype=dtype).reshape(-1, max(n_columns, 1))
        except (TypeError, ValueError):
            return None

    def decomposition(self, entry: dict[str, Any], names: Sequence[Hashable]) -> TreeDecomposition:
        members = [self.within(bag, names) for bag in self.items(entry, "bags", list)]
        edges = [self.within(edge, members) for edge in self.items(entry, "bag_edges", list)]
        if any(len(edge) != 2 for edge in edges):
            self.refuse("an edge between bags must be a pair")
        return TreeDecomposition(
            tuple(tuple(names[position] for position in bag) for bag in members),
            tuple((first, second) for first, second in edges),
        )

    def positions(self, contents: dict[str, Any], key: str, n_variables: int) -> list[int]:
        found = self.within(contents[key], range(n_variables))
        if found != sorted(set(found)):
            self.refuse(f'"{key}" must be rising positions of variables')
        return found

    def within(self, items: Any, sequence: Sequence[Any]) -> list[int]:
        """Return items, which must be positions in a sequence."""
        is_list = isinstance(items, list) and all(is_integer(item) for item in items)
        if not is_list or not all(0 <= item < len(sequence) for item in items):
            self.refuse(f"{shortened(items)} must be positions below {len(sequence):,}")
        return list(items)

    def numbers(self, entry: dict[str, Any], key: str) -> list[float]:
        items: Any = entry.get(key)
        is_list = isinstance(items, list) and all(is_number(item) for item in items)
        if not is_list or not all(abs(item) < 1e308 for item in items):
            self.refuse(f'"{key}" must be a list of numbers')
        return list(items)

    def items(self, contents: dict[str, Any], key: str, kind: type) -> list[Any]:
        items = contents.get(key)
        if not isinstance(items, list) or not all(isinstance(item, kind) for item in items):
            self.refuse(f'"{key}" must be a list of {"objects" if kind is dict else "lists"}')
        return items

    def check_object(self, entry: Any, keys: set[str], name: str) -> None:
        if not isinstance(entry, dict):
            self.refuse(f'"{name}" must be null or an object')
        self.check_keys(entry, keys, name)

    def check_keys(self, entry: dict[str, Any], keys: set[str], described: str) -> None:
        if set(entry) != keys:
            self.refuse(f"{described} must have the keys {', '.join(sorted(keys))}")

    def refuse(self, problem: str) -> NoReturn:
        self.source.refuse(None, problem)
