"""ImputationReport: what is missing in a table, and how well it can be filled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from baytree.imputation.learned_networks import LearnedNetworks
from baytree.imputation.missing_cells import hold_out_cells
from baytree.messages.arguments import is_number
from baytree.messages.quoting import shortened
from baytree.networks.rows import CompletionName
from baytree.tables.columns import Mask
from baytree.tables.encoding import StateCodes, TableEncoding

SHOWN_ROWS = 10


@dataclass(frozen=True, eq=False, repr=False)
class ImputationReport:
    """What was missing, what EM did, and how well hidden cells were restored.

    Attributes
    ----------
    n_rows, n_cells, n_missing : int
        Size of the table, and its missing cells.
    variables : DataFrame
        For each variable: states, missing (cells), missing_share, hidden (cells of the check),
        accuracy (share of them restored) and mode_accuracy (the same by the most frequent state).
    patterns : DataFrame
        Which variables are missing together, and in how many rows; the most frequent first.
    iterations : DataFrame
        What each iteration of structural EM did.
    n_hidden : int
        Observed cells that were hidden for the check.
    accuracy, mode_accuracy : float
        Share of all hidden cells restored by the imputer, and by the most frequent states. NaN
        where nothing could be hidden.

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
    n_hidden: int
    accuracy: float
    mode_accuracy: float

    def _held_out_check(self) -> str:
        if not self.n_hidden:
            return "held-out check: none, as there are too few observed cells to hide some"
        return (
            f"held-out check: {self.accuracy:.1%} of {self.n_hidden:,} hidden cells restored; "
            f"{self.mode_accuracy:.1%} by the most frequent states"
        )

    def __repr__(self) -> str:
        """Say all of it on a page."""
        share = self.n_missing / self.n_cells
        parts = [
            f"{self.n_missing:,} of {self.n_cells:,} cells missing ({share:.1%}), in "
            f"{len(self.variables):,} variables and {self.n_rows:,} rows",
            self._held_out_check(),
            _shown("variables with most missing cells", self.variables.nlargest(10, "missing")),
            _shown("variables that are missing together", self._named_patterns()),
        ]
        if len(self.iterations):
            parts.append(_shown("iterations of structural EM", self.iterations))
        return "\n\n".join(parts)

    def _named_patterns(self) -> pd.DataFrame:
        """Return the patterns with names as people write them."""
        names = [", ".join(map(str, pattern)) or "none" for pattern in self.patterns["variables"]]
        return self.patterns.assign(variables=names)


def imputation_report(
    encoding: TableEncoding,
    codes: StateCodes,
    *,
    hidden_share: float,
    method: CompletionName,
    n_jobs: int | None,
    seed: int,
    learn: Callable[[StateCodes, int], LearnedNetworks],
    em_history: pd.DataFrame,
) -> ImputationReport:
    """Return the report on codes with gaps; `learn` makes networks of others."""
    if not is_number(hidden_share) or not 0 < hidden_share < 1:
        raise ValueError(
            f"hidden_share must be a number between 0 and 1; got {shortened(hidden_share)}."
        )
    is_hidden = hold_out_cells(codes, hidden_share, seed)
    shown = np.where(is_hidden, np.int32(-1), codes)
    learned = learn(np.asfortranarray(shown), seed)
    if learned.is_interrupted:  # what these networks restore says nothing about whole ones
        raise KeyboardInterrupt
    average = learned.average(n_jobs)
    filled = average.complete(np.asfortranarray(shown), method)
    is_right = is_hidden & (filled == codes)
    is_mode = is_hidden & (most_frequent(shown) == codes)
    n_hidden, n_missing = int(is_hidden.sum()), int((codes < 0).sum())
    return ImputationReport(
        n_rows=len(codes),
        n_cells=codes.size,
        n_missing=n_missing,
        variables=_variables(encoding, codes, is_hidden, is_right, is_mode),
        patterns=_patterns(encoding, codes < 0),
        iterations=em_history,
        n_hidden=n_hidden,
        accuracy=float(is_right.sum() / n_hidden) if n_hidden else np.nan,
        mode_accuracy=float(is_mode.sum() / n_hidden) if n_hidden else np.nan,
    )


def most_frequent(codes: StateCodes) -> StateCodes:
    """Return the most frequent code of each column; of several the smallest."""
    modes = [np.bincount(column[column >= 0], minlength=1).argmax() for column in codes.T]
    return np.array(modes, dtype=np.int32)


def _variables(
    encoding: TableEncoding, codes: StateCodes, is_hidden: Mask, is_right: Mask, is_mode: Mask
) -> pd.DataFrame:
    missing, hidden = (codes < 0).sum(axis=0), is_hidden.sum(axis=0)
    n_checked = np.where(hidden > 0, hidden, np.nan)
    return pd.DataFrame(
        {
            "states": encoding.arities,
            "missing": missing,
            "missing_share": missing / len(codes),
            "hidden": hidden,
            "accuracy": is_right.sum(axis=0) / n_checked,
            "mode_accuracy": is_mode.sum(axis=0) / n_checked,
        },
        index=pd.Index(encoding.variables, name="variable", tupleize_cols=False),
    )


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
