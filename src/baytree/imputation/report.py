"""ImputationReport: missing cells of a table, and the accuracy of imputation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from baytree.imputation.learned_networks import LearnedNetworks
from baytree.imputation.missing_cells import hold_out_cells
from baytree.learning.table_estimator import Facts, learning_facts
from baytree.messages.arguments import fraction
from baytree.messages.quoting import pluralize
from baytree.networks.rows import CompletionName
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
        For each variable: states, missing (cells), missing_fraction, held_out (cells), accuracy
        (fraction of them restored) and mode_accuracy (the same by the most frequent state).
    patterns : DataFrame
        Sets of variables that are missing together, and their rows; the most frequent first.
    iterations : DataFrame
        Iterations of structural EM.
    n_held_out : int
        Observed cells that were held out.
    accuracy, mode_accuracy : float
        Fraction of the held-out cells that the imputer and the most frequent states get right.
        NaN if nothing could be held out.

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

    def _accuracy_in_words(self) -> str:
        if not self.n_held_out:
            return "accuracy: unknown, as too few cells are observed to hold some out"
        return (
            f"accuracy: {self.accuracy:.1%} of {self.n_held_out:,} held-out cells are right; "
            f"{self.mode_accuracy:.1%} by the most frequent states"
        )

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
    codes: StateCodes,
    *,
    held_out_fraction: float,
    completion: CompletionName,
    n_jobs: int | None,
    seed: int,
    learn: Callable[[StateCodes, int], LearnedNetworks],
    em_history: pd.DataFrame,
) -> ImputationReport:
    """Report on codes with missing cells; `learn` learns from other codes."""
    is_held_out = hold_out_cells(codes, fraction("held_out_fraction", held_out_fraction), seed)
    shown = np.where(is_held_out, np.int32(-1), codes)
    learned = learn(np.asfortranarray(shown), seed)
    if learned.is_interrupted:  # the accuracy of unfinished networks is not theirs
        raise KeyboardInterrupt
    average = learned.average(n_jobs)
    filled = average.complete(np.asfortranarray(shown), completion)
    is_right = is_held_out & (filled == codes)
    is_mode = is_held_out & (most_frequent(shown) == codes)
    n_held_out, n_missing = int(is_held_out.sum()), int((codes < 0).sum())
    return ImputationReport(
        n_rows=len(codes),
        n_cells=codes.size,
        n_missing=n_missing,
        variables=_variables(encoding, codes, is_held_out, is_right, is_mode),
        patterns=_patterns(encoding, codes < 0),
        iterations=em_history,
        n_held_out=n_held_out,
        accuracy=float(is_right.sum() / n_held_out) if n_held_out else np.nan,
        mode_accuracy=float(is_mode.sum() / n_held_out) if n_held_out else np.nan,
    )


def most_frequent(codes: StateCodes) -> StateCodes:
    """Return the most frequent code of each column; of several the smallest."""
    modes = [np.bincount(column[column >= 0], minlength=1).argmax() for column in codes.T]
    return np.array(modes, dtype=np.int32)


def _variables(
    encoding: TableEncoding, codes: StateCodes, is_held_out: Mask, is_right: Mask, is_mode: Mask
) -> pd.DataFrame:
    missing, held_out = (codes < 0).sum(axis=0), is_held_out.sum(axis=0)
    n_checked = np.where(held_out > 0, held_out, np.nan)
    return pd.DataFrame(
        {
            "states": encoding.arities,
            "missing": missing,
            "missing_fraction": missing / len(codes),
            "held_out": held_out,
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
    if imputer.model_weights_["regressions"] > 0 and imputer.completion == "independent":
        models += " and regressions"
    treewidth = f"{imputer.network_.treewidth} of at most {imputer._learner.max_treewidth}"
    facts += [("imputed by", models), ("treewidth", treewidth)]
    facts += [(name, str(value)) for name, value in imputer.chosen_.items()]
    return facts + learning_facts(imputer.em_history_, None, imputer.is_interrupted_)
