"""Weighted rows of a table as state codes, and checks of their missing cells."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import MissingCellError, TableError
from baytree.messages.quoting import quoted, shortened
from baytree.tables.columns import StateCodes

Weights: TypeAlias = Sequence[float] | npt.NDArray[Any]

# With more configurations than this, a penalty could be too large for a float.
MAX_CONFIGURATIONS = 1e300

SCORING_REMEDY = (
    'Fill them, drop the rows, or pass missing="available" to score families by what is observed.'
)


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Codes of the rows of positive weight, with the weights (None: every row counts once)."""

    variables: Sequence[Hashable]
    arities: StateCodes
    codes: StateCodes
    weights: npt.NDArray[np.float64] | None
    n_missing: list[int]

    def dataset(self, n_threads: int = 1) -> _core.Dataset:
        """Return the rows as a dataset of the core."""
        return _core.Dataset(self.codes, self.arities, weights=self.weights, n_threads=n_threads)


def weighted_rows(
    variables: Sequence[Hashable],
    arities: StateCodes,
    codes: StateCodes,
    sample_weight: Weights | None,
) -> WeightedRows:
    """Return the rows of positive weight; every variable must be observed in one of them."""
    weights = None if sample_weight is None else checked_weights(sample_weight, len(codes))
    if weights is not None and not weights.all():
        codes = np.asfortranarray(codes[weights > 0])
        weights = weights[weights > 0]
    n_missing = [int(n) for n in np.count_nonzero(codes < 0, axis=0)]
    empty = [name for name, n in zip(variables, n_missing, strict=True) if n == len(codes)]
    if empty:
        where = "" if weights is None else " in a row of positive weight"
        raise TableError(
            f"Variables without a single observed cell{where}: {quoted(empty)}. Drop them."
        )
    return WeightedRows(variables, arities, codes, weights, n_missing)


def refuse_missing_cells(
    n_missing: Sequence[int] | npt.NDArray[np.int64],
    variables: Sequence[Hashable],
    among: Iterable[int] | None = None,
    *,
    remedy: str = SCORING_REMEDY,
) -> None:
    """Refuse variables with missing cells, with a remedy in the message."""
    positions = range(len(variables)) if among is None else among
    counts = [f"{variables[i]!r} ({n_missing[i]:,})" for i in positions if n_missing[i]]
    if counts:
        shown = ", ".join(counts[:10]) + (
            f" and {len(counts) - 10} more" if len(counts) > 10 else ""
        )
        raise MissingCellError(f"Variables with missing cells: {shown}. {remedy}")


def refuse_unscorable_families(rows: WeightedRows, required: Sequence[Sequence[int]]) -> None:
    """Refuse required parents that are too many, or never observed together with their child."""
    for child, parents in enumerate(required):
        if not parents:
            continue
        family = [i for i in (child, *parents) if rows.n_missing[i]]
        if family and not (rows.codes[:, family] >= 0).all(axis=1).any():
            raise TableError(
                f"No row has variable {rows.variables[child]!r} and its required parents "
                f"{quoted([rows.variables[parent] for parent in parents])} observed together. "
                "Drop one of the required arcs."
            )
        if has_too_many_configurations(rows.arities, parents):
            raise ValueError(
                f"required gives variable {rows.variables[child]!r} {len(parents):,} parents "
                f"with more than {MAX_CONFIGURATIONS:.0e} configurations, too many to score. "
                "Drop some of the required arcs."
            )


def has_too_many_configurations(arities: StateCodes, parents: Sequence[int]) -> bool:
    """Test parents for more joint states than a score can be computed with."""
    return bool(np.log10(arities[list(parents)]).sum() > np.log10(MAX_CONFIGURATIONS))


def checked_weights(sample_weight: Weights, n_rows: int) -> npt.NDArray[np.float64]:
    """Return the weights of rows as floats; refuse what cannot be weights."""
    weights = _numbers(sample_weight)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must hold one number per row, {n_rows:,} in all; "
            f"got an array of the shape {weights.shape}."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight must be finite and not negative; got {weights[row]} in row {row}."
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total == 0:
        raise ValueError("sample_weight is zero in every row. Give some row a positive weight.")
    if not 1 <= total < np.inf:
        raise ValueError(
            f"sample_weight must sum to at least 1, as weights say how many times a row counts, "
            f"and to a finite number; got {total}. Multiply them to sum to the number of rows."
        )
    return weights


def _numbers(sample_weight: Weights) -> npt.NDArray[np.float64]:
    """Return the weights as floats; refuse text and other values that NumPy would convert."""
    if np.ma.is_masked(sample_weight):
        raise ValueError("sample_weight must hold a number in every row; got masked entries.")
    try:
        given = np.asarray(sample_weight)
    except ValueError:  # rows of different lengths
        given = np.asarray(None)
    is_object = given.dtype.kind == "O" and given.ndim > 0
    are_numbers = is_object and all(isinstance(n, (numbers.Real, Decimal)) for n in given.flat)
    if given.dtype.kind not in "biuf" and not are_numbers:
        raise ValueError(f"sample_weight must hold numbers; got {shortened(sample_weight)}.")
    return np.ascontiguousarray(given, dtype=np.float64)


def bootstrap_weights(codes: StateCodes, seed: int) -> npt.NDArray[np.float64]:
    """Return row counts of a bootstrap sample in which every variable is observed."""
    n_rows = len(codes)
    drawn = np.random.RandomState(seed).randint(n_rows, size=n_rows)
    weights = np.bincount(drawn, minlength=n_rows).astype(np.float64)
    is_observed = codes >= 0
    for position in np.flatnonzero(~is_observed[weights > 0].any(axis=0)):
        weights[np.argmax(is_observed[:, position])] = 1.0
    return weights
