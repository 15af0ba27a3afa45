"""Scores of families, one by one or as a search for the best parent sets."""

from __future__ import annotations

import time
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs

from baytree import _core
from baytree._arc_constraints import Arc, check_arcs
from baytree._encoding import ContinuousPolicy, StateCodes, TableEncoding, encode_states
from baytree._progress import progress_bar
from baytree._seeds import Seed, core_seed
from baytree._tables import Table
from baytree._tables.table_view import quoted
from baytree.exceptions import InterruptedWarning, MissingCellError, TableError
from baytree.formats.missing_words import DEFAULT_MISSING_VALUES
from baytree.parent_sets import ParentSetCache

ScoreName: TypeAlias = Literal["bic", "aic", "bdeu", "k2", "log-likelihood"]
MissingPolicy: TypeAlias = Literal["error", "available"]
Weights: TypeAlias = Sequence[float] | npt.NDArray[Any]

SCORE_NAMES = ("bic", "aic", "bdeu", "k2", "log-likelihood")

# Where no budget is given, the sets scored for one variable stay within this many, and so its
# search within some 400 MB.
MAX_EVALUATIONS = 4_000_000


class FamilyScorer:
    """Scores of single families of a table: how well parents explain a child.

    Scores are natural logarithms, and higher is better. Families that were scored before are
    looked up in a table of bounded size.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows are data points, columns are variables.
    score : {"bic", "aic", "bdeu", "k2", "log-likelihood"}, default="bic"
        Which score.
    missing : {"error", "available"}, default="error"
        What to do with a family that has missing cells: refuse it, or score the rows that have the
        family complete, per row, times the number of all rows. The penalty is that of all rows, so
        that under BIC a gap does not pay; the other scores penalise too little to promise that.
    sample_weight : sequence of float, optional
        How many times each row counts.
    equivalent_sample_size : float, default=1.0
        Weight of the prior of BDeu, in rows.
    continuous : {"bin", "error"}, default="bin"
        What to do with numeric variables: cut them into bins, or refuse them.
    missing_values : iterable of str
        Words that mean missing in a CSV file, beside the empty cell.

    Attributes
    ----------
    variables : tuple
        Names of the variables.

    See Also
    --------
    score_parent_sets : Search for the best parent sets of every variable.

    References
    ----------
    Bodewes and Scutari, "Learning Bayesian networks from incomplete data with the node-average
    likelihood", International Journal of Approximate Reasoning, 2021.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> scorer = bt.FamilyScorer(table)
    >>> round(scorer.score("wet"), 3), round(scorer.score("wet", ["rain"]), 3)
    (-29.57, -3.689)
    """

    def __init__(
        self,
        table: Table,
        *,
        score: ScoreName = "bic",
        missing: MissingPolicy = "error",
        sample_weight: Weights | None = None,
        equivalent_sample_size: float = 1.0,
        continuous: ContinuousPolicy = "bin",
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    ) -> None:
        _check_choice("missing", missing, ("error", "available"))
        self._encoding, codes = encode_states(
            table, continuous=continuous, missing_values=missing_values
        )
        self._n_missing = _count_missing(codes, self._encoding)
        self._refuses_gaps = missing == "error"
        self._core = _core_scorer(
            codes, self._encoding, score, sample_weight, equivalent_sample_size
        )
        self.variables = self._encoding.variables

    def score(self, child: Hashable, parents: Iterable[Hashable] = ()) -> float:
        """Return the score of a variable with given parents.

        Parameters
        ----------
        child : hashable
            Name of a variable.
        parents : iterable of hashable, optional
            Names of other variables.

        Returns
        -------
        float
            The score; minus infinity if no row has the whole family observed.

        Raises
        ------
        UnknownVariableError
            If there is no variable of one of the names.
        MissingCellError
            If a variable of the family has missing cells and `missing` is "error".

        Examples
        --------
        >>> import numpy as np
        >>> import baytree as bt
        >>> bt.FamilyScorer(np.array([[0, 1], [1, 0]]), score="log-likelihood").score("x0", ["x1"])
        0.0
        """
        position = self._encoding.position(child)
        positions = sorted({self._encoding.position(parent) for parent in parents})
        if position in positions:
            raise ValueError(f"Variable {child!r} cannot be its own parent.")
        if self._refuses_gaps:
            _refuse_gaps(self._n_missing, self.variables, [position, *positions])
        return self._core.score(position, positions)


def score_parent_sets(
    table: Table,
    *,
    max_parents: int,
    score: ScoreName = "bic",
    missing: MissingPolicy = "error",
    sample_weight: Weights | None = None,
    equivalent_sample_size: float = 1.0,
    required_arcs: Iterable[Arc] = (),
    forbidden_arcs: Iterable[Arc] = (),
    time_limit: float | None = None,
    max_parent_sets: int | None = None,
    continuous: ContinuousPolicy = "bin",
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    n_jobs: int | None = 1,
    random_state: Seed = None,
    verbose: int = 0,
) -> ParentSetCache:
    """Search for the best parent sets of every variable of a table.

    Independence selection: all single parents are scored, then larger sets in the order of an
    estimate that takes their parts for independent. A set is kept if it scores more than all of
    its subsets that were scored. Sets that cannot be worth keeping, nor any of their supersets,
    are ruled out without a look at the data.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows are data points, columns are variables.
    max_parents : int
        Largest number of parents in a set. For a network of treewidth k, k is enough.
    score : {"bic", "aic", "bdeu", "k2", "log-likelihood"}, default="bic"
        Which score; natural logarithms, higher is better.
    missing : {"error", "available"}, default="error"
        What to do with missing cells: refuse the table, or score each family on the rows that have
        it complete, per row, times the number of all rows.
    sample_weight : sequence of float, optional
        How many times each row counts.
    equivalent_sample_size : float, default=1.0
        Weight of the prior of BDeu, in rows.
    required_arcs, forbidden_arcs : iterable of (parent, child), optional
        Arcs that every parent set must have or must not have.
    time_limit : float, optional
        Seconds for all of it. Each variable gets an equal share of the time left; what one does
        not use goes to the others. The result depends on the speed of the machine.
    max_parent_sets : int, optional
        Families to score for each variable, at most (by default 4,000,000, which bounds the
        memory). The result is the same on any machine with any `n_jobs`.
    continuous : {"bin", "error"}, default="bin"
        What to do with numeric variables: cut them into bins, or refuse them.
    missing_values : iterable of str
        Words that mean missing in a CSV file, beside the empty cell.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which equally promising parents are tried; None for that of the table.
    verbose : int, default=0
        Above 0, show a progress bar on standard error if that is a terminal.

    Returns
    -------
    ParentSetCache
        Parent sets with their scores. After Ctrl-C: those found so far, with `interrupted` set.

    Raises
    ------
    MissingCellError
        If cells are missing and `missing` is "error".
    TableError
        If the table cannot be encoded, or a variable has no observed state.
    UnknownVariableError
        If an arc names something that is not a variable.

    Warns
    -----
    InterruptedWarning
        If Ctrl-C ended the search. A second Ctrl-C raises KeyboardInterrupt.

    See Also
    --------
    FamilyScorer : Scores of single families.

    References
    ----------
    Scanagatta, de Campos, Corani and Zaffalon, "Learning Bayesian networks with thousands of
    variables", NIPS 2015. De Campos and Ji, "Efficient structure learning of Bayesian networks
    using constraints", JMLR 2011.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> bt.score_parent_sets(table, max_parents=1)
    ParentSetCache(4 parent sets of 2 variables)
    """
    started = time.monotonic()
    _check_choice("missing", missing, ("error", "available"))
    _check_at_least("max_parents", max_parents, 1)
    if max_parent_sets is not None:
        _check_at_least("max_parent_sets", max_parent_sets, 1)
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit must be a positive number of seconds; got {time_limit!r}.")
    n_threads = effective_n_jobs(n_jobs)
    seed = core_seed(random_state) or 0
    encoding, codes = encode_states(table, continuous=continuous, missing_values=missing_values)
    constraints = check_arcs(
        encoding.variables,
        required_arcs=required_arcs,
        forbidden_arcs=forbidden_arcs,
        max_parents=max_parents,
    )
    n_missing = _count_missing(codes, encoding)
    if missing == "error":
        _refuse_gaps(n_missing, encoding.variables)
    scorer = _core_scorer(codes, encoding, score, sample_weight, equivalent_sample_size)
    del codes  # the core has its own, smaller copy
    time_left = None if time_limit is None else time_limit - (time.monotonic() - started)
    with progress_bar("Scoring parent sets", "variables", shown=verbose > 0) as on_progress:
        control = _core.RunControl(time_limit=time_left, on_progress=on_progress)
        found = _core.search_parent_sets(
            scorer,
            required=constraints.required,
            forbidden=constraints.forbidden,
            max_parents=max_parents,
            max_evaluations=max_parent_sets or MAX_EVALUATIONS,
            seed=seed,
            n_threads=n_threads,
            control=control,
        )
    _refuse_unobserved_families(found.cache, encoding.variables)
    if control.is_interrupted:
        message = "Interrupted: the parent sets found so far are returned."
        warnings.warn(message, InterruptedWarning, stacklevel=2)
    return ParentSetCache(
        found.cache,
        encoding.variables,
        n_evaluated=found.n_evaluated,
        is_complete=found.is_complete,
        interrupted=control.is_interrupted,
    )


def _check_choice(argument: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        known = ", ".join(f'"{choice}"' for choice in choices)
        raise ValueError(f"{argument} must be one of {known}; got {value!r}.")


def _check_at_least(argument: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{argument} must be an integer of at least {least}; got {value!r}.")


def _count_missing(codes: StateCodes, encoding: TableEncoding) -> list[int]:
    """Return the number of missing cells of every variable; a variable needs one that is not."""
    n_missing = [int(n) for n in np.count_nonzero(codes < 0, axis=0)]
    empty = [name for name, n in zip(encoding.variables, n_missing, strict=True) if n == len(codes)]
    if empty:
        raise TableError(f"Variables without a single observed cell: {quoted(empty)}. Drop them.")
    return n_missing


def _refuse_gaps(
    n_missing: Sequence[int], variables: Sequence[Hashable], among: Iterable[int] | None = None
) -> None:
    positions = range(len(variables)) if among is None else among
    gaps = [f"{variables[i]!r} ({n_missing[i]:,})" for i in positions if n_missing[i]]
    if gaps:
        shown = ", ".join(gaps[:10]) + (f" and {len(gaps) - 10} more" if len(gaps) > 10 else "")
        raise MissingCellError(
            f"Variables with missing cells: {shown}. Fill them, drop the rows, or pass "
            'missing="available" to score each family on the rows that have it complete.'
        )


def _core_scorer(
    codes: StateCodes,
    encoding: TableEncoding,
    score: ScoreName,
    sample_weight: Weights | None,
    equivalent_sample_size: float,
) -> _core.FamilyScorer:
    _check_choice("score", score, SCORE_NAMES)
    if not 0 < equivalent_sample_size < float("inf"):
        raise ValueError(
            f"equivalent_sample_size must be a positive number; got {equivalent_sample_size!r}."
        )
    weights = None if sample_weight is None else _checked_weights(sample_weight, len(codes))
    dataset = _core.Dataset(codes, encoding.arities, weights=weights)
    return _core.FamilyScorer(dataset, score=score, equivalent_sample_size=equivalent_sample_size)


def _checked_weights(sample_weight: Weights, n_rows: int) -> npt.NDArray[np.float64]:
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must hold one number a row, {n_rows:,} in all; "
            f"got an array of the shape {weights.shape}."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight must be finite and not negative; got {weights[row]} in row {row}."
        )
    if weights.sum() < 1:
        raise ValueError(
            f"sample_weight must sum to at least 1, as weights say how many times a row counts; "
            f"got {weights.sum()}. Multiply them to sum to the number of rows."
        )
    return weights


def _refuse_unobserved_families(cache: _core.ParentSetCache, variables: Sequence[Hashable]) -> None:
    for position, name in enumerate(variables):
        if np.isneginf(cache.scores(position)[0]):
            parents = [variables[parent] for parent in cache.parent_sets(position)[0]]
            raise TableError(
                f"No row has variable {name!r} and its required parents {quoted(parents)} observed "
                "together. Drop one of the required arcs."
            )
