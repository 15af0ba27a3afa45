"""BayesianNetworkImputer: fills missing cells of tables from a network of their variables."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from baytree.imputation.outputs import PREFIX
from baytree.imputation.report import ImputationReport, imputation_report
from baytree.imputation.storage import StoredImputer
from baytree.learning.em_settings import EmInit
from baytree.learning.scoring import CriterionName
from baytree.learning.search_problem import SearchName
from baytree.messages.arguments import integer_at_least
from baytree.networks.rows import CompletionName
from baytree.runtime.progress import one_clock
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.containers import Table
from baytree.tables.inputs import open_table
from baytree.tables.missing_values import missing_words
from baytree.tables.variable_encoding import ContinuousPolicy, UnknownPolicy


class BayesianNetworkImputer(StoredImputer):
    """Fill missing cells with what a network of all variables says about them.

    The network is learned from the table with its gaps. Where many weak dependences add up, for
    which it has no room, regressions have a say too. Text, categories, truth values and integers
    need no preparation; numbers are cut into bins and come back as numbers.

    Parameters
    ----------
    max_treewidth : int, default=6
        Largest treewidth of the learned network; the cost of inference is exponential in it.
    method : {"independent", "joint"}, default="independent"
        Fill each cell with its own most probable state, which gets the most cells right, or a row
        with the most probable joint states of all its missing cells, so that the cells go
        together. A number that is filled on its own gets the bin in the middle of its
        distribution: the true one is as likely to be above as below.
    search : str, default="hill-climb"
        How to look for the structure, as in `NetworkLearner`.
    criterion : {"auto", "aic", "bic", "ebic", "bdeu", "k2", "log-likelihood"}, default="auto"
        Score that the structure maximises. AIC has more arcs than BIC, and mostly restores more
        cells. But where there are many variables and few rows, most of these arcs are there by
        chance: "auto" is EBIC for tables with at most four rows per variable, else AIC.
    time_limit : float, optional
        Seconds for all that `fit` does; networks for which they are too short are left out, with a
        warning. The result depends on the speed of the machine.
    max_iterations : int, optional
        Iterations of a search, for the searches that do not end by themselves.
    max_parents : int, optional
        Largest number of parents of a variable; never more than `max_treewidth`.
    max_clique_states : float, default=1_000_000
        Largest number of joint states of the variables in a bag.
    equivalent_sample_size : float, default=10.0
        Rows that the prior of the probabilities is worth.
    initialization : {"tree", "chain"}, default="tree"
        The structure that EM starts from, as in `NetworkLearner`.
    completion : {"joint", "independent"}, default="joint"
        How EM fills the gaps before each search; how they are filled at last is for `method`.
    max_em_iterations : int, default=3
        Most searches of structural EM. More seldom restore more cells.
    inner_em_iterations : int, default=5
        Steps of EM for the probabilities after each search; after the last one of the first
        network, as many as it takes, and at most two for the networks of bootstraps. With 0,
        probabilities are counts of filled tables.
    effort : float, optional
        Seconds for each variable and iteration of EM, as in `NetworkLearner`, and for each of
        `n_networks` above the first.
    n_networks : int or "auto", default=1
        Above 1, so many networks are learned, and their posteriors are averaged, which restores
        more cells where there are no regressions, and mostly a few more where there are. All but
        the first are learned from bootstraps of the rows, whose gaps are drawn from the first
        network. "auto" is twenty for tables with at most one row a variable, ten with at most four,
        else five; with regressions, five take up to twice as long as one, twenty up to three times.
    regressions : bool, default=True
        Whether a ridge regression of each variable on all others may have a say in single cells:
        in those that are filled with the method "independent", and in `cell_probabilities`. For
        each cell it is the product of the two distributions that counts, with weights that make
        some observed cells most probable: 5 % of up to 160,000, which are hidden from the
        regressions and from all networks but the first, or from one that is learned for this. If
        that is hardly better than networks alone, or the cells are too few, there are no
        regressions. What fills several cells of a row together, the method "joint" and `sample`,
        is for networks alone. Variables of more than 64 states have no part in it.
    tune : bool, default=False
        Whether to choose `criterion` and `equivalent_sample_size` by the table itself: 5 % of its
        observed cells are hidden, and the settings win that hold their states most probable, of
        those given and of "bic" and "aic" with priors of 1 and 10 rows. Up to six times slower.
    missing_values : int, float, str, np.nan, None, pd.NA or a list of them, default=np.nan
        What means missing, beside NaN, None and pd.NA, which always do. In a CSV file so do the
        empty cell and the usual words, such as NA and "?"; the words of a list replace those.
    handle_unknown : {"error", "missing"}, default="error"
        What to do in `transform` with a state that `fit` did not see: raise an error that names
        the cell, or make nothing of it when other cells of the row are filled. It stays in its
        cell.
    add_indicator : bool, default=False
        Whether to append a column of truth values for each variable that had gaps in `fit`.
    keep_empty_features : bool, default=True
        Whether to keep variables without a single observed cell in `fit`, whose gaps cannot be
        filled. `fit` warns of them in both cases.
    continuous : {"bin", "error"}, default="bin"
        What to do with numeric variables: cut them into bins, or refuse them. A filled cell gets
        the median of a bin.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1. The result does not depend on them.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices; None for a new one every time.
    verbose : int, default=0
        Above 0, show progress, as in `NetworkLearner`.

    Attributes
    ----------
    network_ : BayesianNetwork
        Network of the table.
    networks_ : tuple of BayesianNetwork
        All networks; `network_` is the first.
    em_history_ : DataFrame
        What each iteration of structural EM did to `network_`; without rows for a complete table,
        and after `read`.
    chosen_ : dict
        The `criterion` and the `equivalent_sample_size` of the networks: those given, or what
        "auto" or `tune` have chosen.
    tuning_ : DataFrame
        With `tune`: the settings that were tried, and the mean log probability of hidden cells.
    model_weights_ : dict
        What "networks" and "regressions" count: exponents of their distributions of a cell. 1 and
        0 without regressions.
    is_interrupted_ : bool
        Whether Ctrl-C ended `fit`.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of str
        Names of the variables, if the table has names and they all are text.

    See Also
    --------
    NetworkLearner : Learns the network.
    ampute : Hides cells, to see how well they can be filled.

    Notes
    -----
    Observed cells never change. Container, dtypes, categories and index stay. A row in which
    nothing is observed gets the most probable row of all, whatever the method. With several
    networks, the method "joint" takes the best of the networks' own completions.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": ["no", "no", "yes", "yes"] * 10, "wet": [0, 0, 1, 1] * 10})
    >>> holes = pd.DataFrame({"rain": ["yes", None], "wet": pd.array([None, 0], dtype="Int64")})
    >>> bt.BayesianNetworkImputer(random_state=0).fit(table).transform(holes)
      rain  wet
    0  yes    1
    1   no    0
    """

    def __init__(
        self,
        max_treewidth: int = 6,
        *,
        method: CompletionName = "independent",
        search: SearchName = "hill-climb",
        criterion: CriterionName | Literal["auto"] = "auto",
        time_limit: float | None = None,
        max_iterations: int | None = None,
        max_parents: int | None = None,
        max_clique_states: float = 1_000_000,
        equivalent_sample_size: float = 10.0,
        initialization: EmInit = "tree",
        completion: CompletionName = "joint",
        max_em_iterations: int = 3,
        inner_em_iterations: int = 5,
        effort: float | None = None,
        n_networks: int | Literal["auto"] = 1,
        regressions: bool = True,
        tune: bool = False,
        missing_values: Any = np.nan,
        handle_unknown: UnknownPolicy = "error",
        add_indicator: bool = False,
        keep_empty_features: bool = True,
        continuous: ContinuousPolicy = "bin",
        n_jobs: int | None = 1,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.max_treewidth = max_treewidth
        self.method = method
        self.search = search
        self.criterion = criterion
        self.time_limit = time_limit
        self.max_iterations = max_iterations
        self.max_parents = max_parents
        self.max_clique_states = max_clique_states
        self.equivalent_sample_size = equivalent_sample_size
        self.initialization = initialization
        self.completion = completion
        self.max_em_iterations = max_em_iterations
        self.inner_em_iterations = inner_em_iterations
        self.effort = effort
        self.n_networks = n_networks
        self.regressions = regressions
        self.tune = tune
        self.missing_values = missing_values
        self.handle_unknown = handle_unknown
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.continuous = continuous
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Table, y: object = None) -> Self:
        """Learn the network of a table with gaps.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows are data points, columns are variables. Cells may be missing.
        y : None
            Ignored.

        Returns
        -------
        BayesianNetworkImputer
            This object.

        Raises
        ------
        TableError
            If the table cannot be encoded, or nothing at all is observed.
        ValueError
            If a setting cannot be used; the message names it.

        Warns
        -----
        DiscretizationWarning
            If numeric variables were cut into bins.
        EmptyVariableWarning
            If variables have no observed cell.
        InterruptedWarning
            If Ctrl-C ended it; the networks learned so far are kept, or the best so far of the
            first. While `tune` tries settings, those of the setting at hand.
        TimeLimitWarning
            If `time_limit` was too short for all networks, or for more than their start.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0], [0, 0], [1, 1], [1, np.nan]] * 10)
        >>> BayesianNetworkImputer(random_state=0).fit(table).network_.variables
        ('x0', 'x1')
        """
        with one_clock():
            return self._fit(X)

    def _fit(self, X: Table) -> Self:
        self._check_settings()
        opened = open_table(
            self._view(X, reset=True),
            continuous=self.continuous,
            missing_values=self.missing_values,
            missing_words=missing_words(self.missing_values),
        )
        self._encoding, codes = opened.encoding, opened.codes
        is_observed = codes >= 0
        self._learned = np.flatnonzero(is_observed.any(axis=0))
        self._with_gaps = np.flatnonzero(~is_observed.all(axis=0))
        self._report_empty_variables()
        self._codes = np.asfortranarray(codes[:, self._learned])
        seed = drawn_seed(self.random_state)
        interrupted = self._choose(self._codes, seed)
        self._take(interrupted or self._learn(self._codes, seed))
        return self

    def transform(self, X: Table) -> Any:
        """Return a table with its missing cells filled.

        Parameters
        ----------
        X : table or path
            Rows of the variables that `fit` saw.

        Returns
        -------
        table
            Same container, dtypes, categories and index as `X`, unless `set_output` chose another
            container; a pandas frame for a file. Observed cells are untouched.

        Raises
        ------
        TableError
            If a variable is missing or one too many is there, or, as scikit-learn has it, there
            are no rows.
        UnknownStateError
            If a cell holds a state that `fit` did not see and `handle_unknown` is "error".
        InferenceTooLargeError
            If the missing cells of a row need more than a thread's share of a quarter of the
            machine's memory.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([["a", "b"], ["a", "b"], ["c", "d"], ["c", None]] * 9, dtype=object)
        >>> BayesianNetworkImputer(random_state=0).fit(table).transform(table)[3].tolist()
        ['c', 'd']
        """
        opened = self._opened(X)
        return self._output(opened, self._completed(opened))

    def cell_probabilities(self, X: Table) -> pd.DataFrame:
        """Return the distribution of every missing cell.

        Parameters
        ----------
        X : table or path
            Rows of the variables that `fit` saw.

        Returns
        -------
        DataFrame
            A row for each missing cell and state, with the columns row (its label in the index of
            a pandas frame, else its number from 0), variable, state and probability. Bins are
            intervals as text.

        Raises
        ------
        TableError, UnknownStateError, InferenceTooLargeError
            As for `transform`.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"rain": ["no", "no", "yes", "yes"] * 9, "wet": [0, 0, 1, 1] * 9})
        >>> imputer = BayesianNetworkImputer(random_state=0).fit(table)
        >>> imputer.cell_probabilities(pd.DataFrame({"rain": ["yes"], "wet": [None]})).round(2)
           row variable state  probability
        0    0      wet     0         0.11
        1    0      wet     1         0.89
        """
        return self._cell_frame(self._opened(X))

    def sample(self, X: Table, n_imputations: int = 5, random_state: Seed = None) -> list[Any]:
        """Return several tables, with missing cells drawn from their joint posterior.

        Several networks take turns, a network for each table, so that the tables differ by what is
        unsure in the networks too.

        Parameters
        ----------
        X : table or path
            Rows of the variables that `fit` saw.
        n_imputations : int, default=5
            Number of tables.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws; None for that of the imputer.

        Returns
        -------
        list of tables
            As `transform` returns them. Draws are exact, and those of a row belong together.

        Raises
        ------
        TableError, UnknownStateError, InferenceTooLargeError
            As for `transform`.

        See Also
        --------
        pool_estimates : Makes one estimate of those from several tables.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0], [0, 1], [1, 0], [1, np.nan]] * 9)
        >>> imputer = BayesianNetworkImputer(random_state=0).fit(table)
        >>> [int(np.isnan(drawn).sum()) for drawn in imputer.sample(table, 3)]
        [0, 0, 0]
        """
        n_tables = integer_at_least("n_imputations", n_imputations, 1)
        opened = self._opened(X)
        seed = self.random_state if random_state is None else random_state
        return [self._output(opened, codes) for codes in self._drawn(opened, n_tables, seed)]

    def report(self, X: Table | None = None, *, hidden_share: float = 0.05) -> ImputationReport:
        """Return what was missing, what EM did, and how well hidden cells are restored.

        Parameters
        ----------
        X : table or path, optional
            The table that was fitted. Needed only after `read` or unpickling: whole tables are not
            kept in files.
        hidden_share : float, default=0.05
            Share of the observed cells to hide. All is learned again without them, to its end even
            if Ctrl-C ended `fit`.

        Returns
        -------
        ImputationReport
            Frames `variables`, `patterns` and `iterations`, and the shares of restored cells
            `accuracy` and `mode_accuracy`; printing it shows all of them.

        Raises
        ------
        ValueError
            If there is no table, or the share is not between 0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0], [0, 0], [1, 1], [1, np.nan]] * 20)
        >>> report = BayesianNetworkImputer(random_state=0).fit(table).report()
        >>> report.accuracy > report.mode_accuracy
        True
        """
        check_is_fitted(self)
        if X is None and not hasattr(self, "_codes"):
            raise ValueError("The table that was fitted is not kept in files. Give it to report.")
        codes = self._codes if X is None else self._learned_codes(self._opened(X).codes)
        return imputation_report(
            self._learned_encoding(),
            codes,
            hidden_share=hidden_share,
            method=self.method,
            n_jobs=self.n_jobs,
            seed=drawn_seed(self.random_state),
            learn=self._learn,
            em_history=self.em_history_,
        )

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the variables; must be those that `fit` saw, if it saw any.

        Returns
        -------
        ndarray of str
            Names of the variables, and of the indicators behind them.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"rain": ["no", "yes", None], "wet": [0, 1, 1]})
        >>> imputer = BayesianNetworkImputer(add_indicator=True).fit(table)
        >>> imputer.get_feature_names_out().tolist()
        ['rain', 'wet', 'missingindicator_rain']
        """
        names = super().get_feature_names_out(input_features)
        indicators = [f"{PREFIX}{names[i]}" for i in self._with_gaps if self.add_indicator]
        return np.array([*names[self._kept()], *indicators], dtype=object)
