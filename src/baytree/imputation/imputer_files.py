"""Imputers as JSON documents: settings, variables, networks and regressions. No code is run."""

from __future__ import annotations

import base64
import math
import os
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baytree.imputation.imputed_tables import ImputerVariables
from baytree.imputation.learner_settings import SHARED_SETTINGS
from baytree.imputation.missing_cells import Floats
from baytree.imputation.regressions import (
    MAX_STANDARDISED,
    MAX_WEIGHT,
    MIN_SPREAD,
    NO_NUMBERS,
    ModelWeights,
    NumberColumns,
    Regressions,
    RidgeMatrix,
    VariableColumns,
)
from baytree.learning.constraints import ArcConstraints, check_constraints, given_parents
from baytree.learning.em_settings import StructuralEM, check_em
from baytree.learning.learner import NetworkLearner
from baytree.messages.arguments import is_integer, quoted_words
from baytree.messages.file_names import check_imputer_suffix
from baytree.messages.quoting import shortened
from baytree.networks.files import json_documents as json
from baytree.networks.files import network_json
from baytree.networks.files.file_contents import MAX_BYTES, TextSource
from baytree.networks.files.file_labels import has_doubles
from baytree.networks.files.json_documents import JsonPart, ListOf, ObjectOf, OrNull, Value
from baytree.networks.network import BayesianNetwork
from baytree.runtime.settings import Settings
from baytree.tables.columns import is_missing_cell, label_key, to_python_scalar
from baytree.tables.containers.pandas_tables import PandasLayout
from baytree.tables.encoding import TableEncoding
from baytree.tables.missing_values import missing_words
from baytree.tables.variable_encoding import N_BINS, VariableEncoding
from baytree.vocabulary import CRITERIA

FORMAT = "baytree imputer"
VERSIONS = range(2, 5)  # 3 has groups of the numbers in bins, 4 regressions of numbers
FACTOR_BYTES = np.dtype("<f4")


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _are_plain(value: object) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, list) else _is_plain(value)


SETTING = Value("a single value", _is_plain)
MAX_PARENTS = Value("an integer of at least 1", lambda n: is_integer(n) and n >= 1)
CONSTRAINTS: dict[str, json.Schema] = {
    "required": network_json.ARCS,
    "forbidden": network_json.ARCS,
    "tiers": OrNull(ListOf(ListOf(network_json.LABEL))),
    "max_parents": OrNull(MAX_PARENTS),
}
LEARNER: dict[str, json.Schema] = {
    **{key: SETTING for key in NetworkLearner().get_params() if key not in SHARED_SETTINGS},
    "constraints": OrNull(ObjectOf("constraints", CONSTRAINTS, {"max_parents"})),
    "initial_network": OrNull(network_json.ARCS),
    "ignore": ListOf(network_json.LABEL),
    "em": OrNull(ObjectOf("em", dict.fromkeys(StructuralEM().get_params(), SETTING))),
}
OLD_LEARNER: dict[str, json.Schema] = {  # of versions 2 and 3
    "continuous": Value("bin or error", _is_plain),
    "max_parents": OrNull(MAX_PARENTS),
}
SETTINGS: dict[str, json.Schema] = {
    "learner": OrNull(
        ObjectOf("a learner", LEARNER | OLD_LEARNER, {"n_bins", "ignore", *OLD_LEARNER})
    ),
    "missing_values": Value("one value or a list of values", _are_plain),
    "random_state": OrNull(Value("a seed or null", lambda n: is_integer(n) and 0 <= n < 2**32)),
}
NUMBERS: dict[str, json.Schema] = {
    "means": ListOf(json.NUMBER),
    "deviations": ListOf(json.NUMBER),
    "spreads": ListOf(json.number_within(MIN_SPREAD, MAX_STANDARDISED)),
    "by_networks": ListOf(json.number_within(0, MAX_WEIGHT)),
    "by_regressions": ListOf(json.number_within(0, MAX_WEIGHT)),
    "group_weights": ListOf(ListOf(json.number_within(0, 1))),
}
IMPUTER: dict[str, json.Schema] = {
    "chosen": ObjectOf(
        "chosen",
        {
            "criterion": Value(f"one of {quoted_words(CRITERIA)}", lambda v: v in CRITERIA),
            "equivalent_sample_size": json.NUMBER,
        },
    ),
    "has_names": json.TRUTH,
    "incomplete": ListOf(json.POSITION),
    "variables": ListOf(ObjectOf("a variable", network_json.VARIABLE, network_json.OF_BINS), 1),
    "networks": ListOf(network_json.NETWORK, 1),
    "regressions": OrNull(
        ObjectOf(
            "regressions",
            {
                "means": ListOf(json.number_within(-MAX_STANDARDISED, MAX_STANDARDISED)),
                "factor": json.TEXT,
                "weights": ListOf(json.number_within(0, MAX_WEIGHT), 2, 2),
                "numbers": OrNull(ObjectOf("numbers", NUMBERS)),
            },
            {"numbers"},
        )
    ),
}


@dataclass(frozen=True, eq=False)
class ImputerParts:
    """Contents of a file."""

    settings: dict[str, Any]
    chosen: dict[str, Any]
    variables: ImputerVariables
    networks: Sequence[BayesianNetwork]
    regressions: Regressions | None
    has_names: bool


def write_imputer(path: str | os.PathLike[str], parts: ImputerParts) -> None:
    """Write an imputer; refuse states that JSON cannot represent."""
    check_imputer_suffix(path)
    contents = {
        "format": FORMAT,
        "version": VERSIONS[-1],
        "settings": _settings(parts.settings, parts.variables.names),
        "chosen": parts.chosen,
        "has_names": parts.has_names,
        "incomplete": parts.variables.incomplete.tolist(),
        "variables": _variables(parts.variables.encoding),
        "networks": [_network(own) for own in parts.networks],
        "regressions": None if parts.regressions is None else _regressions(parts.regressions),
    }
    json.write_document(
        path,
        contents,
        subject="the imputer",
        remedy="Learn a network of smaller treewidth, or without regressions.",
        max_bytes=MAX_BYTES,
    )


def _settings(settings: Mapping[str, Any], names: Sequence[Hashable]) -> dict[str, Any]:
    return {name: _setting(name, value, names) for name, value in settings.items()}


def _setting(name: str, value: Any, names: Sequence[Hashable]) -> Any:
    """Return a setting as JSON: of an initial network the arcs; no generator of random numbers."""
    if (name == "random_state" and not is_integer(value)) or (
        name == "missing_values" and is_missing_cell(value)
    ):
        return None
    if isinstance(value, NetworkLearner):
        return _settings({key: getattr(value, key) for key in LEARNER}, names)
    if isinstance(value, Settings):
        return _settings(value.get_params(), names)
    if name == "initial_network" and value is not None:
        parents = given_parents(value, names, name)
        return [
            _setting("arc", (names[parent], names[child]), names)
            for child, members in enumerate(parents)
            for parent in sorted(members)
        ]
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_setting(name, each, names) for each in value]
    return _plain(value, f"The setting {name}")


def _plain(value: Any, described: str) -> Any:
    """Return text, a number, a truth value or None as a Python object."""
    value = to_python_scalar(value)
    if _is_plain(value) and (not isinstance(value, float) or math.isfinite(value)):
        return value
    raise ValueError(
        f"{described} is {shortened(value)}, which a JSON file cannot hold: it holds text, finite "
        "numbers and truth values. Convert it before fit, or use pickle."
    )


def _variables(encoding: TableEncoding) -> list[dict[str, Any]]:
    variables = []
    for position, own in enumerate(encoding.variable_encodings):
        name = _plain(own.name, f"The name {own.name!r} of a variable")
        states = [_plain(state, f"A state of variable {name!r}") for state in own.states]
        bins = encoding.bins.get(position)
        variables.append(network_json.variable_document(name, states, bins))
    return variables


def _network(network: BayesianNetwork) -> dict[str, object]:
    """Return a network as JSON; its bins are those of the variables of the imputer."""
    return network_json.network_document(replace(network._to_parts(), bins={}))


def _regressions(regressions: Regressions) -> dict[str, Any]:
    """Return regressions as JSON; the factor of the matrix as base64 of bytes."""
    matrix, weights = regressions.matrix, regressions.weights
    numbers = regressions.columns.numbers
    factor = np.ascontiguousarray(matrix.factor, dtype=FACTOR_BYTES)
    return {
        "means": matrix.means.tolist(),
        "factor": base64.b64encode(factor.tobytes()).decode(),
        "weights": [weights.networks, weights.regressions],
        "numbers": {
            "means": numbers.means.tolist(),
            "deviations": numbers.deviations.tolist(),
            "spreads": numbers.spreads.tolist(),
            "by_networks": list(weights.numbers_by_networks),
            "by_regressions": list(weights.numbers_by_regressions),
            "group_weights": [own.tolist() for own in regressions.group_weights],
        }
        if numbers.bins
        else None,
    }


def read_imputer(path: str | os.PathLike[str], settings: Collection[str]) -> ImputerParts:
    """Read the contents of a file, which must have exactly the given settings."""
    check_imputer_suffix(path)
    of_settings = ObjectOf("the settings", dict.fromkeys(settings, SETTING) | SETTINGS)
    fields = {"settings": of_settings} | IMPUTER
    schema = json.document_of("an imputer", FORMAT, VERSIONS, fields)
    document = json.read_document(TextSource(path, MAX_BYTES, "an imputer"), schema)
    names = network_json.variable_names(document["variables"])
    known_settings = _read_settings(document["settings"], names)
    variables = _read_variables(document, missing_words(known_settings["missing_values"]))
    networks = [_read_network(network, variables) for network in document["networks"]]
    return ImputerParts(
        settings=known_settings,
        chosen=document["chosen"].value,
        variables=variables,
        networks=networks,
        regressions=_read_regressions(document["regressions"], variables.known_encoding),
        has_names=document["has_names"].value,
    )


def _read_settings(settings: JsonPart, names: Sequence[Hashable]) -> dict[str, Any]:
    given: dict[str, Any] = {**settings.value}
    if given["missing_values"] is None:
        given["missing_values"] = np.nan
    if given["learner"] is not None:
        given["learner"] = _read_learner(settings["learner"], names)
    return given


def _read_learner(learner: JsonPart, names: Sequence[Hashable]) -> NetworkLearner:
    nested: dict[str, Any] = {}
    own = {key: value for key, value in learner.value.items() if key not in OLD_LEARNER}
    own.setdefault("n_bins", "error" if learner.value.get("continuous") == "error" else N_BINS)
    if (given := learner.value["constraints"]) is not None:
        arcs = {key: [*map(tuple, given[key])] for key in ("required", "forbidden")}
        nested["constraints"] = ArcConstraints(**given | arcs)
        with learner["constraints"].errors():
            check_constraints(nested["constraints"], names, max_parents=len(names))
    if (max_parents := learner.value.get("max_parents")) is not None:
        nested.setdefault("constraints", ArcConstraints()).max_parents = max_parents
    if (given := learner.value["initial_network"]) is not None:
        nested["initial_network"] = [*map(tuple, given)]
        with learner["initial_network"].errors():
            given_parents(nested["initial_network"], names, "initial_network")
    if (given := learner.value["em"]) is not None:
        with learner["em"].errors():
            nested["em"] = check_em(StructuralEM(**given))
    return NetworkLearner(**own | nested)


def _read_variables(document: JsonPart, words: tuple[str, ...]) -> ImputerVariables:
    """Return the variables; those of the networks are known."""
    entries = document["variables"]
    names = network_json.variable_names(entries)
    encodings = tuple(map(_variable_encoding, entries))
    of_network = {*network_json.variable_names(document["networks"][0]["variables"])}
    known = [position for position, name in enumerate(names) if name in of_network]
    incomplete = document["incomplete"].value
    if incomplete != sorted({*incomplete} & {*range(len(names))}):
        document["incomplete"].refuse(f'"incomplete" must be rising positions below {len(names):,}')
    encoding = TableEncoding(encodings, PandasLayout(), words)
    return ImputerVariables(encoding, np.array(known, np.intp), np.array(incomplete, np.intp))


def _variable_encoding(variable: JsonPart) -> VariableEncoding:
    name, states = variable.value["name"], tuple(variable.value["states"])
    if has_doubles(states):
        variable["states"].refuse(f"variable {shortened(name)} has a state twice")
    bins = network_json.read_bins(variable)
    return VariableEncoding(name, None, states, states if bins is None else bins.medians, bins)


def _read_network(network: JsonPart, variables: ImputerVariables) -> BayesianNetwork:
    encoding = variables.known_encoding
    parts = network_json.network_parts(network)
    if [*encoding.variables] != parts.variables or parts.cpts is None:
        network.refuse("a network must have probabilities, and the variables of the first one")
    for variable, states in zip(network["variables"], parts.states or (), strict=True):
        name = variable.value["name"]
        if [*map(label_key, states)] != [*map(label_key, encoding.states(name))]:
            variable.refuse(f"variable {shortened(name)} has other states than in the imputer")
    with network.errors():
        return BayesianNetwork._from_parts(parts, encoding)


def _read_regressions(part: JsonPart, encoding: TableEncoding) -> Regressions | None:
    if part.value is None:
        return None
    numbers, of_numbers, group_weights = _read_numbers(part, encoding)
    columns = VariableColumns(encoding.arities, numbers)
    means = np.array(part.value["means"], dtype=np.float64)
    if len(means) != columns.n_columns:
        part["means"].refuse(f'"means" must be {columns.n_columns:,} numbers')
    by_networks, by_regressions = map(float, part.value["weights"])
    weights = ModelWeights(by_networks, by_regressions, *of_numbers)
    if weights.regressions == 0 and not numbers.bins:
        part["weights"].refuse(
            '"weights" must give regressions more than 0; without them they are null'
        )
    return Regressions(columns, _read_matrix(part, means, columns), weights, group_weights)


def _read_matrix(part: JsonPart, means: Floats, columns: VariableColumns) -> RidgeMatrix:
    try:
        cells = base64.b64decode(part.value["factor"], validate=True)
        factor = np.frombuffer(cells, dtype=FACTOR_BYTES).reshape(-1, max(len(means), 1))
    except ValueError:
        factor = np.full((1, 1), np.nan, dtype=FACTOR_BYTES)
    if not np.isfinite(factor).all():
        part["factor"].refuse('"factor" must be finite numbers for all columns as base64')
    matrix = RidgeMatrix(means, factor)
    if not matrix.is_sound(columns):
        part["factor"].refuse('"factor" must be that of an inverse of sums of squares')
    return matrix


def _read_numbers(
    part: JsonPart, encoding: TableEncoding
) -> tuple[NumberColumns, list[tuple[float, ...]], tuple[Floats, ...]]:
    """Return the columns of numbers and their weights; files of older versions have none."""
    if part.value.get("numbers") is None:
        return NO_NUMBERS, [], ()
    document = part["numbers"]
    for name in NUMBERS:
        if len(document.value[name]) != len(encoding.bins):
            document[name].refuse(f'"{name}" must be of {len(encoding.bins):,} variables')
    means, deviations, spreads = (
        np.array(document.value[name], dtype=np.float64)
        for name in ("means", "deviations", "spreads")
    )
    if not (deviations > 0).all():
        document["deviations"].refuse('"deviations" must be above 0')
    columns = NumberColumns(encoding.bins, means, deviations, spreads)
    if not columns.is_sound():
        document.refuse('"means" and "deviations" must be those of the numbers in the bins')
    groups = tuple(np.array(own, dtype=np.float64) for own in document.value["group_weights"])
    for column, own in enumerate(groups):
        if len(own) != len(columns.contents(column).shares) or not (own > 0).all():
            document["group_weights"].refuse('"group_weights" must be above 0, one per group')
    weights = [tuple(map(float, document.value[f"by_{of}"])) for of in ("networks", "regressions")]
    return columns, weights, groups
