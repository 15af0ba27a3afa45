"""BayesianNetworkImputer: imputation of missing cells by networks of the variables of a table."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn import get_config
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from baytree.exceptions import (
    DiscretizationWarning,
    EmptyVariableWarning,
    FileFormatError,
    TableError,
    UnknownStateError,
)
from baytree.imputation.completion import CompletedRows, ImputationName, NetworkAverage
from baytree.imputation.file_imputation import (
    CompletedChunk,
    FilePath,
    ImputedFile,
    check_files,
    impute_file,
    refuse_large_chunks,
)
from baytree.imputation.imputed_tables import (
    INDICATOR_PREFIX,
    ImputerVariables,
    Quantiles,
    check_quantiles,
    select_columns,
    to_container,
)
from baytree.imputation.imputer_files import ImputerParts, read_imputer, write_imputer
from baytree.imputation.learned_networks import LearnedNetworks, LearningPlan, choose_criterion
from baytree.imputation.learner_settings import check_learner, default_learner, leave_out_empty
from baytree.imputation.missing_cells import TableRows
from baytree.imputation.regressions import NETWORKS_ALONE
from baytree.imputation.report import ImputationReport, imputation_report, imputer_facts
from baytree.imputation.tuning import candidates, tune
from baytree.learning.bin_choice import open_binned
from baytree.learning.incomplete_rows import empty_history
from baytree.learning.learner import NetworkLearner
from baytree.learning.presets import PresetName
from baytree.learning.table_estimator import Facts, TableEstimator
from baytree.messages.arguments import (
    integer_at_least,
    is_integer,
    one_of,
    positive_number,
    true_or_false,
)
from baytree.messages.quoting import quoted, shortened
from baytree.messages.user_warnings import warn_user
from baytree.runtime.limits import deadline_after, thread_count
from baytree.runtime.progress import one_clock
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.bins import Bins, bins_between, fit_edges
from baytree.tables.columns import Mask, StateCodes
from baytree.tables.containers import Table, TableView, as_table
from baytree.tables.containers.numpy_tables import NumpyView
from baytree.tables.ignored_columns import known_columns
from baytree.tables.inputs import OpenedTable, open_table, open_view
from baytree.tables.missing_values import check_missing_values, missing_words
from baytree.tables.streams import TableStream, open_stream
from baytree.tables.variable_encoding import FEW_INTEGERS, IntegerRule, UnknownPolicy
from baytree.vocabulary import IMPUTATIONS, UNKNOWN_POLICIES

# Regressions know the numbers within bins. With up to 12 bins, as in learners, networks on them
# restored no more cells, and draws of skewed numbers were 1 % too large on average.
MAX_BINS = 8
# More integers, or rarer ones, are imputed more accurately as numbers. Up to 20 that are not rare
# have a bin each, since other variables may depend on each of them.
INTEGERS = IntegerRule(10, min_rows_per_state=2)
MAX_SINGLE_BINS = 20
MIN_SECONDS = 1e-3  # for networks, however long the reading of the table took


class BayesianNetworkImputer(OneToOneFeatureMixin, TransformerMixin, TableEstimator):
    """Impute missing cells from their posteriors under networks of all variables.

    The networks are learned from the table with its missing cells. Where many weak dependences add
    up, for which a network of bounded treewidth has no room, regressions are pooled with them.
    Text, categories, truth values and integers need no preparation; numbers are cut into bins and
    imputed as numbers.

    Parameters
    ----------
    max_treewidth : int, optional
        Largest treewidth of the networks; the cost of inference is exponential in it. By default
        that of `learner`.
    completion : {"independent", "median", "joint"}, default="independent"
        "independent" completes each cell with its own most probable state, which gets the most
        cells right, and a number with its posterior mean. "median" does the same, but for a number
        with the median of its distribution. "joint" completes a row with the most probable joint
        states of all its missing cells, and a number with the mean of its bin.
    learner : NetworkLearner, optional
        Settings of each network. By default ``NetworkLearner(6, search="hill-climb",
        criterion="auto", equivalent_sample_size=10.0, em=StructuralEM(max_structure_updates=3))``.
        The criterion "auto" is EBIC for tables with at most four rows per variable, else AIC: AIC
        has more arcs than BIC and mostly restores more cells, but with few rows most of these arcs
        are there by chance. ``set_params(learner__search="anneal")`` changes one setting of the
        default. Columns in its `ignore`, such as identifiers, are not imputed either, and stay as
        they are. Settings that the imputer has too, such as `random_state`, must be left at their
        defaults.
    n_networks : int or "auto", default=5
        Number of networks whose posteriors are averaged. All but the first are learned from
        bootstraps of the rows, with missing cells drawn from the first network. "auto" is twenty
        for tables with at most one row per variable, ten with at most four, else five; with
        regressions, five take up to twice as long as one, twenty up to three times. One is enough
        for many thousand rows. A missing cell of more than 64 states is completed by the first
        network alone.
    regressions : bool, default=True
        Whether to pool the posterior of each cell with a ridge regression of its variable on all
        others: in `cell_probabilities`, and in the completions "independent" and "median". The
        weights of the two maximise the likelihood of held-out cells, 5 % of up to 160,000, which
        are hidden from the regressions and from a second network; those of small tables in up to
        ten folds, with a network each. For numbers, they minimise squared errors. If regressions
        hardly improve on networks, or the cells are too few, they are left out. The completion
        "joint" uses networks alone, and so do variables of more than 64 states; `sample` draws
        numbers within their bins by regressions.
    tune : bool, default=False
        Whether to choose the criterion and the equivalent sample size on held-out cells, 5 % of
        those observed, among the settings of `learner` and "bic" and "aic" with priors of 1 and 10
        rows. Up to six times slower.
    missing_values : int, float, str, np.nan, None, pd.NA or a list of them, default=np.nan
        Values that mean missing, beside NaN, None and pd.NA, which always do. In cells of text, of
        files and in memory, so do the words of `pandas.read_csv`, such as NA, and "?"; a list
        replaces those. The empty cell of a file is always missing.
    handle_unknown : {"error", "missing"}, default="error"
        With a state that `fit` did not see, `transform` raises an error that names the cell, or
        treats it as missing when it completes other cells of the row. It stays in its cell.
    add_indicator : bool, default=False
        Whether to append a column of truth values for each variable with missing cells in `fit`.
    keep_empty_features : bool, default=True
        Whether to keep variables without a single observed cell in `fit`, which cannot be imputed.
        `fit` warns of them in both cases.
    time_limit : float, optional
        Seconds for all of `fit`; networks for which they are too short are left out, with a
        warning. The result depends on the speed of the machine.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1. Without a time limit, the result does not
        depend on them.
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
        Iterations of structural EM for `network_`; without rows for a complete table, and after
        `read`.
    chosen_ : dict
        The `criterion` and the `equivalent_sample_size` of the networks: those of `learner`, or
        those that "auto" or `tune` chose.
    tuning_ : DataFrame
        With `tune`: the settings that were tried, and the mean log probability of held-out cells.
    model_weights_ : dict
        Exponents of "networks" and "regressions" in the product of their distributions; 1 and 0
        without regressions, or if these are used for numbers alone.
    is_interrupted_ : bool
        Whether Ctrl-C ended `fit`.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of str
        Names of the variables, if the table has names and they all are text.

    See Also
    --------
    NetworkLearner : Learns the networks.
    ampute : Hides cells, to measure the accuracy of imputation.

    Notes
    -----
    Observed cells never change. Container, dtypes, categories and index stay. A row in which
    nothing is observed gets the most probable joint states, whatever `completion` is. With several
    networks, "joint" takes the completion of one of them that is most probable under all.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": ["no", "no", "yes", "yes"] * 10, "wet": [0, 0, 1, 1] * 10})
    >>> new = pd.DataFrame({"rain": ["yes", None], "wet": pd.array([None, 0], dtype="Int64")})
    >>> bt.BayesianNetworkImputer(random_state=0).fit(table).transform(new)
      rain  wet
    0  yes    1
    1   no    0
    """

    _default_settings: ClassVar = {"learner": default_learner}

    def __init__(
        self,
        max_treewidth: int | None = None,
        *,
        completion: ImputationName = "independent",
        learner: NetworkLearner | None = None,
        n_networks: int | Literal["auto"] = 5,
        regressions: bool = True,
        tune: bool = False,
        missing_values: Any = np.nan,
        handle_unknown: UnknownPolicy = "error",
        add_indicator: bool = False,
        keep_empty_features: bool = True,
        time_limit: float | None = None,
        n_jobs: int | None = 1,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.max_treewidth = max_treewidth
        self.completion = completion
        self.learner = learner
        self.n_networks = n_networks
        self.regressions = regressions
        self.tune = tune
        self.missing_values = missing_values
        self.handle_unknown = handle_unknown
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def preset(cls, name: PresetName) -> Self:
        """Return an imputer with the settings of a published system.

        Parameters
        ----------
        name : {"sem-kmax", "sem-tree"}
            A preset of `NetworkLearner`. Its network alone completes each row with the most
            probable joint states.

        Returns
        -------
        BayesianNetworkImputer
            An imputer, of which single settings can be changed.

        Raises
        ------
        ValueError
            If there is no preset of this name.

        See Also
        --------
        NetworkLearner.preset : The settings of the network.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([["a", "b"], ["a", "b"], ["c", "d"], ["c", None]] * 9, dtype=object)
        >>> imputer = BayesianNetworkImputer.preset("sem-tree").set_params(random_state=0)
        >>> imputer.fit_transform(table)[3].tolist()
        ['c', 'd']
        """
        learner = NetworkLearner.preset(name)
        return cls(completion="joint", learner=learner, n_networks=1, regressions=False)

    def fit(self, X: Table, y: object = None) -> Self:
        """Learn networks from a table with missing cells.

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
        UnknownVariableError
            If the constraints of `learner` name something that is not a variable.
        ValueError
            If a setting cannot be used; the message names it.

        Warns
        -----
        EmptyVariableWarning
            If variables have no observed cell.
        InterruptedWarning
            If Ctrl-C ended it; the networks learned so far are kept, or the best so far of the
            first. While `tune` tries settings, those of the current setting.
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

    def _fit(self, X: Table | TableView, *, asks_probabilities: bool = False) -> Self:
        self._check_settings()
        for name in ("network_", "networks_", "tuning_"):  # of another table
            self.__dict__.pop(name, None)
        started = time.monotonic()
        rows = self._encode(X, deadline_after(started, self.time_limit))
        if asks_probabilities:  # before hours of learning
            refuse_large_chunks(rows.codes, self._variables.known_encoding)
        seed, given = drawn_seed(self.random_state), self._given_choice(rows.codes)
        learn = partial(self._learn, spent=time.monotonic() - started)
        self.chosen_ = given
        learned = None
        if self.tune:
            choice = tune(given, rows, seed, self.n_jobs, learn)
            self.chosen_, self.tuning_, learned = choice.settings, choice.table, choice.interrupted
        self._store(learned or learn(rows, seed, self.chosen_))
        return self

    def transform(self, X: Table) -> Any:
        """Return a table with its missing cells imputed.

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
        opened = self._open(X)
        rows = self._variables.known_rows(opened)
        return self._output(opened, self._average.complete(rows, self.completion))

    def cell_probabilities(self, X: Table, *, quantiles: Sequence[float] | None = None) -> Any:
        """Return the distribution of every missing cell.

        Parameters
        ----------
        X : table or path
            Rows of the variables that `fit` saw.
        quantiles : sequence of float, optional
            Levels between 0 and 1, such as ``[0.05, 0.5, 0.95]``. A number then has a line per
            level, whose state is the quantile and whose probability is the level. By default, a
            number has a line per bin.

        Returns
        -------
        DataFrame
            One row per missing cell and state, with the columns row (its label in the index of a
            pandas frame, else its number from 0), variable, state and probability. Bins are
            intervals as text. For a polars frame a polars DataFrame, in which states of several
            types are text.

        Raises
        ------
        TableError, UnknownStateError
            As for `transform`.
        ValueError
            If `quantiles` are no levels.
        InferenceTooLargeError
            As for `transform`, or if the distributions need more than a quarter of the machine's
            memory, such as those of a column of names.

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
        levels = None if quantiles is None else check_quantiles(quantiles)
        opened, average = self._open(X), self._average
        rows = self._variables.known_rows(opened)
        prediction = average.predict(rows, max_states=None)
        found = None
        if levels is not None:
            found = Quantiles(levels, average.quantiles(rows, prediction, levels))
        return self._variables.probability_frame(opened, prediction.distributions, found)

    def sample(self, X: Table, n_imputations: int = 5, random_state: Seed = None) -> list[Any]:
        """Return several tables, with missing cells drawn from their joint posterior.

        Several networks take turns, one network per table, so that the tables also differ by the
        uncertainty of the networks.

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
            As `transform` returns them. Draws are exact, and those of a row are joint.

        Raises
        ------
        TableError, UnknownStateError, InferenceTooLargeError
            As for `transform`.

        See Also
        --------
        pool_estimates : Combines estimates from several tables.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0], [0, 1], [1, 0], [1, np.nan]] * 9)
        >>> imputer = BayesianNetworkImputer(random_state=0).fit(table)
        >>> [int(np.isnan(drawn).sum()) for drawn in imputer.sample(table, 3)]
        [0, 0, 0]
        """
        n_tables = integer_at_least("n_imputations", n_imputations, 1)
        opened = self._open(X)
        seed = self.random_state if random_state is None else random_state
        return [self._output(opened, drawn) for drawn in self._draw(opened, n_tables, seed)]

    def transform_file(
        self,
        source: FilePath,
        output: FilePath,
        *,
        samples: Sequence[FilePath] = (),
        probabilities: FilePath | None = None,
    ) -> ImputedFile:
        r"""Impute a file in chunks, so that memory does not depend on its length.

        Parameters
        ----------
        source : str or path
            CSV or Parquet file with rows of the variables that `fit` saw. Other columns of a
            Parquet file are kept.
        output : str or path
            File to write, of the kind of `source`. Observed cells stay as they are written, and
            columns are those of `source` even with `add_indicator` or without empty features.
        samples : sequence of str or path, default=()
            Files for tables with missing cells drawn as by `sample`, one file per table.
        probabilities : str or path, optional
            CSV file for the distributions of missing cells, as by `cell_probabilities`.

        Returns
        -------
        ImputedFile
            Its `n_rows` and `n_missing` cells.

        Raises
        ------
        FileFormatError
            If the file cannot be read.
        TableError, UnknownStateError, InferenceTooLargeError
            As for `transform`.
        ValueError
            If a file to write is not of the kind of `source`, or is to be written twice.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import pandas as pd
        >>> table = pd.DataFrame({"rain": ["no", "yes"] * 9, "wet": ["no", "yes"] * 9})
        >>> imputer = BayesianNetworkImputer(random_state=0).fit(table)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     source, output = pathlib.Path(folder) / "new.csv", pathlib.Path(folder) / "out.csv"
        ...     _ = source.write_text("rain,wet\nyes,\n,no\n")
        ...     imputer.transform_file(source, output)
        ...     print(output.read_text())
        ImputedFile(n_rows=2, n_missing=2)
        rain,wet
        yes,yes
        no,no
        <BLANKLINE>
        """
        check_is_fitted(self)
        outputs = check_files(source, output, samples, probabilities)
        self._check_settings()
        stream = open_stream(Path(source), self._variables.encoding)
        return self._impute_stream(stream, outputs, probabilities)

    def fit_transform_file(
        self,
        source: FilePath,
        output: FilePath,
        *,
        samples: Sequence[FilePath] = (),
        probabilities: FilePath | None = None,
    ) -> ImputedFile:
        r"""Learn networks from a file and impute it, as by `fit` and `transform_file`.

        A CSV file is read once, so it may be a named pipe. Its cells are kept as they are written
        until they are imputed.

        Parameters
        ----------
        source, output, samples, probabilities
            As for `transform_file`.

        Returns
        -------
        ImputedFile
            Its `n_rows` and `n_missing` cells.

        Raises
        ------
        FileFormatError, TableError, UnknownVariableError, InferenceTooLargeError, ValueError
            As for `fit` and `transform_file`.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     source, output = pathlib.Path(folder) / "new.csv", pathlib.Path(folder) / "out.csv"
        ...     _ = source.write_text("rain,wet\n" + "yes,yes\nno,no\n" * 9 + "yes,\n")
        ...     BayesianNetworkImputer(random_state=0).fit_transform_file(source, output)
        ...     print(output.read_text().splitlines()[-1])
        ImputedFile(n_rows=19, n_missing=1)
        yes,yes
        """
        outputs = check_files(source, output, samples, probabilities)
        self._check_settings()
        words = missing_words(self.missing_values)
        view = open_view(source, missing_words=words, keeps_texts=True)
        with one_clock():
            self._fit(view, asks_probabilities=probabilities is not None)
        stream = open_stream(Path(source), self._variables.encoding, view)
        return self._impute_stream(stream, outputs, probabilities)

    def report(
        self, X: Table | None = None, *, held_out_fraction: float = 0.05
    ) -> ImputationReport:
        """Measure the accuracy of imputation on held-out cells, and count missing cells.

        Parameters
        ----------
        X : table or path, optional
            The table that was fitted. Needed only after `read` or unpickling: tables are not kept
            in files.
        held_out_fraction : float, default=0.05
            Fraction of the observed cells to hold out. All is learned again without them, to its
            end even if Ctrl-C ended `fit`.

        Returns
        -------
        ImputationReport
            Frames `variables`, `patterns` and `iterations`, and the fractions of restored cells
            `accuracy` and `mode_accuracy`; printing it shows all of them.

        Raises
        ------
        ValueError
            If there is no table, or the fraction is not between 0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0], [0, 0], [1, 1], [1, np.nan]] * 20)
        >>> report = BayesianNetworkImputer(random_state=0).fit(table).report()
        >>> report.accuracy > report.mode_accuracy
        True
        """
        check_is_fitted(self)
        if X is None and not hasattr(self, "_rows"):
            raise ValueError("The table that was fitted is not kept in files. Give it to report.")
        return imputation_report(
            self._variables.known_encoding,
            self._rows if X is None else self._variables.known_rows(self._open(X)),
            held_out_fraction=held_out_fraction,
            completion=self.completion,
            n_jobs=self.n_jobs,
            seed=drawn_seed(self.random_state),
            learn=lambda rows, seed: self._learn(rows, seed, self.chosen_),
            em_history=self.em_history_,
        )

    def score(self, X: Table, y: object = None) -> float:
        """Return the mean log-likelihood of the observed cells of each row.

        It is that of the networks alone; regressions have no part in it.

        Parameters
        ----------
        X : table or path
            Rows of the variables that `fit` saw. Cells may be missing.
        y : None
            Ignored.

        Returns
        -------
        float
            Natural logarithm per row; higher is better.

        Examples
        --------
        >>> import numpy as np
        >>> import baytree as bt
        >>> table = np.array([[0, 0], [1, 1]] * 20)
        >>> round(bt.BayesianNetworkImputer(random_state=0).fit(table).score(table), 2)
        -0.8
        """
        rows = self._variables.known_rows(self._open(X))
        return float(self._average.log_likelihoods(rows.codes).mean())

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns of a transformed table.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the variables; must be those that `fit` saw, if it saw any.

        Returns
        -------
        ndarray of str
            Names of the variables, and of the indicators after them.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"rain": ["no", "yes", None], "wet": [0, 1, 1]})
        >>> imputer = BayesianNetworkImputer(add_indicator=True).fit(table)
        >>> imputer.get_feature_names_out().tolist()
        ['rain', 'wet', 'missingindicator_rain']
        """
        names = super().get_feature_names_out(input_features)
        variables, keep_empty = self._variables, bool(self.keep_empty_features)
        incomplete = variables.incomplete if self.add_indicator else ()
        indicators = [f"{INDICATOR_PREFIX}{names[position]}" for position in incomplete]
        dropped, columns = {*names} - {*names[variables.kept(keep_empty=keep_empty)]}, [*names]
        for column, name in getattr(self, "_left_out", ()):  # unknown after `read`
            columns.insert(column, name)
        kept = [name for name in columns if name not in dropped]
        return np.array([*kept, *indicators], dtype=object)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted imputer as one JSON file, in place of a file of that name.

        It holds no rows of the table that was fitted. Regressions hold sums over rows, from which
        rows can be found out where they are few. Of an `initial_network` of the learner, it holds
        the arcs.

        Parameters
        ----------
        path : str or path
            File to write, whose name ends in .json, or .json.gz or .json.xz for a compressed one.

        Raises
        ------
        ValueError
            If the name ends otherwise, or a state is no text, number or truth value, such as
            dates; nothing is written then.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> from baytree import BayesianNetworkImputer
        >>> imputer = BayesianNetworkImputer(random_state=0).fit(np.array([[0, 1], [1, 0]] * 9))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     imputer.write(pathlib.Path(folder) / "imputer.json")
        ...     read = BayesianNetworkImputer.read(pathlib.Path(folder) / "imputer.json")
        >>> read.transform(np.array([[0, np.nan]]))
        array([[0., 1.]])
        """
        check_is_fitted(self)
        parts = ImputerParts(
            settings=self.get_params(deep=False),
            chosen=self.chosen_,
            variables=self._variables,
            networks=self.networks_,
            regressions=self._regressions,
            has_names=hasattr(self, "feature_names_in_"),
        )
        write_imputer(path, parts)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read an imputer from a file that `write` wrote; no code of the file is run.

        Parameters
        ----------
        path : str or path
            File to read.

        Returns
        -------
        BayesianNetworkImputer
            It transforms as the one that was written.

        Raises
        ------
        FileFormatError
            If the file is broken, of a newer version, or no imputer.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetworkImputer.read("imputer.pickle")
        Traceback (most recent call last):
        ...
        ValueError: imputer.pickle: the name of ... must end in .json, ...
        """
        parts = read_imputer(path, list(cls().get_params()))
        imputer = cls(**parts.settings)
        try:
            imputer._check_settings()
        except ValueError as error:
            raise FileFormatError(f"{path}: a setting cannot be used: {error}") from None
        imputer._variables = parts.variables
        imputer.chosen_ = parts.chosen
        imputer.n_features_in_ = len(parts.variables.names)
        if parts.has_names:
            imputer.feature_names_in_ = np.array(parts.variables.names, dtype=object)
        networks = tuple(parts.networks)
        imputer._store(LearnedNetworks(networks, empty_history(), False, parts.regressions))
        return imputer

    def __sklearn_tags__(self) -> Tags:
        """Declare that the dtypes of numbers are preserved."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the table that was fitted."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_rows"}

    def __sklearn_is_fitted__(self) -> bool:
        """Return True once there is a network."""
        return hasattr(self, "networks_")

    def _facts(self) -> Facts:
        return imputer_facts(self, self._missing_in_fit())

    def _check_settings(self) -> None:
        check_learner(self.learner)
        one_of("completion", self.completion, IMPUTATIONS)
        one_of("handle_unknown", self.handle_unknown, UNKNOWN_POLICIES)
        if not isinstance(self.n_networks, str):
            integer_at_least("n_networks", self.n_networks, 1)
        elif self.n_networks != "auto":
            raise ValueError(
                'n_networks must be "auto" or an integer of at least 1; '
                f"got {shortened(self.n_networks)}."
            )
        if self.time_limit is not None:
            positive_number("time_limit", self.time_limit, "seconds")
        check_missing_values(self.missing_values)
        thread_count(self.n_jobs)
        for name in ("add_indicator", "keep_empty_features", "regressions", "tune"):
            true_or_false(name, getattr(self, name))

    def _encode(self, X: Table | TableView, deadline: float) -> TableRows:
        """Encode the table of `fit`, and return the rows of variables with an observed cell."""
        words, learner = missing_words(self.missing_values), self._learner
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DiscretizationWarning)  # imputed numbers are no bins
            opened = open_binned(
                open_view(as_table(X), missing_words=words),
                learner.n_bins,
                max_bins=MAX_BINS,
                missing_values=self.missing_values,
                missing_words=words,
                ignore=learner.ignore,
                n_jobs=self.n_jobs,
                integers=INTEGERS if learner.n_bins == "auto" else FEW_INTEGERS,
                deadline=deadline,
            )
        if learner.n_bins == "auto":
            opened = opened.with_bins(_bins_of_single_integers(opened))
        self._check_features(opened.view, opened.columns, reset=True)
        left_out = enumerate(opened.view.names)
        self._left_out = [(i, name) for i, name in left_out if i not in {*opened.columns}]
        self._variables = ImputerVariables.of(opened)
        if empty := self._variables.empty:
            self._warn_of_empty(empty)
        self._rows = self._variables.known_rows(opened)
        return self._rows

    def _warn_of_empty(self, empty: Sequence[Hashable]) -> None:
        if len(empty) == len(self._variables.names):
            raise TableError("Every cell of the table is missing, so there is nothing to learn.")
        end = "stay missing" if self.keep_empty_features else "are dropped with them"
        warn_user(
            f"Variables without a single observed cell: {quoted(empty)}. Their cells {end}.",
            EmptyVariableWarning,
        )

    def _check_features(self, view: TableView, columns: Sequence[int], *, reset: bool) -> None:
        """Compare the names of columns that are variables with those of `fit`, or store them."""
        names = [view.names[column] for column in columns]
        if isinstance(view, NumpyView) or all(isinstance(name, str) for name in names):
            is_whole = len(columns) == len(view.names)
            header = view.header if is_whole else select_columns(view.header, columns)
            validate_data(self, header, reset=reset, skip_check_array=True)
        elif reset:
            self.n_features_in_ = len(names)

    def _open(self, X: Table) -> OpenedTable:
        """Open a table of the variables of `fit`."""
        check_is_fitted(self)
        self._check_settings()
        encoding = self._variables.encoding
        view = open_view(as_table(X), encoding)
        columns = known_columns(view, encoding.variables, self._learner.ignore)
        self._check_features(view, columns, reset=False)
        return self._open_view(view)

    def _open_view(self, view: TableView) -> OpenedTable:
        try:
            return open_table(
                view,
                self._variables.encoding,
                handle_unknown=self.handle_unknown,
                missing_values=self.missing_values,
                ignore=self._learner.ignore,
                n_jobs=self.n_jobs,
            )
        except UnknownStateError as error:
            advice = 'Or pass handle_unknown="missing": such cells stay as they are.'
            raise UnknownStateError(f"{error} {advice}") from None

    @property
    def _learner(self) -> NetworkLearner:
        """Settings of each network, with those that the imputer has too."""
        learner = default_learner() if self.learner is None else self.learner
        own = {"n_jobs": self.n_jobs, "verbose": self.verbose}
        if self.max_treewidth is not None:
            own["max_treewidth"] = self.max_treewidth
        return NetworkLearner(**learner.get_params(deep=False) | own)

    def _given_choice(self, codes: StateCodes) -> dict[str, Any]:
        learner = self._learner
        return {
            "criterion": choose_criterion(learner.criterion, codes),
            "equivalent_sample_size": learner.equivalent_sample_size,
        }

    def _learn(
        self, rows: TableRows, seed: int, chosen: Mapping[str, Any], spent: float = 0.0
    ) -> LearnedNetworks:
        """Learn in what is left of the time limit after some seconds were spent."""
        time_limit = self.time_limit
        if time_limit is not None:
            n_rounds = 1 + self.tune * len(candidates(self._given_choice(rows.codes)))
            time_limit = max(time_limit - spent, MIN_SECONDS) / n_rounds
        learner, variables = self._learner, self._variables
        leave_out_empty(learner, variables)
        plan = LearningPlan(learner, self.n_networks, bool(self.regressions), time_limit)
        return plan.learn(variables.known_encoding, rows, seed, chosen)

    def _store(self, learned: LearnedNetworks) -> None:
        self.networks_ = learned.networks
        self.network_ = learned.networks[0]
        self.em_history_ = learned.em_history
        self.is_interrupted_ = learned.is_interrupted
        self._regressions = learned.regressions
        weights = NETWORKS_ALONE if learned.regressions is None else learned.regressions.weights
        self.model_weights_ = {"networks": weights.networks, "regressions": weights.regressions}

    @property
    def _average(self) -> NetworkAverage:
        return NetworkAverage(self.networks_, self.n_jobs, self._regressions)

    def _draw(self, opened: OpenedTable, n_tables: int, random_state: Seed) -> Any:
        random = np.random.RandomState(drawn_seed(random_state))
        seeds = random.randint(1, 2**31 - 1, size=n_tables).tolist()
        return self._average.draw(self._variables.known_rows(opened), seeds)

    def _impute_stream(
        self, stream: TableStream, outputs: Sequence[FilePath], probabilities: FilePath | None
    ) -> ImputedFile:
        """Write the completed table to the first file, and draws to the others."""
        random_state, n_samples = self.random_state, len(outputs) - 1
        seed = int(random_state) if is_integer(random_state) else drawn_seed(random_state)

        def complete(view: TableView, number: int) -> CompletedChunk:
            chunk_seed = (seed + number) % 2**32  # equal ones would repeat their draws
            return self._complete_chunk(view, n_samples, chunk_seed, probabilities is not None)

        return impute_file(stream, complete, outputs, probabilities)

    def _complete_chunk(
        self, view: TableView, n_samples: int, seed: int, has_probabilities: bool
    ) -> CompletedChunk:
        """Complete rows of a file; posteriors are computed once."""
        opened, variables, average = self._open_view(view), self._variables, self._average
        rows, prediction, cells = variables.known_rows(opened), None, None
        if has_probabilities:
            prediction = average.predict(rows, max_states=None)
        completed = [average.complete(rows, self.completion, prediction)]
        if n_samples:
            completed += self._draw(opened, n_samples, seed)
        if prediction is not None:
            cells = variables.probability_frame(opened, prediction.distributions)
        return CompletedChunk(opened, [variables.of_all(opened, own) for own in completed], cells)

    def _output(self, opened: OpenedTable, completed: CompletedRows) -> Any:
        table = self._variables.output(
            opened,
            completed,
            keep_empty=bool(self.keep_empty_features),
            add_indicator=bool(self.add_indicator),
        )
        configured: dict[str, str] = getattr(self, "_sklearn_output_config", {})
        return to_container(table, configured.get("transform") or get_config()["transform_output"])

    def _missing_in_fit(self) -> Mask | None:
        """Return the mask of missing cells in `fit`; None if the table was not kept."""
        has_rows = hasattr(self, "_rows")
        return self._variables.missing_cells(self._rows.codes) if has_rows else None

    def _missing_cells(self, X: Table | None) -> tuple[tuple[Hashable, ...], Mask]:
        """Return the variables, and the missing cells of a table, by default that of `fit`."""
        check_is_fitted(self)
        is_missing = self._missing_in_fit() if X is None else self._open(X).is_missing
        if is_missing is None:
            raise ValueError("The table that was fitted is not kept in files. Give it as X.")
        return self._variables.names, is_missing


def _bins_of_single_integers(opened: OpenedTable) -> dict[int, Bins]:
    """Return bins of one integer each for the numeric variables that have few."""
    return {
        position: bins_between(tally, fit_edges(tally, MAX_SINGLE_BINS, "quantile"))
        for position, tally in opened.tallies.items()
        if opened.encoding.variable_encodings[position].is_integer
        and len(tally.numbers) <= min(MAX_SINGLE_BINS, tally.counts.sum() / 2)
    }
