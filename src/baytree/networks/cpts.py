"""Conditional probability tables: checked on the way in, labelled on the way out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.messages.quoting import shortened
from baytree.messages.suggestions import unknown_variable
from baytree.networks.state_indexes import joint_index, places_of, state_index

Cpt: TypeAlias = npt.NDArray[np.float64]
States: TypeAlias = Mapping[Hashable, Sequence[Hashable]]

TOLERANCE = 1e-6  # of the sum of a row, as files round; sums within it are normalised


def checked_cpts(
    cpts: Mapping[Hashable, object],
    parents: Mapping[Hashable, Sequence[Hashable]],
    states: States,
) -> tuple[Cpt, ...]:
    """Return the tables of all variables, in their order."""
    if not isinstance(cpts, Mapping):
        raise ValueError(f"cpts must map variables to their probabilities; got {shortened(cpts)}.")
    for name in cpts:
        if name not in parents:
            raise unknown_variable(name, [*parents])
    for name in parents:
        if name not in cpts:
            raise ValueError(f"cpts lacks the probabilities of variable {name!r}. Add them.")
    return tuple(checked_cpt(name, own, states, cpts[name]) for name, own in parents.items())


def checked_cpt(
    variable: Hashable, parents: Sequence[Hashable], states: States, given: object
) -> Cpt:
    """Return a table with a row per joint state of the parents, the last one's changing fastest.

    `given` is a frame as `labelled_cpt` makes it, or an array with an axis per parent and the
    variable's own axis last; without parents also a mapping or Series by state.
    """
    own = states[variable]
    arities = [len(states[parent]) for parent in parents]
    n_rows = int(np.prod(arities, dtype=object))
    if isinstance(given, pd.DataFrame):
        given = _in_order(variable, parents, states, given)
    elif isinstance(given, (Mapping, pd.Series)):
        given = _by_state(variable, parents, own, given)
    elif hasattr(given, "columns"):  # polars, pyarrow: the names of their columns would be lost
        raise ValueError(
            f"The probabilities of {variable!r} must be a pandas frame or an array; got "
            f"{type(given).__module__}.{type(given).__name__}."
        )
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"The probabilities of {variable!r} must be numbers; got {shortened(given)}."
        ) from None
    if numbers.shape not in ((*arities, len(own)), (n_rows, len(own))):
        raise ValueError(
            f"The probabilities of {variable!r} have shape {numbers.shape}; {(*arities, len(own))} "
            f"is needed: an axis for each of its parents {tuple(parents)!r}, and its own states."
        )
    cpt = numbers.reshape(n_rows, len(own)).copy()
    _normalise(cpt, variable, parents, states)
    cpt.setflags(write=False)
    return cpt


def labelled_cpt(
    variable: Hashable, parents: Sequence[Hashable], states: States, cpt: Cpt
) -> pd.DataFrame:
    """Return a table as a frame: a row per joint state of the parents, a column per state."""
    columns = state_index(variable, states[variable])
    return pd.DataFrame(cpt, index=_row_index(parents, states), columns=columns)


def _row_index(parents: Sequence[Hashable], states: States) -> pd.Index:
    if not parents:
        return pd.RangeIndex(1)
    if len(parents) == 1:
        return state_index(parents[0], states[parents[0]])
    return joint_index({parent: states[parent] for parent in parents})


def _in_order(
    variable: Hashable, parents: Sequence[Hashable], states: States, frame: pd.DataFrame
) -> Any:
    """Return the numbers of a frame in the order of the network's parents and states."""
    has_names = any(name is not None for name in frame.index.names)
    if parents and has_names and set(frame.index.names) != set(parents):
        raise ValueError(
            f"The rows of the frame of {variable!r} are named {tuple(frame.index.names)!r}; its "
            f"parents are {tuple(parents)!r}. Rename the levels of its index."
        )
    if len(parents) > 1 and set(frame.index.names) == set(parents):
        frame = frame.reorder_levels([frame.index.names.index(parent) for parent in parents])
    rows = places_of(frame.index, _row_index(parents, states))
    columns = places_of(frame.columns, state_index(variable, states[variable]))
    if rows is None or columns is None:
        raise ValueError(
            f"The frame of {variable!r} must have its states {tuple(states[variable])!r} as "
            f"columns and the joint states of its parents {tuple(parents)!r} as rows."
        )
    return frame.to_numpy()[np.ix_(rows, columns)]


def _by_state(
    variable: Hashable,
    parents: Sequence[Hashable],
    states: Sequence[Hashable],
    given: Mapping[Hashable, object] | pd.Series[Any],
) -> list[object]:
    """Return the numbers of a variable without parents in the order of its states."""
    if parents:
        raise ValueError(
            f"The probabilities of {variable!r} depend on its parents {tuple(parents)!r}: give a "
            "frame with a row for each of their joint states, or an array."
        )
    labels, numbers = zip(*given.items(), strict=True) if len(given) else ((), ())
    places = places_of(pd.Index(labels, tupleize_cols=False), state_index(variable, states))
    if places is None and isinstance(given, pd.Series) and isinstance(given.index, pd.RangeIndex):
        return list(numbers)  # without labels
    if places is None:
        raise ValueError(
            f"The probabilities of {variable!r} must be those of its states {tuple(states)!r}; got "
            f"{shortened(list(labels))}."
        )
    return [numbers[place] for place in places]


def _normalise(cpt: Cpt, variable: Hashable, parents: Sequence[Hashable], states: States) -> None:
    """Make every row sum to 1, or refuse the first that is no distribution."""
    row = normalise(cpt, TOLERANCE)
    if row is not None:
        given = ""
        if parents:
            codes = np.unravel_index(row, [len(states[parent]) for parent in parents])
            labels = {p: states[p][int(c)] for p, c in zip(parents, codes, strict=True)}
            given = f" given {labels!r}"
        raise ValueError(
            f"The probabilities of {variable!r}{given} must not be negative and sum to 1; "
            f"got {shortened(cpt[row].tolist())}."
        )


def normalise(cpt: Cpt, tolerance: float) -> int | None:
    """Make every row sum to 1; if a sum is not near 1, change nothing and return its row.

    Rows that are normalised already stay as they are, to the last bit.
    """
    sums = cpt.sum(axis=1)
    is_bad = ~((cpt >= 0).all(axis=1) & (np.abs(sums - 1) <= tolerance))
    if is_bad.any():
        return int(np.flatnonzero(is_bad)[0])
    is_off = np.abs(sums - 1) > cpt.shape[1] * np.finfo(np.float64).eps
    cpt[is_off] /= sums[is_off, None]
    return None
