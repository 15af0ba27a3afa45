"""pandas indexes of states, in which equal labels such as 0 and False stay apart."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from baytree.tables.columns import label_key


def state_index(variable: Hashable, states: Sequence[Hashable]) -> pd.Index[Any]:
    """Return the states of one variable, under its name."""
    return pd.Index(list(states), name=variable, tupleize_cols=False)


def joint_index(states: Mapping[Hashable, Sequence[Hashable]]) -> pd.MultiIndex:
    """Return the joint states of several variables, the last one's changing fastest.

    It is built from codes: pandas would find the codes of labels by comparison, and 0 == False.
    """
    arities = [len(labels) for labels in states.values()]
    codes = [
        np.tile(
            np.repeat(np.arange(arity), math.prod(arities[place + 1 :])),
            math.prod(arities[:place]),
        )
        for place, arity in enumerate(arities)
    ]
    levels = [state_index(variable, labels) for variable, labels in states.items()]
    return _of_codes(levels, codes, list(states))


def grouped_index(
    states: Mapping[Hashable, Sequence[Hashable]], names: tuple[str, str]
) -> pd.MultiIndex:
    """Return (variable, state) for every state of every variable, one variable after the other."""
    groups = np.repeat(np.arange(len(states)), [len(labels) for labels in states.values()])
    all_labels = [label for labels in states.values() for label in labels]
    distinct = {label_key(label): label for label in all_labels}
    code_of = {key: code for code, key in enumerate(distinct)}
    codes = np.array([code_of[label_key(label)] for label in all_labels])
    levels = [pd.Index(list(part), tupleize_cols=False) for part in (states, distinct.values())]
    return _of_codes(levels, [groups, codes], list(names))


def places_of(index: pd.Index[Any], wanted: pd.Index[Any]) -> list[int] | None:
    """Return the position of each wanted label in an index; None if the labels differ."""
    found = {_key(label, index.nlevels): place for place, label in enumerate(index)}
    keys = [_key(label, wanted.nlevels) for label in wanted]
    if len(index) != len(wanted) or set(found) != set(keys):
        return None
    return [found[key] for key in keys]


def _of_codes(levels: Any, codes: Any, names: list[Hashable]) -> pd.MultiIndex:
    # The check of integrity refuses levels with equal labels.
    return pd.MultiIndex(levels, codes, names=names, verify_integrity=False)


def _key(label: Any, n_levels: int) -> Hashable:
    if n_levels == 1:
        return label_key(label)
    return tuple(label_key(part) for part in label)
