"""NetworkLearner: networks of bounded treewidth, learned from tables."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from baytree import _core
from baytree._arc_constraints import Arc, Tiers
from baytree._encoding import ContinuousPolicy, TableEncoding, encode_states
from baytree._estimation import EstimationSettings
from baytree._long_calls import long_call
from baytree._progress import progress_bar
from baytree._run_limits import run_control, warn_if_too_short
from baytree._score_rules import ScoreName, score_rule
from baytree._score_setting import ScoreSetting
from baytree._search_problems import (
    K_TREE_SEARCHES,
    STARTED_SEARCHES,
    SearchName,
    SearchProblem,
    SearchSettings,
    check_problem,
    check_settings,
)
from baytree._seeds import Seed
from baytree._start_structures import Start
from baytree._structure_searches import FoundStructure, search_in_cache, search_with_scores
from baytree._tables import Table
from baytree._user_warnings import warn_user
from baytree._weighted_rows import (
    WeightedRows,
    Weights,
    refuse_gaps,
    refuse_unscorable_families,
    weighted_rows,
)
from baytree.exceptions import TableError, TimeLimitWarning
from baytree.formats.missing_words import DEFAULT_MISSING_VALUES
from baytree.network import BayesianNetwork
from baytree.parameters import with_parameters
from baytree.scoring import MAX_EVALUATIONS

# The share of the time that goes to parent sets, where a search needs them first ([k-max]).
PARENT_SET_SHARE = 10 / 11
# Without a time limit: for each variable all single parents, and this many larger sets.
LARGER_PARENT_SETS = 10_000

# Scores that a search remembers, 16 bytes each: so many a variable, and in all.
KNOWN_FAMILIES = 2**14
MAX_KNOWN_FAMILIES = 2**23


class NetworkLearner(BaseEstimator):
    """Learn a network of bounded treewidth from a table.

    Whatever the data, exact inference on the network ends, at a cost that `max_treewidth` and
    `max_clique_states` bound.

    Parameters
    ----------
    max_treewidth : int, default=5
        Largest treewidth of the network; the cost of inference is exponential in it.
    search : str, default="anneal"
        How to look for the structure:

        - "anneal": simulated annealing over networks; the best there is, and the default;
        - "hill-climb": the best change of one arc at a time, until none helps;
        - "chow-liu": the best tree or forest (treewidth 1), in no time;
        - "k-max", "k-greedy": grow k-trees over parent sets, again and again, and keep the best;
        - "s2", "s2+": sample k-trees, or find the one of best informative score (s2+: for at most
          32 variables);
        - "exact": the best network of all, for at most 12 variables and small treewidths; all or
          nothing, so Ctrl-C raises KeyboardInterrupt.
    score : {"bic", "aic", "bdeu", "k2", "log-likelihood"}, default="bic"
        What to maximise; natural logarithms, higher is better.
    time_limit : float, optional
        Seconds for all that `fit` does. The result depends on the speed of the machine.
    max_iterations : int, optional
        Iterations of the search in all. With a seed, the result is the same every time, with any
        `n_jobs`. Where neither budget is given, k-max, k-greedy, s2 and s2+ do 1000; the
        others end by themselves.
    max_parents : int, optional
        Largest number of parents of a variable; never more than `max_treewidth`.
    max_clique_states : float, default=1_000_000
        Largest number of joint states of the variables in a bag, which bounds the cost of
        inference where variables have many states.
    required_arcs, forbidden_arcs : iterable of (parent, child), optional
        Arcs that the network must have or must not have. k-max, k-greedy, s2 and s2+ cannot obey
        required arcs and refuse them.
    tiers : sequence of sequences of names, optional
        All variables in groups, the earliest first: no arc leads from a later group to an earlier
        one.
    start : BayesianNetwork, dict of parents, or iterable of (parent, child), optional
        Structure that anneal or hill-climb starts from; the others refuse it.
    equivalent_sample_size : float, default=1.0
        Rows that the prior of the probabilities is worth, and that of the score "bdeu".
    continuous : {"bin", "error"}, default="bin"
        What to do with numeric variables: cut them into bins, or refuse them.
    missing_values : iterable of str
        Words that mean missing in a CSV file, beside the empty cell.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices; None for a new one every time.
    verbose : int, default=0
        Above 0, show the best so far on standard error if that is a terminal.

    Attributes
    ----------
    network_ : BayesianNetwork
        The best network found, with probabilities.
    score_ : float
        Score of the network on the table.
    treewidth_ : int
        Width of its decomposition.
    parents_ : dict
        Parents of every variable.
    n_iterations_ : int
        Iterations that the search did.
    n_accepted_ : int
        Iterations that changed the network at hand; all of them for searches that begin anew each
        time.
    history_ : DataFrame
        When a better network was found: columns seconds (since `fit` began), iteration and score.
        With more than one thread, k-max, k-greedy and s2 may pass through other networks from run
        to run; the last score is the same.
    interrupted_ : bool
        Whether Ctrl-C ended `fit`.
    is_proven_ : bool
        Whether the search proved that there is nothing better: no network of a higher score after
        "exact", no k-tree of a higher informative score after "s2+". The others prove nothing.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of str
        Names of the variables, if the table has names and they all are text.

    See Also
    --------
    search_structure : Search among the parent sets of a cache.

    Notes
    -----
    k-max, k-greedy, s2 and s2+ choose among parent sets that are scored first. Ten elevenths of
    the time go to that; without a time limit, all single parents and 10,000 larger sets of each
    variable are scored. The other searches score the families that they need. Ctrl-C while parent
    sets are still scored gives the best forest of the sets scored so far, or one network that
    k-greedy grows from them if that is better; Ctrl-C later gives the best network that was grown.

    Tables with missing cells are refused; learning from them comes with a later version.

    `score` is a setting and, after `fit`, a method too: ``learner.score(table)`` is the mean
    log-likelihood of the rows of a table, which may have missing cells. So cross-validation and
    grid searches of scikit-learn prefer networks that predict new rows well.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> learner = bt.NetworkLearner(max_iterations=1000, random_state=0).fit(table)
    >>> learner.network_
    BayesianNetwork(2 variables, 1 arc, treewidth 1, score -33.259)
    >>> round(learner.score(table), 2)
    -0.71
    """

    score = ScoreSetting()

    def __init__(
        self,
        max_treewidth: int = 5,
        *,
        search: SearchName = "anneal",
        score: ScoreName | str = "bic",
        time_limit: float | None = None,
        max_iterations: int | None = None,
        max_parents: int | None = None,
        max_clique_states: float = 1_000_000,
        required_arcs: Iterable[Arc] = (),
        forbidden_arcs: Iterable[Arc] = (),
        tiers: Tiers | None = None,
        start: Start | None = None,
        equivalent_sample_size: float = 1.0,
        continuous: ContinuousPolicy = "bin",
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        n_jobs: int | None = 1,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.max_treewidth = max_treewidth
        self.search = search
        self.score = score
        self.time_limit = time_limit
        self.max_iterations = max_iterations
        self.max_parents = max_parents
        self.max_clique_states = max_clique_states
        self.required_arcs = required_arcs
        self.forbidden_arcs = forbidden_arcs
        self.tiers = tiers
        self.start = start
        self.equivalent_sample_size = equivalent_sample_size
        self.continuous = continuous
        self.missing_values = missing_values
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Table, y: object = None, sample_weight: Weights | None = None) -> Self:
        """Learn a network.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows are data points, columns are variables. No cell may be missing.
        y : None
            Ignored.
        sample_weight : sequence of float, optional
            How many times each row counts, by position.

        Returns
        -------
        NetworkLearner
            This object. After Ctrl-C it holds the best network so far, with `interrupted_` set.

        Raises
        ------
        MissingCellError
            If cells are missing.
        TableError
            If the table cannot be encoded.
        UnknownVariableError
            If an arc, a tier or the start names something that is not a variable.
        TimeoutError
            If the time limit ended an exact search, which has a result only at its end.
        ValueError
            If a setting cannot be used, or the search cannot do what is asked for; the message
            names it.

        Warns
        -----
        InterruptedWarning
            If Ctrl-C ended the search. A second Ctrl-C raises KeyboardInterrupt.
        TimeLimitWarning
            If the time limit ended the search before its first step, or before every variable had
            a parent set to choose.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0, 1], [1, 1, 0]] * 20)
        >>> learner = NetworkLearner(1, search="hill-climb").fit(table)
        >>> sorted(len(parents) for parents in learner.parents_.values())
        [0, 1, 1]
        """
        started = time.monotonic()
        settings = self._checked_settings(started)
        rule = score_rule(self.get_params()["score"], self.equivalent_sample_size)
        encoding, codes = encode_states(
            _as_table(X), continuous=self.continuous, missing_values=self.missing_values
        )
        problem = check_problem(
            settings,
            encoding.variables,
            required_arcs=self.required_arcs,
            forbidden_arcs=self.forbidden_arcs,
            tiers=self.tiers,
            start=self.start,
            arities=encoding.arities.tolist(),
        )
        rows = weighted_rows(encoding.variables, encoding.arities, codes, sample_weight)
        refuse_gaps(rows.n_missing, rows.variables, remedy=_GAP_REMEDY)
        refuse_unscorable_families(rows, problem.constraints.required)
        n_known = min(max(KNOWN_FAMILIES * len(encoding.variables), 2**18), MAX_KNOWN_FAMILIES)
        scorer = _core.FamilyScorer(rows.dataset(), **rule, n_table_entries=n_known)
        found = _search(problem, scorer, started)
        self._remember_features(X, encoding)
        self._take(found, encoding, rows)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings.

        Parameters
        ----------
        deep : bool, default=True
            Has no effect; no setting is an estimator.

        Returns
        -------
        dict
            Settings by name, as they were given.

        Examples
        --------
        >>> NetworkLearner(3).get_params()["max_treewidth"]
        3
        """
        params: dict[str, Any] = super().get_params(deep)
        return params | {"score": type(self).score.given(self)}

    def __sklearn_tags__(self) -> Tags:
        """Say that labels of any kind are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _checked_settings(self, started: float) -> SearchSettings:
        return check_settings(
            search=self.search,
            max_treewidth=self.max_treewidth,
            max_parents=self.max_parents,
            max_clique_states=self.max_clique_states,
            time_limit=self.time_limit,
            max_iterations=self.max_iterations,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
            started=started,
        )

    def _take(self, found: FoundStructure, encoding: TableEncoding, rows: WeightedRows) -> None:
        names = encoding.variables
        self.parents_: dict[Hashable, tuple[Hashable, ...]] = {
            child: tuple(names[parent] for parent in parents)
            for child, parents in zip(names, found.parents, strict=True)
        }
        structure = BayesianNetwork(
            names,
            [(parent, child) for child, parents in self.parents_.items() for parent in parents],
            decomposition=found.decomposition,
            score=found.score,
        )
        settings = EstimationSettings(self.equivalent_sample_size, n_jobs=self.n_jobs)
        self.network_ = with_parameters(structure, encoding, rows, settings)[0]
        self.score_ = found.score
        self.treewidth_ = found.decomposition.width
        self.n_iterations_ = found.n_iterations
        self.n_accepted_ = found.n_accepted
        self.history_ = found.history
        self.interrupted_ = found.interrupted
        self.is_proven_ = found.is_proven

    def _mean_log_likelihood(self, X: Table) -> float:
        check_is_fitted(self)
        table = _as_table(X)
        shape = table.shape if isinstance(table, np.ndarray) else ()
        if len(shape) == 2 and shape[1] != self.n_features_in_:  # in scikit-learn's words
            raise TableError(
                f"X has {shape[1]} features, but NetworkLearner is expecting "
                f"{self.n_features_in_} features as input."
            )
        return float(self.network_.log_likelihood(table, n_jobs=self.n_jobs).mean())

    def _remember_features(self, X: Table, encoding: TableEncoding) -> None:
        """Keep number and names in scikit-learn's attributes; arrays have no names of their own."""
        names = encoding.variables
        self.n_features_in_ = len(names)
        if not isinstance(X, (np.ndarray, list, tuple)) and all(isinstance(n, str) for n in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_


_GAP_REMEDY = (
    "NaN, None and empty cells are missing. Fill them or drop the rows; learning from tables with "
    "gaps comes with a later version."
)


def _as_table(X: Table) -> Table:
    """Return lists of rows, and what acts like an array, as one."""
    is_array_like = isinstance(X, (list, tuple)) or hasattr(X, "__array_function__")
    return np.asarray(X) if is_array_like and not isinstance(X, np.ndarray) else X


def _search(problem: SearchProblem, scorer: _core.FamilyScorer, started: float) -> FoundStructure:
    settings, called = problem.settings, time.monotonic()
    if settings.search in K_TREE_SEARCHES:
        return _search_scored_sets(problem, scorer, started)
    found = search_with_scores(problem, scorer, started)
    if not found.interrupted:
        has_begun = found.n_iterations > 0 or settings.search not in STARTED_SEARCHES
        warn_if_too_short(started, called, settings.deadline, has_begun=has_begun)
    return found


def _search_scored_sets(
    problem: SearchProblem, scorer: _core.FamilyScorer, started: float
) -> FoundStructure:
    """Score parent sets, then choose among them."""
    scored, is_interrupted = _score_parent_sets(problem, scorer)
    if is_interrupted:
        return _found_at_once(problem, scored.cache, started)
    has_choice = [n > 1 or c for n, c in zip(scored.n_evaluated, scored.is_complete, strict=True)]
    if not all(has_choice):
        warn_user(
            f"time_limit ended the scoring of parent sets before {has_choice.count(False):,} of "
            f"{len(has_choice):,} variables had any to choose from: they have no parents. Allow "
            "more time.",
            TimeLimitWarning,
        )
    return search_in_cache(problem, scored.cache, started)


def _found_at_once(
    problem: SearchProblem, cache: _core.ParentSetCache, started: float
) -> FoundStructure:
    """Return the better of the best forest and a network that is grown in one go."""
    settings = replace(problem.settings, search="chow-liu", deadline=math.inf)
    forest = search_in_cache(replace(problem, settings=settings), cache, started)
    if forest.interrupted:
        raise KeyboardInterrupt
    grown = search_in_cache(problem, cache, started, was_interrupted=True)
    return replace(forest, interrupted=True) if forest.score > grown.score else grown


def _score_parent_sets(
    problem: SearchProblem, scorer: _core.FamilyScorer
) -> tuple[_core.ParentSetSearchResult, bool]:
    """Return the parent sets to choose from, and whether Ctrl-C ended the scoring."""
    settings, n_variables = problem.settings, len(problem.variables)
    now = time.monotonic()
    deadline = now + PARENT_SET_SHARE * (settings.deadline - now)
    has_limit = math.isfinite(settings.deadline)
    with progress_bar("Scoring parent sets", "variables", shown=settings.is_verbose) as on_progress:
        control = run_control(deadline, on_progress)
        with long_call(control):
            found = _core.search_parent_sets(
                scorer,
                required=problem.constraints.required,
                forbidden=problem.constraints.forbidden,
                tiers=problem.constraints.tiers,
                max_parents=min(settings.max_parents, max(n_variables - 1, 1)),
                max_evaluations=MAX_EVALUATIONS if has_limit else n_variables + LARGER_PARENT_SETS,
                seed=settings.seed,
                n_threads=min(settings.n_threads, n_variables),
                control=control,
            )
    return found, control.is_interrupted
