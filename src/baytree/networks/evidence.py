"""Evidence: observed states by name and label, encoded for the core."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from baytree.exceptions import UnknownStateError
from baytree.messages.quoting import quoted, shortened
from baytree.messages.suggestions import among
from baytree.tables.columns import is_missing_cell
from baytree.tables.encoding import TableEncoding

Evidence: TypeAlias = "Mapping[Any, Any] | pd.Series[Any]"
_PLAIN_TYPES = frozenset({str, int, bool, float})  # of labels that can always be looked up


@dataclass(frozen=True)
class EncodedEvidence:
    """Codes of observed states, and likelihoods of states, by position of the variable."""

    states: list[tuple[int, int]] = field(default_factory=list)
    likelihoods: list[tuple[int, list[float]]] = field(default_factory=list)


def encode_evidence(encoding: TableEncoding, evidence: Evidence | None) -> EncodedEvidence:
    """Return evidence in codes; None and NaN mean not observed.

    A variable may have a likelihood per state in place of a state.
    """
    encoded = EncodedEvidence()
    if evidence is None:
        return encoded
    if type(evidence) is not dict:
        _check_mapping(evidence)
    quick_codes = encoding.codes_by_type
    for variable, observed in evidence.items():
        kind = type(observed)
        if kind in _PLAIN_TYPES and (known := quick_codes.get((variable, kind, observed))):
            encoded.states.append(known)
            continue
        position = encoding.position(variable)
        if isinstance(observed, (Mapping, pd.Series)):
            likelihood = _likelihood(encoding, variable, observed)
            encoded.likelihoods.append((position, likelihood))
        elif not is_missing_cell(observed):
            encoded.states.append((position, _code(encoding, variable, observed)))
    return encoded


def _check_mapping(evidence: object) -> None:
    if not isinstance(evidence, (Mapping, pd.Series)):
        raise ValueError(f"evidence must map variables to their states; got {shortened(evidence)}.")
    if isinstance(evidence, pd.Series) and not evidence.index.is_unique:
        twice = evidence.index[evidence.index.duplicated()].unique().tolist()
        raise ValueError(f"evidence names {quoted(twice)} more than once. Give a state once.")


def _code(encoding: TableEncoding, variable: Hashable, state: Any) -> int:
    if isinstance(state, Hashable):
        try:
            return encoding.code(variable, state)
        except UnknownStateError:
            pass  # worded below, as evidence
    hint = ""
    if isinstance(state, (list, tuple, Set, np.ndarray)):
        hint = " Give one state, or a likelihood for every state: {state: likelihood}."
    elif variable in encoding.binned_variables:
        hint = " Give a finite number, or the label of a bin."
    else:
        hint = encoding.variable_encodings[encoding.position(variable)].lost_bins_hint(state)
    raise UnknownStateError(
        f"Variable {variable!r} has no state {shortened(state)} "
        f"{among(state, encoding.states(variable))}{hint}"
    )


def _likelihood(
    encoding: TableEncoding, variable: Hashable, given: Mapping[Any, Any] | pd.Series[Any]
) -> list[float]:
    likelihood: dict[int, float] = {}
    for state, value in given.items():
        code = _code(encoding, variable, state)
        if code in likelihood:
            raise ValueError(
                f"The evidence of {variable!r} names state {state!r} twice. Give it once."
            )
        if not (isinstance(value, numbers.Real) and 0 <= float(value) < math.inf):
            raise ValueError(
                f"The likelihood of state {state!r} of {variable!r} must be a finite number "
                f"of at least 0; got {shortened(value)}."
            )
        likelihood[code] = float(value)
    states = encoding.states(variable)
    lacking = [state for code, state in enumerate(states) if code not in likelihood]
    if lacking:
        raise ValueError(
            f"The evidence of {variable!r} lacks the likelihood of {quoted(lacking)}. "
            "Give one for every state; 0 rules a state out."
        )
    return [likelihood[code] for code in range(len(states))]
