"""ImputationReport: missing cells of a table, and the accuracy of imputation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from baytree.imputation.completion import CompletedRows, ImputationName
from baytree.imputation.learned_networks import LearnedNetworks
from baytree.imputation.missing_cells import Floats, TableRows, hold_out_cells
from baytree.learning.table_estimator import Facts, learning_facts
from baytree.messages.arguments import fraction
from baytree.messages.quoting import pluralize
from baytree.tables.columns import Mask, StateCodes
from baytree.tables.encoding import TableEncoding

if TYPE_CHECKING:
    from baytree.imputation.imputer import BayesianNetworkImputer

SHOWN_ROWS = 10


@dataclass(frozen=True, eq=False, repr=False)
class ImputationReport:
    """Missing cells of a table, iterations of EM, and the accuracy on held-out cells.

    Attributes
    ----------
    n_rows, n_cells, n_missing : int
        Size of the table, and its missing cells.
    variables : DataFrame
        For each variable: states, missing (cells), missing_fraction and held_out (cells). For
        states also accuracy (fraction of held-out cells restored) and mode_accuracy (the same by
        the most frequent state); for numbers rmse, mae and mean_rmse (root mean squared error, mean
        absolute error, and the former by the mean of the column).
    patterns : DataFrame
        Sets of variables that are missing together, and their rows; the most frequent first.
    iterations : DataFrame
        Iterations of structural EM.
    n_held_out : int
        Observed cells that were held out.
    accuracy, mode_accuracy : float
        Fraction of the held-out states that the imputer and the most frequent states get right.
        NaN if none could be held out.
    normalized_rmse, mean_normalized_rmse : float
        Root mean squared error of held-out numbers by the imputer and by the means of columns, in
        standard deviations of each column, averaged over columns. NaN if none could be held out.

    Examples
    --------
    >>> import numpy as np
    >>> import baytree as bt
    >>> table = np.array([[0, 0], [0, 0], [1, 1], [1, np.nan]] * 20)
    >>> report = bt.BayesianNetworkImputer(random_state=0).fit(table).report()
    >>> report.patterns
      variables  n_missing  rows
    0        ()          0    60
    1     (x1,)          1    20
    """

    n_rows: int
    n_cells: int
    n_missing: int
    variables: pd.DataFrame
    patterns: pd.DataFrame
    iterations: pd.DataFrame
    n_held_out: int
    accuracy: float
    mode_accuracy: float
    normalized_rmse: float
    mean_normalized_rmse: float

    def _accuracy_in_words(self) -> str:
        if not self.n_held_out:
            return "accuracy: unknown, as too few cells are observed to hold some out"
        lines, n_held_out = [], self.variables["held_out"]
        if not np.isnan(self.accuracy):
            n_states = n_held_out[self.variables["accuracy"].notna()].sum()
            lines.append(
                f"accuracy: {self.accuracy:.1%} of {n_states:,} held-out states are right; "
                f"{self.mode_accuracy:.1%} by the most frequent states"
            )
        if not np.isnan(self.normalized_rmse):
            n_numbers = n_held_out[self.variables["rmse"].notna()].sum()
            lines.append(
                f"normalized RMSE: {self.normalized_rmse:.3f} of {n_numbers:,} held-out numbers; "
                f"{self.mean_normalized_rmse:.3f} by the means of columns"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Describe all of it on a page."""
        fraction = self.n_missing / self.n_cells
        parts = [
            f"{self.n_missing:,} of {self.n_cells:,} cells missing ({fraction:.1%}), in "
            f"{len(self.variables):,} variables and {self.n_rows:,} rows",
            self._accuracy_in_words(),
            _shown("variables with most missing cells", self.variables.nlargest(10, "missing")),
            _shown("variables that are missing together", self._named_patterns()),
        ]
        if len(self.iterations):
            parts.append(_shown("iterations of structural EM", self.iterations))
        return "\n\n".join(parts)

    def _named_patterns(self) -> pd.DataFrame:
        """Return the patterns with names as text."""
        names = [", ".join(map(str, pattern)) or "none" for pattern in self.patterns["variables"]]
        return self.patterns.assign(variables=names)


def imputation_report(
    encoding: TableEncoding,
    rows: TableRows,
    *,
    held_out_fraction: float,
    completion: ImputationName,
    n_jobs: int | None,
    seed: int,
    learn: Callable[[TableRows, int], LearnedNetworks],
    em_history: pd.DataFrame,
) -> ImputationReport:
    """Report on rows with missing cells; `learn` learns from rows with other cells hidden."""
    codes = rows.codes
    is_held_out = hold_out_cells(codes, fraction("held_out_fraction", held_out_fraction), seed)
    shown = rows.with_codes(np.where(is_held_out, np.int32(-1), codes))
    learned = learn(shown, seed)
    if learned.is_interrupted:  # the accuracy of unfinished networks is not theirs
        raise KeyboardInterrupt
    filled = learned.average(n_jobs).complete(shown, completion)
    errors, deviations = _number_errors(rows, shown.codes, filled)
    variables = _variables(encoding, codes, shown.codes, filled.codes, errors)
    n_missing = int((codes < 0).sum())
    held_out = variables["held_out"]
    of_states = held_out.where(variables["accuracy"].notna())
    return ImputationReport(
        n_rows=len(codes),
        n_cells=codes.size,
        n_missing=n_missing,
        variables=variables,
        patterns=_patterns(encoding, codes < 0),
        iterations=em_history,
        n_held_out=int(held_out.sum()),
        **{
            name: float((variables[name] * of_states).sum() / (of_states.sum() or np.nan))
            for name in ("accuracy", "mode_accuracy")
        },
        normalized_rmse=float((variables["rmse"] / deviations).mean()),
        mean_normalized_rmse=float((variables["mean_rmse"] / deviations).mean()),
    )


def most_frequent(codes: StateCodes) -> StateCodes:
    """Return the most frequent code of each column; of several the smallest."""
    modes = [np.bincount(column[column >= 0], minlength=1).argmax() for column in codes.T]
    return np.array(modes, dtype=np.int32)


def _variables(
    encoding: TableEncoding,
    codes: StateCodes,
    shown: StateCodes,
    filled: StateCodes,
    errors: Floats,
) -> pd.DataFrame:
    is_held_out = codes != shown
    missing, held_out = (codes < 0).sum(axis=0), is_held_out.sum(axis=0)
    is_state = ~np.isin(np.arange(codes.shape[1]), list(encoding.bins))
    n_checked = np.where(is_state & (held_out > 0), held_out, np.nan)
    return pd.DataFrame(
        {
            "states": encoding.arities,
            "missing": missing,
            "missing_fraction": missing / len(codes),
            "held_out": held_out,
            "accuracy": (is_held_out & (filled == codes)).sum(axis=0) / n_checked,
            "mode_accuracy": (is_held_out & (most_frequent(shown) == codes)).sum(axis=0)
            / n_checked,
            **dict(zip(("rmse", "mae", "mean_rmse"), errors, strict=True)),
        },
        index=pd.Index(encoding.variables, name="variable", tupleize_cols=False),
    )


def _number_errors(
    rows: TableRows, shown: StateCodes, filled: CompletedRows
) -> tuple[Floats, Floats]:
    """Return the errors of all variables, a row per kind, and standard deviations; NaN for states.

    Numbers are divided by a power of two first, which is exact: squares could overflow.
    """
    codes = rows.codes
    errors, deviations = np.full((3, codes.shape[1]), np.nan), np.full(codes.shape[1], np.nan)
    for column, (position, own) in enumerate(filled.numbers.items()):
        hidden = codes[:, position] != shown[:, position]
        numbers = np.where(codes[:, position] >= 0, rows.numbers[:, column], np.nan)
        unit = np.ldexp(1.0, np.frexp(np.nanmax(np.abs(numbers)))[1] - 1)
        numbers /= unit
        deviations[position] = unit * numbers[~np.isnan(numbers)].std() or np.nan
        if hidden.any():
            mean = numbers[shown[:, position] >= 0].mean()
            errors[:, position] = unit * np.array(
                _errors(numbers[hidden], own[hidden] / unit, mean)
            )
    return errors, deviations


def _errors(truth: Floats, filled: Floats, mean: float) -> tuple[float, float, float]:
    """Return the RMSE and the MAE of filled numbers, and the RMSE of the mean."""
    error = filled - truth
    squared = np.mean(error**2), np.mean((mean - truth) ** 2)
    return float(np.sqrt(squared[0])), float(np.abs(error).mean()), float(np.sqrt(squared[1]))


def _patterns(encoding: TableEncoding, is_missing: Mask) -> pd.DataFrame:
    found, counts = np.unique(np.packbits(is_missing, axis=1), axis=0, return_counts=True)
    patterns = np.unpackbits(found, axis=1, count=is_missing.shape[1]).astype(bool)
    order = np.lexsort((patterns.sum(axis=1), -counts))
    names = [tuple(encoding.variables[i] for i in np.flatnonzero(row)) for row in patterns[order]]
    return pd.DataFrame(
        {
            "variables": pd.Series(names, dtype=object),
            "n_missing": patterns[order].sum(axis=1),
            "rows": counts[order],
        }
    )


def _shown(title: str, frame: pd.DataFrame) -> str:
    more = f"\n({len(frame) - SHOWN_ROWS:,} more)" if len(frame) > SHOWN_ROWS else ""
    text = frame.head(SHOWN_ROWS).to_string(float_format="{:.3f}".format, max_colwidth=60)
    return f"{title}:\n{text}{more}"


def imputer_facts(imputer: BayesianNetworkImputer, is_missing: Mask | None) -> Facts:
    """Describe a fitted imputer, and the missing cells of its table if that is there."""
    incomplete = (
        f"{len(imputer._variables.incomplete):,} of {pluralize(imputer.n_features_in_, 'variable')}"
    )
    facts = [("variables with missing cells", incomplete)]
    if is_missing is not None:
        n_missing, n_cells = int(np.count_nonzero(is_missing)), is_missing.size
        n_rows = int(np.count_nonzero(is_missing.any(axis=1)))
        facts += [
            ("missing cells", f"{n_missing:,} of {n_cells:,} ({n_missing / n_cells:.1%})"),
            ("rows with missing cells", f"{n_rows:,} of {len(is_missing):,}"),
        ]
    models = pluralize(len(imputer.networks_), "network")
    if imputer._regressions is not None and imputer.completion != "joint":
        models += " and regressions"
    treewidth = f"{imputer.network_.treewidth} of at most {imputer._learner.max_treewidth}"
    facts += [("imputed by", models), ("treewidth", treewidth)]
    facts += [(name, str(value)) for name, value in imputer.chosen_.items()]
    return facts + learning_facts(imputer.em_history_, None, imputer.is_interrupted_)
