"""MixtureLearner: mixtures of networks of bounded treewidth, learned from tables."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Literal, Self, TypeAlias

import numpy as np
import pandas as pd

from baytree.exceptions import InterruptedWarning, TableError
from baytree.learning.bin_choice import open_binned
from baytree.learning.constraints import ArcConstraints
from baytree.learning.learner import NetworkLearner
from baytree.learning.table_estimator import Facts, TableEstimator
from baytree.messages.arguments import integer_at_least
from baytree.messages.quoting import shortened
from baytree.messages.user_warnings import warn_user
from baytree.mixtures.component_structures import (
    ComponentStructure,
    StructureRows,
    candidate_structures,
)
from baytree.mixtures.latent_learning import (
    LatentMixture,
    LatentRows,
    LatentTask,
    LearningScale,
    automatic_components,
    learn_mixtures,
    learning_scale,
    refuse_too_many,
)
from baytree.mixtures.mixture import NetworkMixture
from baytree.mixtures.parts import MixturePart
from baytree.networks.row_answers import Floats
from baytree.runtime.limits import deadline_after, thread_count
from baytree.runtime.progress import one_clock, progress_bar
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.columns import StateCodes
from baytree.tables.containers import Table, as_table
from baytree.tables.encoding import TableEncoding
from baytree.tables.inputs import OpenedTable, open_table
from baytree.tables.variable_encoding import BinNumber
from baytree.tables.weighted_rows import Weights, weighted_rows
from baytree.vocabulary import DEFAULT_MISSING_VALUES

Number: TypeAlias = int | Literal["auto"]

N_FOLDS = 10  # one of which is held out
ROWS_PER_STEP = 12.8  # that make a step more: ten passes over long tables
MAX_STEPS = 20_000
MAX_LOSS = 0.005  # of the held-out log-likelihood, relative to the best structure's
MAX_STATES = 65_535  # of a variable, whose codes take two bytes
MIN_ROWS = 20  # to hold some out
STRUCTURE_SHARE = 0.2  # of the time limit
MAX_STRUCTURES = 8  # of which mixtures are compared
N_STARTS = 4  # for each structure, where components are few: some end in poor local optima


@dataclass(frozen=True, eq=False)
class _Rows:
    """Codes of the rows to learn from and, behind them, of those of a validation table."""

    encoding: TableEncoding
    codes: StateCodes
    weights: Floats  # 0 for rows of the validation table
    validation: Floats | None  # weights of these

    @cached_property
    def scale(self) -> LearningScale:
        """What "auto" and the default budget stand for."""
        return learning_scale(self.codes[self.weights > 0])

    def held_out(self, fold: int, random: np.random.RandomState) -> tuple[Floats, Floats]:
        """Return weights to learn by and weights to hold out by."""
        if self.validation is not None:
            return self.weights, self.validation
        order = random.permutation(len(self.codes))
        if len(order) < MIN_ROWS:
            return self.weights, self.weights
        is_held_out = np.zeros(len(order), dtype=bool)
        is_held_out[order[fold % N_FOLDS :: N_FOLDS]] = True
        return np.where(is_held_out, 0.0, self.weights), np.where(is_held_out, self.weights, 0.0)


class MixtureLearner(TableEstimator):
    """Learn a mixture of Bayesian networks of bounded treewidth: a model of the joint distribution.

    A mixture describes data far better than one network, and stays exact in every query. Use it for
    densities, anomalies, synthetic data and soft clusters.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Components of each mixture. A small number gives clusters of rows, with weights; "auto"
        takes so many that the mixture is the best description of the data, all equally probable. 1
        gives the network of a `NetworkLearner`.
    max_treewidth : int, default=5
        Largest treewidth of the components. Structures of up to this treewidth are compared on rows
        that are held out.
    n_mixtures : int or "auto", default="auto"
        Mixtures to average: each has its own arcs, seed and held-out rows. "auto" takes 16, but
        1 if `n_components` is a number.
    time_limit : float, optional
        Seconds of `fit`. The result depends on the speed of the machine.
    max_iterations : int, optional
        Steps of gradient ascent for each mixture, on 128 rows each. By default 6000, and ten passes
        over tables of more than 76,800 rows, but at most 20,000. With a seed, the result is
        reproducible and does not depend on `n_jobs`. Where more than a tenth of the rows have
        missing cells, which take far longer, 3000 steps, and "auto" takes 8 mixtures of fewer
        components.
    max_clique_states : float, default=1_000_000
        Largest number of joint states of the variables in a bag of a component.
    n_bins, missing_values, ignore
        As in `NetworkLearner`.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices; None for a new one every time.
    verbose : int, default=0
        Above 0, show progress.

    Attributes
    ----------
    mixture_ : NetworkMixture
        The mixture.
    n_components_ : int
        Number of its components, over all mixtures that were averaged.
    held_out_ : float
        Mean log-likelihood per row of held-out rows: of the whole mixture if `fit` had a validation
        table, else the mean over the averaged mixtures, each on its own held-out rows. nan for
        ``n_components=1`` without such a table.
    history_ : DataFrame
        Course of learning: columns mixture, structure, step, seconds and held_out.
    is_interrupted_ : bool
        Whether Ctrl-C ended `fit`.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of str
        Names of the variables, if the table has names and all of them are text.

    See Also
    --------
    NetworkLearner : Learns one network.

    Notes
    -----
    The components of a mixture share their arcs, and their probabilities are a smooth function of a
    point in a latent space, a small neural network, which is learned by stochastic gradient ascent
    on the exact likelihood of the observed cells [1]_. So there may be many components without
    overfitting. Cells are assumed to be missing at random.

    References
    ----------
    .. [1] A. Correia, G. Gala, E. Quaeghebeur, C. de Campos, R. Peharz, "Continuous mixtures of
       tractable probabilistic models", AAAI 2023.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> learner = bt.MixtureLearner(2, max_iterations=200, random_state=0).fit(table)
    >>> learner.mixture_.n_components
    2
    >>> learner.score(table) > -0.8
    True
    """

    def __init__(
        self,
        n_components: Number = "auto",
        *,
        max_treewidth: int = 5,
        n_mixtures: Number = "auto",
        time_limit: float | None = None,
        max_iterations: int | None = None,
        max_clique_states: float = 1_000_000,
        n_bins: BinNumber = "auto",
        missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
        ignore: Collection[Hashable] = (),
        n_jobs: int | None = 1,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.max_treewidth = max_treewidth
        self.n_mixtures = n_mixtures
        self.time_limit = time_limit
        self.max_iterations = max_iterations
        self.max_clique_states = max_clique_states
        self.n_bins = n_bins
        self.missing_values = missing_values
        self.ignore = ignore
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Table,
        y: object = None,
        *,
        sample_weight: Weights | None = None,
        validation: Table | None = None,
    ) -> Self:
        """Learn a mixture from a table.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows to learn from. Cells may be missing.
        y : None
            Ignored.
        sample_weight : sequence of float, optional
            Weight of each row.
        validation : table or path, optional
            Rows of the same variables, on which structures are compared and learning is stopped.
            By default each mixture holds out a tenth of the rows, another one each time.

        Returns
        -------
        MixtureLearner
            This object; after Ctrl-C with the best mixture so far and `is_interrupted_` set. While
            there is none yet, Ctrl-C raises KeyboardInterrupt.

        Raises
        ------
        TableError
            If a table cannot be encoded, or has a variable without a single observed cell.
        ValueError
            If a setting cannot be used; the message names it.

        Warns
        -----
        InterruptedWarning
            If Ctrl-C ended learning.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0, 1], [1, 1, 0]] * 20)
        >>> MixtureLearner(1, random_state=0).fit(table).n_components_
        1
        """
        with one_clock():
            return self._fit(X, sample_weight, validation)

    def _fit(self, X: Table, sample_weight: Weights | None, validation: Table | None) -> Self:
        started = time.monotonic()
        self._check()
        deadline = deadline_after(started, self.time_limit)
        opened = open_binned(
            as_table(X),
            self.n_bins,
            missing_words=self.missing_values,
            ignore=self.ignore,
            sample_weight=sample_weight,
            n_jobs=self.n_jobs,
        )
        self._remember_features(X, opened.encoding.variables)
        self.is_interrupted_ = False
        rows = self._rows(opened, sample_weight, validation)
        if self.n_components == 1:
            return self._fit_one(rows)
        learned = self._learn(rows, deadline)
        if self.is_interrupted_:
            if not learned:
                raise KeyboardInterrupt
            warn_user("Interrupted: the best mixture so far is returned.", InterruptedWarning)
        self._store(rows, learned)
        return self

    def score(self, X: Table, y: object = None) -> float:
        """Return the mean log-likelihood of the rows of a table.

        Parameters
        ----------
        X : table or path
            Rows of the variables that `fit` saw. States that `fit` did not see count as missing.
        y : None
            Ignored.

        Returns
        -------
        float
            Natural logarithm per row; higher is better.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0], [1, 1]] * 20)
        >>> round(MixtureLearner(1, random_state=0).fit(table).score(table), 2)
        -0.71
        """
        return float(self.score_samples(X).mean())

    def score_samples(self, X: Table) -> Floats:
        """Return the log-likelihood of each row of a table: low for anomalies.

        Parameters
        ----------
        X : table or path
            As in `score`.

        Returns
        -------
        ndarray of float, shape (n_rows,)
            Natural logarithms.

        Examples
        --------
        >>> import numpy as np
        >>> table = np.array([[0, 0], [1, 1]] * 20)
        >>> found = MixtureLearner(1, random_state=0).fit(table).score_samples([[0, 0], [0, 1]])
        >>> bool(found[0] > found[1])
        True
        """
        table = self._table_of_features(X)
        return self.mixture_.log_likelihood(table, handle_unknown="missing", n_jobs=self.n_jobs)

    def _check(self) -> None:
        for name in ("n_components", "n_mixtures"):
            if getattr(self, name) != "auto":
                _integer_or_auto(name, getattr(self, name))
        integer_at_least("max_treewidth", self.max_treewidth, 0)
        if self.max_iterations is not None:
            integer_at_least("max_iterations", self.max_iterations, 1)

    def _rows(
        self, opened: OpenedTable, sample_weight: Weights | None, validation: Table | None
    ) -> _Rows:
        encoding = opened.encoding
        if encoding.arities.max() > MAX_STATES:
            name = encoding.variables[int(encoding.arities.argmax())]
            raise TableError(
                f"Variable {name!r} has {encoding.arities.max():,} states; a mixture takes at most "
                f"{MAX_STATES:,}. Drop it, or group its states."
            )
        own = weighted_rows(encoding.variables, encoding.arities, opened.codes, sample_weight)
        weights = np.ones(len(own.codes)) if own.weights is None else own.weights
        if validation is None:
            return _Rows(encoding, own.codes, weights, None)
        others = open_table(
            validation, encoding, handle_unknown="missing", ignore=self.ignore, n_jobs=self.n_jobs
        ).codes
        codes = np.asfortranarray(np.concatenate([own.codes, others]))
        is_other = np.arange(len(codes)) >= len(weights)
        padded = np.concatenate([weights, np.zeros(len(others))])
        return _Rows(encoding, codes, padded, is_other.astype(float))

    def _fit_one(self, rows: _Rows) -> Self:
        is_used = rows.weights > 0
        learner = NetworkLearner(
            max(self.max_treewidth, 1),
            constraints=None if self.max_treewidth else _no_arcs(rows.encoding),
            time_limit=self.time_limit,
            max_iterations=self.max_iterations,
            max_clique_states=self.max_clique_states,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
        )
        codes = np.asfortranarray(rows.codes[is_used])
        learner._fit_codes(rows.encoding, codes, rows.weights[is_used])
        self.mixture_ = NetworkMixture([learner.network_])
        self.is_interrupted_ = learner.is_interrupted_
        self.n_components_, self.held_out_ = 1, math.nan
        if rows.validation is not None:
            held_out = np.asfortranarray(rows.codes[rows.validation > 0])
            self.held_out_ = float(
                self.mixture_._row_answers.log_likelihoods(held_out, self.n_jobs).mean()
            )
        self.history_ = _history([])
        return self

    def _learn(self, rows: _Rows, deadline: float) -> list[LatentMixture]:
        """Return the mixtures to average."""
        n_mixtures = self._n_mixtures(rows)
        random = np.random.RandomState(drawn_seed(self.random_state))
        seeds = [
            int(seed) for seed in random.randint(1, 2**31 - 1, size=2 + MAX_STRUCTURES + n_mixtures)
        ]
        fold_seed, structure_seed, *seeds = seeds
        weights = rows.held_out(0, np.random.RandomState(fold_seed))
        structures = candidate_structures(
            self._structure_rows(rows, weights[0], _share_of_time(deadline, STRUCTURE_SHARE)),
            self.max_treewidth,
            self.max_clique_states,
            structure_seed,
        )
        if self.n_components != "auto":
            refuse_too_many(int(self.n_components), structures, rows.encoding.arities)
        n_steps = self._n_steps(rows)
        n_starts = N_STARTS if self.n_components != "auto" else 1
        tasks = [
            self._task(rows, own, n_steps, weights, seed + start)
            for own, seed in zip(structures, seeds, strict=False)
            for start in range(n_starts)
        ]
        n_more = max(n_mixtures - len(structures), 0)
        first_deadline = _share_of_time(deadline, len(tasks) / (len(tasks) + n_more))
        learned = self._learn_all(rows, tasks, first_deadline, "comparing structures")
        best = _hardly_worse(learned)[:n_mixtures]
        if self.is_interrupted_ or len(best) == n_mixtures:
            return best
        recipes = [own.structure.recipe for own in best]
        tasks = []
        try:
            for number, seed in enumerate(seeds[MAX_STRUCTURES:][: n_mixtures - len(best)]):
                weights = rows.held_out(1 + number, np.random.RandomState(fold_seed))
                until = _share_of_time(deadline, STRUCTURE_SHARE / n_mixtures)
                sample = self._structure_rows(rows, weights[0], until).resampled(seed)
                recipe = recipes[number % len(recipes)]
                structure = recipe.learn(sample, self.max_clique_states, seed)
                tasks.append(self._task(rows, structure, n_steps, weights, seed))
        except KeyboardInterrupt:
            self.is_interrupted_ = True
            return best
        return best + self._learn_all(rows, tasks, deadline, "learning mixtures")

    def _structure_rows(self, rows: _Rows, weights: Floats, deadline: float) -> StructureRows:
        """Return the rows to learn from or, if they lack a variable, those held out as well."""
        whole = StructureRows(rows.encoding, rows.codes, rows.weights, self.n_jobs, deadline)
        own = whole.weighted(weights)
        return own if own.has_all_variables else whole.weighted(rows.weights)

    def _n_mixtures(self, rows: _Rows) -> int:
        if self.n_mixtures != "auto":
            return int(self.n_mixtures)
        return rows.scale.n_mixtures if self.n_components == "auto" else 1

    def _n_steps(self, rows: _Rows) -> int:
        if self.max_iterations is not None:
            return int(self.max_iterations)
        n_rows = int(np.count_nonzero(rows.weights))
        return min(max(rows.scale.n_steps, round(n_rows / ROWS_PER_STEP)), MAX_STEPS)

    def _task(
        self,
        rows: _Rows,
        structure: ComponentStructure,
        n_steps: int,
        weights: tuple[Floats, Floats],
        seed: int,
    ) -> LatentTask:
        n_components = (
            automatic_components(structure, rows.encoding.arities, rows.scale.max_components)
            if self.n_components == "auto"
            else int(self.n_components)
        )
        return LatentTask(structure, n_components, rows.scale.n_moving, n_steps, *weights, seed)

    def _learn_all(
        self, rows: _Rows, tasks: Sequence[LatentTask], deadline: float, description: str
    ) -> list[LatentMixture]:
        latent = LatentRows(rows.encoding, rows.codes, thread_count(self.n_jobs))
        with progress_bar(description, "steps", shown=self.verbose > 0) as on_progress:
            found, is_interrupted = learn_mixtures(latent, tasks, deadline, on_progress)
        self.is_interrupted_ = is_interrupted
        if is_interrupted:  # those that had hardly begun would spoil the average
            most = max((own.n_steps for own in found), default=0)
            found = [own for own in found if 2 * own.n_steps >= most]
        return found

    def _store(self, rows: _Rows, learned: Sequence[LatentMixture]) -> None:
        weights = np.full(len(learned), 1.0 / len(learned))
        self.held_out_ = float(np.mean([own.held_out for own in learned]))
        if rows.validation is not None:
            is_held_out = rows.validation > 0
            codes = np.asfortranarray(rows.codes[is_held_out])
            logs = np.column_stack(
                [
                    own.part.network._row_answers.log_likelihoods(
                        own.part.codes(codes), self.n_jobs
                    )
                    for own in learned
                ]
            )
            weights, self.held_out_ = best_weights(logs)
        parts = [
            MixturePart(own.part.network, float(weight))
            for own, weight in zip(learned, weights, strict=True)
            if weight > 0
        ]
        self.mixture_ = NetworkMixture._from_parts(parts)
        self.n_components_ = self.mixture_.n_components
        self.history_ = _history(learned)

    def _facts(self) -> Facts:
        facts = [
            ("components", f"{self.n_components_:,}"),
            ("treewidth", f"{self.mixture_.treewidth} of at most {self.max_treewidth}"),
            ("held-out log-likelihood", f"{self.held_out_:,.3f} per row"),
        ]
        if self.is_interrupted_:
            facts.append(("interrupted", "Ctrl-C ended it; this is the best so far"))
        return facts


def _no_arcs(encoding: TableEncoding) -> ArcConstraints:
    return ArcConstraints(forbidden=[*permutations(encoding.variables, 2)])


def _share_of_time(deadline: float, share: float) -> float:
    """Return the deadline of what may take a share of the time left."""
    now = time.monotonic()
    return now + (deadline - now) * share


def _hardly_worse(learned: Sequence[LatentMixture]) -> list[LatentMixture]:
    """Return the mixtures that hardly lose against the best, best first."""
    ranked = sorted(learned, key=lambda own: -own.held_out)
    return [
        own
        for own in ranked
        if own.held_out >= ranked[0].held_out - MAX_LOSS * abs(ranked[0].held_out)
    ]


def best_weights(logs: Floats, max_iterations: int = 1000) -> tuple[Floats, float]:
    """Return weights of models that make rows most probable, and the mean log-likelihood.

    Weights come from EM on `logs`, the log-likelihood of each row by each model, which never lowers
    the likelihood. Models without weight have exactly 0.
    """
    tops = logs.max(axis=1, keepdims=True)
    likelihoods = np.exp(logs - tops)
    weights = np.full(logs.shape[1], 1.0 / logs.shape[1])
    for _ in range(max_iterations):
        shares = likelihoods * weights
        shares /= shares.sum(axis=1, keepdims=True)
        before, weights = weights, shares.mean(axis=0)
        if np.abs(weights - before).max() < 1e-6:
            break
    weights[weights < 1e-4] = 0.0
    weights /= weights.sum()
    mean = float((tops[:, 0] + np.log(likelihoods @ weights)).mean())
    return weights, mean


def _history(learned: Sequence[LatentMixture]) -> pd.DataFrame:
    rows = [
        (number, str(own.structure.recipe), step, seconds, held_out)
        for number, own in enumerate(learned)
        for step, seconds, held_out in own.history
    ]
    return pd.DataFrame(rows, columns=["mixture", "structure", "step", "seconds", "held_out"])


def _integer_or_auto(name: str, value: object) -> None:
    try:
        integer_at_least(name, value, 1)
    except ValueError:
        raise ValueError(
            f'{name} must be an integer of at least 1 or "auto"; got {shortened(value)}.'
        ) from None
