"""Scores of families, one by one or as a search for the best parent sets."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import InterruptedWarning
from baytree.learning.bin_choice import open_binned
from baytree.learning.constraints import (
    ArcConstraints,
    PositionalConstraints,
    bound_parents,
    check_constraints,
)
from baytree.learning.parent_sets import ParentSetCache
from baytree.messages.arguments import integer_at_least, one_of, positive_number, verbosity
from baytree.messages.quoting import shortened
from baytree.messages.user_warnings import warn_user
from baytree.runtime.limits import deadline_after, run_control, thread_count
from baytree.runtime.long_calls import long_call
from baytree.runtime.progress import progress_bar
from baytree.runtime.seeds import Seed, core_seed
from baytree.tables.containers import Table
from baytree.tables.variable_encoding import BinNumber
from baytree.tables.weighted_rows import (
    MAX_CONFIGURATIONS,
    Weights,
    has_too_many_configurations,
    refuse_missing_cells,
    refuse_unscorable_families,
    weighted_rows,
)
from baytree.vocabulary import CRITERIA, DEFAULT_MISSING_VALUES, MISSING_POLICIES

CriterionName: TypeAlias = Literal["bic", "aic", "ebic", "bdeu", "k2", "log-likelihood"]
MissingPolicy: TypeAlias = Literal["error", "available"]
Column: TypeAlias = npt.NDArray[np.signedinteger[Any]]

# Where no budget is given, the sets scored for one variable stay within this many, and so its
# search within some 400 MB.
MAX_EVALUATIONS = 4_000_000

MIN_PRIOR = 1e-15  # divided among all cells of a family it is still a float above 0


def score_rule(criterion: CriterionName, equivalent_sample_size: float) -> dict[str, Any]:
    """Return a criterion and its prior as arguments of the core's scorer."""
    one_of("criterion", criterion, CRITERIA)
    prior = positive_number("equivalent_sample_size", equivalent_sample_size)
    if not MIN_PRIOR <= prior < math.inf:
        raise ValueError(
            f"equivalent_sample_size must be at least {MIN_PRIOR} and finite; "
            f"got {shortened(equivalent_sample_size)}."
        )
    return {"score": criterion, "equivalent_sample_size": prior}


class FamilyScorer:
    """Scores of single families of a table: how well parents explain a child.

    Scores are natural logarithms; higher is better. Scores computed before are kept in a table of
    bounded size.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows are data points, columns are variables.
    criterion : {"bic", "aic", "ebic", "bdeu", "k2", "log-likelihood"}, default="bic"
        Score of a family.
    missing : {"error", "available"}, default="error"
        Handling of a family with missing cells: an error, or the score of the child alone plus the
        gain of the parents on the rows where the whole family is observed; see Notes.
    sample_weight : sequence of float, optional
        Weight of each row, by position: the index of a pandas Series is ignored. Missing cells in
        rows of weight 0 do not matter; states in such rows are still states of their variables.
    equivalent_sample_size : float, default=1.0
        Weight of the prior of BDeu, in rows; other criteria have no such prior and ignore it.
    n_bins : int, "auto" or "error", default="auto"
        Bins of numeric variables: a number of bins of equal numbers of rows, or as many as tell
        about other variables, with edges chosen by the data. "error" refuses such variables.
    missing_values : iterable of str
        Words that mean missing in cells of text, in files and in memory; [] for none. By default
        those of `pandas.read_csv` and "?". The empty cell of a file is always missing.

    Attributes
    ----------
    variables : tuple
        Names of the variables.

    See Also
    --------
    score_parent_sets : Search for the best parent sets of every variable.

    Notes
    -----
    With ``missing="available"``, a family of child X and parents P with missing cells has the score
    ``S(X, P) = S(X, {}) + N/n (S_f(X, P) - S_f(X, {}))``. S_f is the score of the n rows where the
    family is complete, with the penalty of all N rows. S(X, {}) is N/n_X times the score of the
    n_X rows where X is observed. With `sample_weight`, the numbers of rows are sums of weights.
    Both terms of the difference use the same rows, so missing cells bring no reward. A handful of
    complete rows can still fit by chance, most of all under AIC, BDeu, K2 and log-likelihood,
    whose penalties are small. This is a node-average likelihood with a common baseline.

    A scorer keeps the codes of the table for pickling: one byte per cell for variables of up to 128
    states, two for up to 32,768, else four. An unpickled scorer computes its scores anew.

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
        criterion: CriterionName = "bic",
        missing: MissingPolicy = "error",
        sample_weight: Weights | None = None,
        equivalent_sample_size: float = 1.0,
        n_bins: BinNumber = "auto",
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    ) -> None:
        one_of("missing", missing, MISSING_POLICIES)
        self._rule = score_rule(criterion, equivalent_sample_size)
        opened = open_binned(
            table, n_bins, missing_words=missing_values, sample_weight=sample_weight
        )
        self._encoding = opened.encoding
        rows = weighted_rows(
            self._encoding.variables, self._encoding.arities, opened.codes, sample_weight
        )
        self._n_missing = rows.n_missing
        self._weights = rows.weights
        self._refuses_missing = missing == "error"
        self._columns = [  # in the narrowest types that hold the codes and -1
            rows.codes[:, position].astype(np.min_scalar_type(-int(arity)))
            for position, arity in enumerate(self._encoding.arities)
        ]
        self._core = _core.FamilyScorer(rows.dataset(), **self._rule)

    @property
    def variables(self) -> tuple[Hashable, ...]:
        """Names of the variables."""
        return self._encoding.variables

    def __getstate__(self) -> dict[str, Any]:
        """Return all attributes but the scorer of the core."""
        return {name: value for name, value in self.__dict__.items() if name != "_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Hand the rows to the core again."""
        self.__dict__.update(state)
        codes = np.empty((len(self._columns[0]), len(self._columns)), dtype=np.int32, order="F")
        for position, column in enumerate(self._columns):
            codes[:, position] = column
        dataset = _core.Dataset(codes, self._encoding.arities, weights=self._weights)
        self._core = _core.FamilyScorer(dataset, **self._rule)

    def score(self, child: Hashable, parents: Iterable[Hashable] = ()) -> float:
        """Return the score of a child with given parents.

        Parameters
        ----------
        child : hashable
            Name of a variable.
        parents : iterable of hashable, optional
            Names of other variables.

        Returns
        -------
        float
            The score; minus infinity if no row has all of the family observed.

        Raises
        ------
        UnknownVariableError
            If a name is not a variable.
        MissingCellError
            If a variable of the family has missing cells and `missing` is "error".
        ValueError
            If the child is among its parents, or the parents have too many joint states.

        Examples
        --------
        >>> import numpy as np
        >>> import baytree as bt
        >>> table = np.array([[0, 1], [1, 0], [1, 0]])
        >>> bt.FamilyScorer(table, criterion="log-likelihood").score("x0", ["x1"])
        0.0
        """
        position = self._encoding.position(child)
        if isinstance(parents, str) or not isinstance(parents, Iterable):
            raise ValueError(f"parents must be a list of names; got {shortened(parents)}.")
        positions = sorted({self._encoding.position(parent) for parent in parents})
        if position in positions:
            raise ValueError(f"Variable {child!r} cannot be its own parent.")
        if self._refuses_missing:
            refuse_missing_cells(self._n_missing, self.variables, [position, *positions])
        if has_too_many_configurations(self._encoding.arities, positions):
            raise ValueError(
                f"The {len(positions):,} parents given for variable {child!r} have more than "
                f"{MAX_CONFIGURATIONS:.0e} configurations, too many to score. Give fewer parents."
            )
        return self._core.score(position, positions)


def score_parent_sets(
    table: Table,
    *,
    max_parents: int,
    criterion: CriterionName = "bic",
    missing: MissingPolicy = "error",
    sample_weight: Weights | None = None,
    equivalent_sample_size: float = 1.0,
    constraints: ArcConstraints | None = None,
    time_limit: float | None = None,
    max_parent_sets: int | None = None,
    n_bins: BinNumber = "auto",
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    n_jobs: int | None = 1,
    random_state: Seed = None,
    verbose: int = 0,
) -> ParentSetCache:
    """Search for the best parent sets of every variable of a table.

    Independence selection: all single parents are scored, then larger sets in the order of an
    estimate that takes their parts for independent. A set is kept if its score is above that of
    all its scored subsets. Bounds rule out sets that cannot be kept, together with their supersets.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows are data points, columns are variables.
    max_parents : int
        Largest number of parents in a set. For a network of treewidth k, k is enough.
    criterion : {"bic", "aic", "ebic", "bdeu", "k2", "log-likelihood"}, default="bic"
        Score of a family; natural logarithms, higher is better.
    missing : {"error", "available"}, default="error"
        Handling of missing cells: an error, or scores by the rows where the whole family is
        observed, as in the Notes of `FamilyScorer`.
    sample_weight : sequence of float, optional
        Weight of each row, by position: the index of a pandas Series is ignored. Missing cells in
        rows of weight 0 do not matter; states in such rows are still states of their variables.
    equivalent_sample_size : float, default=1.0
        Weight of the prior of BDeu, in rows; other criteria have no such prior and ignore it.
    constraints : ArcConstraints, optional
        Arcs that every parent set must have or must not have.
    time_limit : float, optional
        Seconds of the whole call. Each variable has an equal part of the time left, and what it
        does not use goes to the others. The result depends on the speed of the machine.
    max_parent_sets : int, optional
        Maximum number of families to score per variable (by default 4,000,000, which bounds the
        memory). The result is reproducible and does not depend on `n_jobs`.
    n_bins : int, "auto" or "error", default="auto"
        Bins of numeric variables: a number of bins of equal numbers of rows, or as many as tell
        about other variables, with edges chosen by the data. "error" refuses such variables.
    missing_values : iterable of str
        Words that mean missing in cells of text, in files and in memory; [] for none. By default
        those of `pandas.read_csv` and "?". The empty cell of a file is always missing.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1. At most one per variable and 256 are used.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of equally promising parents; None for the order of the table.
    verbose : int, default=0
        Above 0, show progress, as in `NetworkLearner`.

    Returns
    -------
    ParentSetCache
        Parent sets with their scores; after Ctrl-C those found so far, with `is_interrupted` set.
        Ctrl-C only reaches the main thread.

    Raises
    ------
    MissingCellError
        If cells are missing and `missing` is "error".
    TableError
        If the table cannot be encoded, a variable has no observed state, or no row has a variable
        and its required parents observed together.
    UnknownVariableError
        If a constraint names something that is not a variable.
    ValueError
        If another argument cannot be used; the message names it.

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
    one_of("missing", missing, MISSING_POLICIES)
    rule = score_rule(criterion, equivalent_sample_size)
    n_sets = MAX_EVALUATIONS if max_parent_sets is None else max_parent_sets
    limits = ScoringLimits(
        max_parents=bound_parents(integer_at_least("max_parents", max_parents, 1), constraints),
        max_evaluations=min(integer_at_least("max_parent_sets", n_sets, 1), 2**62),
        deadline=deadline_after(started, time_limit),
        n_threads=thread_count(n_jobs),
        seed=core_seed(random_state) or 0,
        is_verbose=verbosity(verbose) > 0,
    )
    opened = open_binned(
        table,
        n_bins,
        missing_words=missing_values,
        sample_weight=sample_weight,
        n_jobs=n_jobs,
        deadline=limits.deadline,
    )
    encoding, codes = opened.encoding, opened.codes
    checked = check_constraints(constraints, encoding.variables, max_parents=limits.max_parents)
    rows = weighted_rows(encoding.variables, encoding.arities, codes, sample_weight)
    if missing == "error":
        refuse_missing_cells(rows.n_missing, rows.variables)
    refuse_unscorable_families(rows, checked.required)
    n_threads = limits.n_threads
    scorer = _core.FamilyScorer(  # the search remembers scores itself
        rows.dataset(n_threads), **rule, n_table_entries=0, n_threads=n_threads
    )
    del opened, codes, rows  # the core has its own, smaller copy
    found, is_interrupted = search_parent_sets(scorer, checked, limits)
    if is_interrupted:
        message = "Interrupted: the parent sets found so far are returned."
        warn_user(message, InterruptedWarning)
    return ParentSetCache._from_core(
        found.cache,
        encoding.variables,
        n_evaluated=found.n_evaluated,
        is_complete=found.is_complete,
        is_interrupted=is_interrupted,
    )


@dataclass(frozen=True)
class ScoringLimits:
    """Limits of a search for parent sets; the deadline is a time of `time.monotonic`."""

    max_parents: int
    max_evaluations: int
    deadline: float
    n_threads: int
    seed: int
    is_verbose: bool


def search_parent_sets(
    scorer: _core.FamilyScorer, constraints: PositionalConstraints, limits: ScoringLimits
) -> tuple[_core.ParentSetSearchResult, bool]:
    """Return the scored parent sets, and whether Ctrl-C ended the search."""
    n_variables = scorer.n_variables
    with progress_bar("Scoring parent sets", "variables", shown=limits.is_verbose) as on_progress:
        control = run_control(limits.deadline, on_progress)
        with long_call(control):
            found = _core.search_parent_sets(
                scorer,
                required=constraints.required,
                forbidden=constraints.forbidden,
                tiers=constraints.tiers,
                max_parents=min(limits.max_parents, max(n_variables - 1, 1)),
                max_evaluations=limits.max_evaluations,
                seed=limits.seed,
                n_threads=min(limits.n_threads, n_variables),
                control=control,
            )
    return found, control.is_interrupted
