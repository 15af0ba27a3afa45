"""NetworkLearner: networks of bounded treewidth, learned from tables."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

from baytree import _core
from baytree.learning.bin_choice import open_binned
from baytree.learning.chordalysis import Chordalysis
from baytree.learning.constraints import ArcConstraints, InitialNetwork, check_reusable
from baytree.learning.em_settings import StructuralEM, check_em
from baytree.learning.incomplete_rows import (
    IncompleteRows,
    empty_history,
    learn_from_completed_rows,
)
from baytree.learning.parameters import EstimationSettings, learn_cpts
from baytree.learning.presets import PresetName, preset_settings
from baytree.learning.scoring import CriterionName, score_rule
from baytree.learning.search_problem import (
    SearchName,
    SearchSettings,
    check_problem,
    check_settings,
)
from baytree.learning.searches import FoundStructure, family_scorer, search_table
from baytree.learning.structural_em import structural_em
from baytree.learning.table_estimator import Facts, TableEstimator, learning_facts
from baytree.messages.arguments import quoted_words
from baytree.messages.quoting import pluralize
from baytree.networks.cpts import Cpt
from baytree.networks.network import BayesianNetwork
from baytree.runtime.progress import one_clock
from baytree.runtime.seeds import Seed
from baytree.tables.columns import StateCodes
from baytree.tables.containers import Table, as_table
from baytree.tables.encoding import TableEncoding
from baytree.tables.inputs import open_table
from baytree.tables.variable_encoding import BinNumber
from baytree.tables.weighted_rows import (
    WeightedRows,
    Weights,
    refuse_missing_cells,
    refuse_unscorable_families,
    weighted_rows,
)
from baytree.vocabulary import CRITERIA, DEFAULT_MISSING_VALUES

TESTING_REMEDY = (
    'search="chordalysis" tests complete rows. Fill the cells first, as BayesianNetworkImputer '
    'does, drop the rows, or use search="anneal".'
)


class _CheckedSettings(NamedTuple):
    """Checked settings of a learner, and the time of its start."""

    search: SearchSettings
    em: StructuralEM
    rule: Mapping[str, Any]
    started: float


class NetworkLearner(TableEstimator):
    """Learn a Bayesian network of bounded treewidth from a complete or incomplete table.

    Exact inference on the network is always tractable: `max_treewidth` and `max_clique_states`
    bound its cost.

    Parameters
    ----------
    max_treewidth : int or None, default=5
        Largest treewidth of the network; the cost of inference is exponential in it. None, for no
        bound, is for "chordalysis" alone.
    search : str or Chordalysis, default="anneal"
        Search algorithm:

        - "anneal": simulated annealing over networks, which finds the best networks;
        - "hill-climb": the best change of one arc at a time, until none helps;
        - "chow-liu": the best tree or forest (treewidth 1), the fastest search;
        - "k-max", "k-greedy": k-trees grown over parent sets, the best of many;
        - "s2", "s2+": sampled k-trees, or the one of the best informative score (s2+: for at most
          64 variables);
        - "exact": the best network of all, for at most 28 variables and a treewidth of at most 5
          (larger ones for at most 12 variables). If it is stopped, `score_bound_` is a score that
          no network exceeds;
        - "chordalysis", or a `Chordalysis` object: a decomposable model whose edges pass tests for
          independence, for complete rows. It does not maximise the criterion.
    criterion : {"bic", "aic", "ebic", "bdeu", "k2", "log-likelihood"}, default="bic"
        Score that the structure maximises, a natural logarithm. With few rows per variable, "ebic"
        avoids overfitting. "auto" is for the learner of a `BayesianNetworkImputer` alone.
    time_limit : float, optional
        Seconds of `fit`. The result depends on the speed of the machine.
    max_iterations : int, optional
        Number of iterations of the search. With a seed, the result is reproducible and does not
        depend on `n_jobs`. Without any budget, k-max, k-greedy, s2 and s2+ do 1000; the others end
        by themselves, annealing after about a minute at most for each 100 variables with
        ``n_jobs=2``. With missing cells, these are the iterations of each search; without any
        budget, annealing does 3000 per variable, k-max, k-greedy, s2 and s2+ 100. With few
        iterations for many variables, annealing looks for parents that tell something only together
        in 512 rows, or not at all.
    max_clique_states : float, default=1_000_000
        Largest number of joint states of the variables in a bag, which bounds the cost of inference
        if variables have many states.
    constraints : ArcConstraints, optional
        Arcs that the network must have or must not have. k-max, k-greedy, s2 and s2+ cannot obey
        required arcs and refuse them; so does chordalysis, where also a pair must be forbidden in
        both directions.
    initial_network : BayesianNetwork, dict of parents, or iterable of (parent, child), optional
        Structure that anneal or hill-climb starts from; the others refuse it. A network and its
        arcs alone may give different results, since they differ in the elimination order.
    equivalent_sample_size : float, default=1.0
        Weight in rows of the prior of the probabilities and of the criterion "bdeu".
    em : StructuralEM, optional
        Settings of learning from a table with missing cells; by default ``StructuralEM()``.
    n_bins : int, "auto" or "error", default="auto"
        Bins of numeric variables: a number of bins of equal numbers of rows, or as many as tell
        about other variables, with edges chosen by the data. "error" refuses such variables.
    missing_values : iterable of str
        Words that mean missing in cells of text, in files and in memory; [] for none. By default
        those of `pandas.read_csv` and "?". The empty cell of a file is always missing.
    ignore : list of names, default=()
        Columns that are no variables, such as identifiers. An index without a name is left out
        with a warning.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1. Annealing has two chains, up to
        32 where each has 50,000 iterations per variable, and each is for one thread at a time.
        Under a time limit there are at least as many as threads; else the result does not depend
        on the threads.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices; None for a new one every time.
    verbose : int, default=0
        Above 0, show progress: as a live line on a terminal or in a notebook with ipywidgets, else
        as lines of the logger "baytree" every few seconds.

    Attributes
    ----------
    network_ : BayesianNetwork
        The best network found, with probabilities.
    score_ : float
        Score of the network on the table. With missing cells, on the table as it was filled for
        the search that found the network; if there was no search yet, on the observed cells, as
        by `FamilyScorer` with ``missing="available"``.
    treewidth_ : int
        Width of its tree decomposition.
    parents_ : dict
        Parents of every variable.
    n_iterations_ : int
        Number of iterations of the search. With missing cells, this and the following attributes
        are those of the search that found the network.
    n_accepted_ : int
        Number of iterations that changed the current network; all of them for searches that begin
        anew each time.
    history_ : DataFrame
        Improvements: columns seconds (since `fit` began), iteration and score. With several
        threads, the way of k-max, k-greedy and s2 differs from run to run; the last score does not.
        Of chordalysis, all edges, whether they raise the score or not.
    p_values_ : DataFrame
        Edges in the order in which chordalysis selected them; for this search alone. Columns: first
        and second (the variables), separator (those that the test is conditional on), g2 (the
        statistic), degrees_of_freedom, p_value, and log_p_value for p values that are too small
        for a float. Both are those that were tested, so with ``rounded_p_values=True`` they are
        rounded.
    em_history_ : DataFrame
        Iterations of structural EM; without rows for a complete table. Columns: iteration (0 is the
        start), changed_cells (filled otherwise than before; 0 for a network that lost arcs or was
        found without filled cells), changed_arcs, score (of the network on the filled table),
        log_likelihood (exact, of the observed cells), penalised_log_likelihood, and seconds since
        `fit` began.
    is_interrupted_ : bool
        Whether Ctrl-C ended `fit`.
    is_proven_ : bool
        Whether the result is proven optimal: "exact" proves that no network has a higher score,
        "s2+" that no k-tree has a higher informative score. The others prove nothing.
    score_bound_ : float
        No network has a higher score; equal to `score_` if "exact" came to its end, infinite for
        the other searches.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of str
        Names of the variables, if the table has names and all of them are text.

    See Also
    --------
    BayesianNetworkClassifier : Predicts one of the variables from the others.
    search_structure : Search among the parent sets of a cache.

    Notes
    -----
    k-max, k-greedy, s2 and s2+ choose among parent sets that are scored first, in ten elevenths of
    the time; without a time limit, all single parents and 10,000 larger sets per variable are
    scored. The other searches score families on demand. Ctrl-C during the scoring of parent sets
    gives the better of two networks of the sets scored so far: the best forest, and one that
    k-greedy grows.

    Tables with missing cells are learned from by structural EM [1]_: fill the missing cells with
    the network at hand, learn a network from the filled table, repeat. Each search starts from the
    network before, so it is short; if there is no budget but a time limit, the last search takes
    the time that is left. EM ends when the structure stays, when nothing gets better, or after
    `max_structure_updates` of `em`. As filled cells agree with the network that filled them, it
    ends with searches of the observed cells and of cells drawn from their posteriors; and variables
    whose filled cells mislead the searches are left without arcs if that is better. The network
    returned has the highest penalised log-likelihood of the observed cells: the exact
    log-likelihood less log(N)/2 (AIC: 1, log-likelihood: 0) for each free probability and, with
    EBIC, log(n) for each arc among n variables. Its probabilities are those of EM with exact
    expected counts. The assumption is that cells are missing at random: whether a cell is missing
    may depend on the observed cells of its row, but not on its own state.

    References
    ----------
    .. [1] M. Scanagatta, G. Corani, M. Zaffalon, J. Yoo, U. Kang, "Efficient learning of
       bounded-treewidth Bayesian networks from complete and incomplete data sets", International
       Journal of Approximate Reasoning 95, 2018.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> learner = bt.NetworkLearner(max_iterations=1000, random_state=0).fit(table)
    >>> learner.network_
    BayesianNetwork(2 variables, 1 arc, treewidth 1, 3 parameters, score -33.259)
    >>> round(learner.score(table), 2)
    -0.71
    """

    _default_settings: ClassVar = {
        "constraints": ArcConstraints,
        "em": StructuralEM,
        "search": Chordalysis,
    }
    _words_for_defaults: ClassVar = {"search": "chordalysis"}

    def __init__(
        self,
        max_treewidth: int | None = 5,
        *,
        search: SearchName | Chordalysis = "anneal",
        criterion: CriterionName | Literal["auto"] = "bic",
        time_limit: float | None = None,
        max_iterations: int | None = None,
        max_clique_states: float = 1_000_000,
        constraints: ArcConstraints | None = None,
        initial_network: InitialNetwork | None = None,
        equivalent_sample_size: float = 1.0,
        em: StructuralEM | None = None,
        n_bins: BinNumber = "auto",
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        ignore: Collection[Hashable] = (),
        n_jobs: int | None = 1,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.max_treewidth = max_treewidth
        self.search = search
        self.criterion = criterion
        self.time_limit = time_limit
        self.max_iterations = max_iterations
        self.max_clique_states = max_clique_states
        self.constraints = constraints
        self.initial_network = initial_network
        self.equivalent_sample_size = equivalent_sample_size
        self.em = em
        self.n_bins = n_bins
        self.missing_values = missing_values
        self.ignore = ignore
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def preset(cls, name: PresetName) -> Self:
        """Return a learner with the settings of a published system.

        Parameters
        ----------
        name : {"sem-kmax", "sem-tree"}
            "sem-kmax" is published as SEM-kMAX: hard EM from a random chain, joint completion,
            searches by k-max at treewidth 6 with one second per variable for parent sets and a
            tenth of that for the search, until the structure stays the same.
            ``set_params(em__effort=5)`` makes it five seconds. "sem-tree" is the same with the best
            trees, which need no parent sets: `effort` has no effect unless it is too short for a
            tree. Complete tables have one search, which `effort` does not limit.

        Returns
        -------
        NetworkLearner
            A learner, of which single settings can be changed.

        Raises
        ------
        ValueError
            If there is no preset of this name.

        See Also
        --------
        BayesianNetworkImputer.preset : Imputes by the same systems.

        References
        ----------
        Scanagatta, Corani, Zaffalon, Yoo and Kang, "Efficient learning of bounded-treewidth
        Bayesian networks from complete and incomplete data sets", International Journal of
        Approximate Reasoning 95, 2018.

        Examples
        --------
        >>> NetworkLearner.preset("sem-tree").search
        'chow-liu'
        """
        return cls(**preset_settings(name))

    def fit(self, X: Table, y: object = None, sample_weight: Weights | None = None) -> Self:
        """Learn a network.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows are data points, columns are variables. Cells may be missing, but not all of a
            variable.
        y : None
            Ignored, so that scorers of classes have nothing to score: to predict a class, use
            `BayesianNetworkClassifier`.
        sample_weight : sequence of float, optional
            Weight of each row, by position.

        Returns
        -------
        NetworkLearner
            This object; after Ctrl-C with the best network so far and `is_interrupted_` set.

        Raises
        ------
        TableError
            If the table cannot be encoded, or has a variable without a single observed cell; with
            search="chordalysis", if a cell is missing.
        InferenceTooLargeError
            If the missing cells of a row need more than a thread's share of a quarter of the
            machine's memory.
        UnknownVariableError
            If a constraint or the initial network names something that is not a variable.
        TimeoutError
            If the time limit ended an exact search before it had any network that meets the
            constraints.
        ValueError
            If a setting cannot be used, or not with this search; the message names it.

        Warns
        -----
        InterruptedWarning
            If Ctrl-C ended the search. A second Ctrl-C raises KeyboardInterrupt.
        MemoryLimitWarning
            If half of the machine's memory did not suffice for the proof of an exact search.
        RejectedNetworksWarning
            If a variable is mostly missing, and the network is the initial one although networks of
            larger treewidth were found.
        TimeLimitWarning
            If the time limit ended the search before its first step, or before all pairs of
            variables were scored, a selection of edges before its last test, or an exact search
            before the end of its proof.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0, 1], [1, 1, 0]] * 20)
        >>> learner = NetworkLearner(1, search="hill-climb").fit(table)
        >>> sorted(len(parents) for parents in learner.parents_.values())
        [0, 1, 1]
        """
        with one_clock():
            return self._fit(X, sample_weight)

    def _fit(self, X: Table, sample_weight: Weights | None) -> Self:
        settings = self._checked_settings(time.monotonic())
        opened = open_binned(
            as_table(X),
            self.n_bins,
            missing_words=self.missing_values,
            ignore=self.ignore,
            sample_weight=sample_weight,
            n_jobs=self.n_jobs,
            deadline=settings.search.deadline,
        )
        self._learn(opened.encoding, opened.codes, settings, sample_weight=sample_weight)
        self._remember_features(X, opened.encoding.variables)
        return self

    def _fit_codes(
        self,
        encoding: TableEncoding,
        codes: StateCodes,
        sample_weight: Weights | None = None,
        completed: StateCodes | None = None,
        *,
        likely_parents: _core.LikelyParents | None = None,
        started: float | None = None,
    ) -> FoundStructure:
        """Learn from codes; from completed codes, if given, by a single search."""
        with one_clock():
            settings = self._checked_settings(time.monotonic() if started is None else started)
            return self._learn(
                encoding,
                codes,
                settings,
                sample_weight=sample_weight,
                completed=completed,
                likely_parents=likely_parents,
            )

    def _learn(
        self,
        encoding: TableEncoding,
        codes: StateCodes,
        checked: _CheckedSettings,
        *,
        sample_weight: Weights | None,
        completed: StateCodes | None = None,
        likely_parents: _core.LikelyParents | None = None,
    ) -> FoundStructure:
        settings, em, rule, started = checked
        problem = check_problem(
            settings,
            encoding.variables,
            constraints=self.constraints,
            initial_network=self.initial_network,
            arities=encoding.arities.tolist(),
        )
        problem = replace(problem, likely_parents=likely_parents)
        rows = weighted_rows(encoding.variables, encoding.arities, codes, sample_weight)
        refuse_unscorable_families(rows, problem.constraints.required)
        if settings.chordalysis is not None:
            refuse_missing_cells(rows.n_missing, encoding.variables, remedy=TESTING_REMEDY)
        if not any(rows.n_missing):
            found = search_table(problem, family_scorer(rows, rule, settings), started)
            self._store(found, encoding, self._count_cpts(found, encoding, rows))
            self.em_history_ = empty_history()
            return found
        incomplete = IncompleteRows(
            rows,
            prior=rule["equivalent_sample_size"],
            completion=em.completion,
            n_jobs=self.n_jobs,
            deadline=settings.deadline,
        )
        if completed is None:
            learned = structural_em(problem, incomplete, rule, em=em, started=started)
        else:
            whole = weighted_rows(encoding.variables, encoding.arities, completed, sample_weight)
            learned = learn_from_completed_rows(
                problem, incomplete, whole, rule, em=em, started=started
            )
        self._store(learned.found, encoding, learned.cpts)
        self.em_history_ = learned.history
        return learned.found

    def _facts(self) -> Facts:
        n_iterations = pluralize(self.n_iterations_, "iteration")
        search = "chordalysis" if isinstance(self.search, Chordalysis) else self.search
        bound = "" if self.max_treewidth is None else f" of at most {self.max_treewidth}"
        facts = [
            (f"score ({self.criterion})", f"{self.score_:,.3f}"),
            ("treewidth", f"{self.treewidth_}{bound}"),
            ("arcs", f"{len(self.network_.arcs):,}"),
            ("search", f"{search}, {n_iterations}"),
        ]
        if self.is_proven_:
            facts.append(("proof", "there is nothing better"))
        elif math.isfinite(self.score_bound_):
            facts.append(("proof", f"no score is above {self.score_bound_:,.3f}"))
        return facts + learning_facts(self.em_history_, self.history_, self.is_interrupted_)

    def _checked_settings(self, started: float) -> _CheckedSettings:
        search = check_settings(
            search=self.search,
            max_treewidth=self.max_treewidth,
            constraints=self.constraints,
            max_clique_states=self.max_clique_states,
            time_limit=self.time_limit,
            max_iterations=self.max_iterations,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
            started=started,
        )
        if self.criterion == "auto":
            raise ValueError(
                'criterion="auto" is for the learner of a BayesianNetworkImputer, which chooses '
                f"by the shape of its table. Pass one of {quoted_words(CRITERIA)}."
            )
        check_reusable(self.initial_network)
        rule = score_rule(self.criterion, self.equivalent_sample_size)
        return _CheckedSettings(search, check_em(self.em), rule, started)

    def _count_cpts(
        self, found: FoundStructure, encoding: TableEncoding, rows: WeightedRows
    ) -> Sequence[Cpt]:
        return learn_cpts(
            rows.codes,
            rows.weights,
            arities=encoding.arities.tolist(),
            parents=found.parents,
            elimination_order=found.elimination_order,
            settings=EstimationSettings(self.equivalent_sample_size, n_jobs=self.n_jobs),
        )

    def _store(self, found: FoundStructure, encoding: TableEncoding, cpts: Sequence[Cpt]) -> None:
        self.network_ = BayesianNetwork._from_search(
            encoding,
            found.parents,
            cpts=cpts,
            elimination_order=found.elimination_order,
            bags=found.decomposition,
            score=found.score,
        )
        self.score_ = found.score
        self.treewidth_ = found.decomposition.width
        self.n_iterations_ = found.n_iterations
        self.n_accepted_ = found.n_accepted
        self.history_ = found.history
        self.is_interrupted_ = found.is_interrupted
        self.is_proven_ = found.is_proven
        self.score_bound_ = found.score_bound
        if found.edges is not None:
            self.p_values_ = found.edges
        elif hasattr(self, "p_values_"):
            del self.p_values_

    @property
    def parents_(self) -> dict[Hashable, tuple[Hashable, ...]]:
        """Parents of every variable, by name."""
        return dict(self.network_._parents)

    def score(self, X: Table, y: object = None) -> float:
        """Return the mean log-likelihood of the rows of a table.

        Cross-validation and grid searches of scikit-learn maximise it, so they choose the networks
        that predict new rows best.

        Parameters
        ----------
        X : table or path
            Rows of the variables that `fit` saw. Cells may be missing; states that `fit` did not
            see count as missing.
        y : None
            Ignored.

        Returns
        -------
        float
            Natural logarithm per row; higher is better.

        Raises
        ------
        TableError
            If a variable is missing or one too many is there, or there are no rows.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0], [1, 1]] * 20)
        >>> round(NetworkLearner(random_state=0).fit(table).score(table), 2)
        -0.71
        """
        table = self._table_of_features(X)
        # Folds of cross-validation hold rare states that the others lack.
        opened = open_table(
            table,
            self.network_._encoding,
            handle_unknown="missing",
            ignore=self.ignore,
            n_jobs=self.n_jobs,
        )
        answers = self.network_._row_answers
        return float(answers.log_likelihoods(opened.codes, self.n_jobs).mean())
