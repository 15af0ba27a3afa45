"""What the methods of the imputer share: tables in, codes, networks, tables out."""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from baytree.exceptions import EmptyVariableWarning, TableError, UnknownStateError
from baytree.imputation.averages import NetworkAverage
from baytree.imputation.learned_networks import (
    Bootstraps,
    JudgedRows,
    LearnedNetworks,
    learn_networks,
    with_regressions,
)
from baytree.imputation.outputs import cell_frame, in_container, with_columns_kept, with_indicators
from baytree.imputation.regression_fit import hide_some_cells
from baytree.imputation.regressions import NETWORKS_ALONE
from baytree.imputation.tuning import candidates, criterion_for, n_networks_for, tried_settings
from baytree.learning.em_settings import StructuralEM
from baytree.learning.estimator_html import Facts, imputer_facts
from baytree.learning.learner import NetworkLearner
from baytree.learning.search_problem import ENDING_SEARCHES
from baytree.learning.table_estimator import TableEstimator
from baytree.messages.arguments import integer_at_least, one_of, positive_number
from baytree.messages.quoting import quoted, shortened
from baytree.messages.user_warnings import warn_user
from baytree.runtime.limits import deadline_after
from baytree.runtime.seeds import drawn_seed
from baytree.tables.columns import Mask
from baytree.tables.containers import Table, TableView, as_table
from baytree.tables.containers.numpy_tables import NumpyView
from baytree.tables.encoding import StateCodes, TableEncoding
from baytree.tables.inputs import OpenedTable, open_table, open_view
from baytree.tables.missing_values import check_missing_values, missing_words
from baytree.vocabulary import CRITERIA

SHARE_FOR_REGRESSIONS = 0.25  # of a time limit

# Settings of the imputer that are those of the learner.
LEARNER_SETTINGS = (
    "max_treewidth",
    "search",
    "criterion",
    "max_iterations",
    "max_parents",
    "max_clique_states",
    "equivalent_sample_size",
    "n_jobs",
    "verbose",
)


class ImputerBase(OneToOneFeatureMixin, TransformerMixin, TableEstimator):
    """The imputer without its public methods; `BayesianNetworkImputer` documents the settings."""

    def __sklearn_tags__(self) -> Tags:
        """Say that numbers stay what they are."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the table that was fitted."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_codes"}

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a network."""
        return hasattr(self, "networks_")

    def _facts(self) -> Facts:
        return imputer_facts(self)

    def _missing_in_fit(self) -> Mask | None:
        """Return where the table of fit was missing; None where it was not kept."""
        if not hasattr(self, "_codes"):
            return None
        is_missing = np.ones((len(self._codes), len(self._encoding.variables)), dtype=bool)
        is_missing[:, self._learned] = self._codes < 0
        return is_missing

    def _missing_cells(self, X: Table | None) -> tuple[tuple[Hashable, ...], Mask]:
        """Return the variables, and where a table is missing, or that of fit if none is given."""
        check_is_fitted(self)
        is_missing = self._missing_in_fit() if X is None else self._opened(X).is_missing
        if is_missing is None:
            raise ValueError("The table that was fitted is not kept in files. Give it as X.")
        return self._encoding.variables, is_missing

    def _check_settings(self) -> None:
        one_of("method", self.method, ("joint", "independent"))
        one_of("handle_unknown", self.handle_unknown, ("error", "missing"))
        one_of("criterion", self.criterion, ("auto", *CRITERIA))
        if not isinstance(self.n_networks, str):
            integer_at_least("n_networks", self.n_networks, 1)
        elif self.n_networks != "auto":
            raise ValueError(
                'n_networks must be "auto" or an integer of at least 1; '
                f"got {shortened(self.n_networks)}."
            )
        if self.time_limit is not None:
            positive_number("time_limit", self.time_limit)
        check_missing_values(self.missing_values)
        for name in ("add_indicator", "keep_empty_features", "regressions", "tune"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ValueError(f"{name} must be True or False; got {getattr(self, name)!r}.")

    def _view(self, X: Any, *, reset: bool) -> TableView:
        """Return a view of a table, held to the variables that fit saw if it is not for fit."""
        words = missing_words(self.missing_values) if reset else None
        view = open_view(as_table(X), None if reset else self._encoding, missing_words=words)
        if isinstance(view, NumpyView) or all(isinstance(name, str) for name in view.names):
            validate_data(self, view.native, reset=reset, skip_check_array=True)
        elif reset:
            self.n_features_in_ = len(view.names)
        return view

    def _opened(self, X: Table) -> OpenedTable:
        check_is_fitted(self)
        self._check_settings()
        return self._encoded(self._view(X, reset=False))

    def _encoded(self, view: TableView) -> OpenedTable:
        try:
            return open_table(
                view,
                self._encoding,
                handle_unknown=self.handle_unknown,
                missing_values=self.missing_values,
            )
        except UnknownStateError as error:
            advice = (
                'Or pass handle_unknown="missing": such cells stay as they are, and tell nothing.'
            )
            raise UnknownStateError(f"{error} {advice}") from None

    def _learned_codes(self, codes: StateCodes) -> StateCodes:
        return np.asfortranarray(codes[:, self._learned])

    def score(self, X: Table, y: object = None) -> float:
        """Return the mean log-likelihood of what is observed in the rows of a table.

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
        codes = self._learned_codes(self._opened(X).codes)
        return float(self._average.log_likelihoods(codes).mean())

    def _report_empty_variables(self) -> None:
        is_empty = np.ones(len(self._encoding.variables), dtype=bool)
        is_empty[self._learned] = False
        empty = [self._encoding.variables[i] for i in np.flatnonzero(is_empty)]
        if len(empty) == len(is_empty):
            raise TableError("Every cell of the table is missing, so there is nothing to learn.")
        if empty:
            end = "stay missing" if self.keep_empty_features else "are dropped with them"
            warn_user(
                f"Variables without a single observed cell: {quoted(empty)}. Their cells {end}.",
                EmptyVariableWarning,
            )

    def _choose(self, codes: StateCodes, seed: int) -> LearnedNetworks | None:
        """Set the criterion and the prior: as given, by the shape of the table, or by trying some.

        If Ctrl-C ends that, return the networks that were being tried.
        """
        self.chosen_ = self._given_choice(codes)
        if not self.tune:
            return None
        tried = candidates(self.chosen_)
        tuning = tried_settings(codes, tried, seed=seed, n_jobs=self.n_jobs, learn=self._learn)
        self.tuning_ = tuning.table
        if tuning.interrupted is not None:
            self.chosen_ = tried[len(tuning.table)]
            return tuning.interrupted
        self.chosen_ = tried[int(self.tuning_["log_score"].argmax())]
        return None

    def _given_choice(self, codes: StateCodes) -> dict[str, Any]:
        return {
            "criterion": criterion_for(self.criterion, codes),
            "equivalent_sample_size": self.equivalent_sample_size,
        }

    def _learn(
        self, codes: StateCodes, seed: int, chosen: dict[str, Any] | None = None
    ) -> LearnedNetworks:
        """Return the networks of codes, with the regressions that are asked for."""
        given = self._given_choice(codes)
        asked = self.get_params() | given | (self.chosen_ if chosen is None else chosen)
        settings = {name: asked[name] for name in LEARNER_SETTINGS}
        em = StructuralEM(
            em_init=self.initialization,
            completion=self.completion,
            max_structure_updates=self.max_em_iterations,
            max_em_iterations=self.inner_em_iterations,
            effort=self.effort,
        )
        n_rounds = 1 + self.tune * len(candidates(given))
        time_limit = None if self.time_limit is None else self.time_limit / n_rounds
        share = 1.0
        if self.search not in ENDING_SEARCHES:  # it takes all the time that it has
            share -= SHARE_FOR_REGRESSIONS * self.regressions
        random = np.random.RandomState(seed)
        n_networks = n_networks_for(self.n_networks, codes)
        encoding = self._learned_encoding()
        shown = hide_some_cells(codes, encoding.arities, seed) if self.regressions else None
        n_learned = n_networks if shown is None else max(n_networks, 2)
        seeds = [int(random.randint(1, 2**31 - 1)) for _ in range(n_learned)]
        learners = [NetworkLearner(**settings, em=em, random_state=each) for each in seeds]
        kind = Bootstraps if n_learned == n_networks else JudgedRows
        others = kind(codes if shown is None else shown)
        started = time.monotonic()
        for_networks = None if time_limit is None else share * time_limit
        learned = learn_networks(learners, encoding, codes, others=others, time_limit=for_networks)
        if shown is None or learned.is_interrupted:
            return learned
        return with_regressions(
            learned,
            codes,
            shown,
            n_networks=n_networks,
            seed=seed,
            deadline=deadline_after(started, time_limit),
            n_jobs=self.n_jobs,
        )

    def _learned_encoding(self) -> TableEncoding:
        """Return the encoding of the variables that networks know."""
        encoding: TableEncoding = self._encoding
        if len(self._learned) == len(encoding.variables):
            return encoding
        return encoding.restricted(self._learned.tolist())

    def _take(self, learned: LearnedNetworks) -> None:
        self.networks_ = learned.networks
        self.network_ = learned.networks[0]
        self.em_history_ = learned.em_history
        self.is_interrupted_ = learned.is_interrupted
        self._regressions = learned.regressions
        weights = NETWORKS_ALONE if learned.regressions is None else learned.regressions.weights
        self.model_weights_ = {
            "networks": weights.networks,
            "regressions": weights.regressions,
        }

    @property
    def _average(self) -> NetworkAverage:
        return NetworkAverage(self.networks_, self.n_jobs, self._regressions)

    def _kept(self) -> list[int]:
        """Return the positions of the variables that are in the output."""
        if self.keep_empty_features:
            return list(range(len(self._encoding.variables)))
        return [int(position) for position in self._learned]

    def _completed(self, opened: OpenedTable) -> StateCodes:
        """Return the codes of a table with its missing cells filled."""
        codes = opened.codes.copy()
        codes[:, self._learned] = self._average.complete(self._learned_codes(codes), self.method)
        return codes

    def _drawn(self, opened: OpenedTable, n_tables: int, random_state: Any) -> list[StateCodes]:
        """Return the codes of a table with its missing cells drawn, several times."""
        seeds = np.random.RandomState(drawn_seed(random_state)).randint(1, 2**31 - 1, size=n_tables)
        drawn = []
        for learned in self._average.draw(self._learned_codes(opened.codes), seeds.tolist()):
            codes = opened.codes.copy()
            codes[:, self._learned] = learned
            drawn.append(codes)
        return drawn

    def _cell_frame(self, opened: OpenedTable) -> pd.DataFrame:
        """Return the distributions of the missing cells of a table."""
        learned = self._learned_codes(opened.codes)
        return cell_frame(
            self._learned_encoding(),
            pd.RangeIndex(len(learned)) if opened.index is None else opened.index,
            learned < 0,
            self._average.cell_probabilities(learned),
            shown=opened.is_missing[:, self._learned],
        )

    def _output(self, opened: OpenedTable, codes: StateCodes) -> Any:
        filled = opened.filled(codes)
        kept = self._kept()
        if len(kept) < len(self._encoding.variables):
            filled = with_columns_kept(
                filled, sorted(opened.columns[position] for position in kept)
            )
        if self.add_indicator:
            names = [self._encoding.variables[position] for position in self._with_gaps]
            filled = with_indicators(filled, names, opened.is_missing[:, self._with_gaps])
        return in_container(filled, self._output_kind())

    def _output_kind(self) -> str:
        """Return the container that set_output asks for, which frames of others must become."""
        asked: dict[str, str] = getattr(self, "_sklearn_output_config", {})
        return asked.get("transform") or str(get_config()["transform_output"])
