"""BayesianNetworkClassifier: classes of rows, by a network of the class and the features."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from baytree import _core
from baytree.classification.augmentations import Augmentation, candidates, naive
from baytree.classification.class_rows import ClassRows, Floats
from baytree.classification.log_linear import LogLinearModel
from baytree.classification.model_choice import (
    Choice,
    choose_by_folds,
    choose_by_left_out_rows,
    probabilities,
)
from baytree.classification.training_table import (
    TrainingTable,
    checked_classes,
    open_features,
    target_name,
)
from baytree.exceptions import TimeLimitWarning
from baytree.learning.learner import NetworkLearner
from baytree.learning.table_estimator import Facts, TableEstimator
from baytree.messages.arguments import integer_at_least, one_of
from baytree.messages.quoting import shortened
from baytree.messages.user_warnings import warn_user
from baytree.networks.network import BayesianNetwork
from baytree.networks.rows import marginals_of_rows
from baytree.runtime.limits import deadline_after, thread_count
from baytree.runtime.progress import one_clock, part_of, search_line
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.columns import Array, StateCodes
from baytree.tables.containers import Table, TableView, as_table
from baytree.tables.containers.numpy_tables import NumpyView
from baytree.tables.encoding import TableEncoding
from baytree.tables.inputs import open_table, open_view
from baytree.tables.weighted_rows import Weights
from baytree.vocabulary import CLASS_STRUCTURES, TRAININGS

ClassStructureName: TypeAlias = Literal["auto", "naive", "tree", "network"]
TrainingName: TypeAlias = Literal["discriminative", "generative"]

CRITERIA = ("bic", "aic")  # of arcs between features; few arcs and many
# Settings that the classifier has too.
SHARED_SETTINGS = ("time_limit", "n_jobs", "random_state", "verbose")
NETWORK_SETTINGS = ("constraints", "initial_network")  # no other structure obeys them


def default_learner() -> NetworkLearner:
    """Return the learner that None stands for."""
    return NetworkLearner(4, search="hill-climb")


class BayesianNetworkClassifier(ClassifierMixin, TableEstimator):
    """Predict the class of rows by a Bayesian network of bounded treewidth.

    Text, categories, truth values, integers, numbers and missing cells need no preparation. A state
    that `fit` did not see is treated as a missing cell. Missing cells are summed out exactly, which
    bounded treewidth makes possible.

    Parameters
    ----------
    max_treewidth : int, optional
        Largest treewidth of the network, class included. By default that of `learner`.
    structure : {"auto", "naive", "tree", "network"}, default="auto"
        Arcs of the network:

        - "auto": the class is a parent of every feature, and each feature has up to
          ``max_treewidth - 1`` other parents. Of several such networks the one that predicts the
          classes of held-out rows best;
        - "naive": the class is the only parent (naive Bayes);
        - "tree": each feature has at most one other parent (tree-augmented naive Bayes) [1]_;
        - "network": the network that `learner` finds, in which the class is a variable like the
          others. With ``n_bins="auto"``, bins are still chosen for the class.
    training : {"discriminative", "generative"}, default="discriminative"
        "discriminative" fits the probabilities to predict the class, with a penalty that
        cross-validation chooses: naive Bayes becomes logistic regression [2]_. "generative" counts
        rows, which is faster. "network" is always generative.
    learner : NetworkLearner, optional
        Settings of the structure "network"; the others use its `max_treewidth`,
        `max_clique_states`, `n_bins`, `missing_values` and `ignore`. By default
        ``NetworkLearner(4, search="hill-climb")``. Settings that the classifier has too, such as
        `random_state`, must be left at their defaults.
    time_limit : float, optional
        Seconds for the choice of the structure and its settings; the fit of its probabilities
        follows. The result depends on the speed of the machine.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1. The result does not depend on them.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds of cross-validation; None for a new one every time.
    verbose : int, default=0
        Above 0, show progress, as in `NetworkLearner`.

    Attributes
    ----------
    network_ : BayesianNetwork
        Network of the features and the class. Its ``predict_proba`` gives the same probabilities.
    target_ : hashable
        Name of the class in `network_`: that of the column `y`, or else "class".
    classes_ : ndarray
        Labels of the classes, in order.
    chosen_ : dict
        What cross-validation chose: `n_parents` (the most of a feature, with the class),
        `smoothing` (rows), `penalty` of the weights, and the `log_loss` of held-out rows. Empty
        for "network".
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if the table has names and they all are text.

    See Also
    --------
    BayesianNetwork.predict_proba : Probabilities of any variable of a network.

    Notes
    -----
    ``classifier.network_.write("model.json")`` stores the classifier; ``baytree predict`` and
    `BayesianNetwork.predict_proba` use the file.

    References
    ----------
    .. [1] N. Friedman, D. Geiger, M. Goldszmidt, "Bayesian network classifiers", Machine Learning
       29, 1997.
    .. [2] T. Roos, H. Wettig, P. Grünwald, P. Myllymäki, H. Tirri, "On discriminative Bayesian
       network classifiers and logistic regression", Machine Learning 59, 2005.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": ["no", "yes"] * 20, "cold": ["yes", None, "no", "no"] * 10})
    >>> wet = ["dry", "wet"] * 20
    >>> classifier = bt.BayesianNetworkClassifier(random_state=0).fit(table, wet)
    >>> classifier.predict(pd.DataFrame({"rain": ["yes", "no"], "cold": [None, "never"]}))
    array(['wet', 'dry'], dtype='<U3')
    """

    _default_settings: ClassVar = {"learner": default_learner}

    def __init__(
        self,
        max_treewidth: int | None = None,
        *,
        structure: ClassStructureName = "auto",
        training: TrainingName = "discriminative",
        learner: NetworkLearner | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = 1,
        random_state: Seed = None,
        verbose: int = 0,
    ) -> None:
        self.max_treewidth = max_treewidth
        self.structure = structure
        self.training = training
        self.learner = learner
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Table, y: Any, sample_weight: Weights | None = None) -> Self:
        """Learn a network of the features and the class.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows are data points, columns are features. Cells may be missing.
        y : array-like of labels
            Class of each row: text, integers, truth values. None may be missing.
        sample_weight : sequence of float, optional
            Weight of each row, by position.

        Returns
        -------
        BayesianNetworkClassifier
            This object.

        Raises
        ------
        TableError
            If the table cannot be encoded, has a column of the name of `y`, or no observed cell.
        ValueError
            If `y` has missing cells or real numbers, or a setting cannot be used.
        KeyboardInterrupt
            At Ctrl-C: there is no result before the end, unless `structure` is "network".

        Warns
        -----
        DiscretizationWarning
            If numeric features were cut into bins.
        EmptyVariableWarning
            If features have no observed cell; they are not used.
        TimeLimitWarning
            If `time_limit` ended the choice of the structure.

        Examples
        --------
        >>> import numpy as np
        >>> X, y = np.array([[0, 1], [1, np.nan]] * 20), [False, True] * 20
        >>> BayesianNetworkClassifier(random_state=0).fit(X, y).predict([[1, 1]])
        array([ True])
        """
        with one_clock():
            return self._fit(X, y, sample_weight, time.monotonic())

    def _fit(self, X: Table, y: Any, sample_weight: Weights | None, started: float) -> Self:
        self._check_settings()
        self.__dict__.pop("network_", None)  # a network of another table would be of no use
        deadline = deadline_after(started, self.time_limit)
        classes, codes = checked_classes(y)
        view, learner = self._view(X, None), self._learner
        opened = open_features(view, codes, learner, sample_weight, deadline)
        table = TrainingTable.of(opened, codes, len(classes))
        self.classes_ = classes
        self.target_ = target_name(y, opened.encoding.variables)
        encoding = table.with_class(self.target_, classes)
        self._features, self._known = table.features, table.known
        if self.structure == "network":
            self.network_, self.chosen_ = self._learned(encoding, table.rows, deadline), {}
        else:
            choice = self._choose(table.rows, deadline)
            self.chosen_ = _facts_of(choice)
            self.network_ = _network_of(encoding, probabilities(choice))
        return self

    def predict(self, X: Table) -> Array:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : table or path
            Rows of the features that `fit` saw. Cells may be missing; states that `fit` did not
            see count as missing.

        Returns
        -------
        ndarray
            Labels; of equally probable ones the first.

        Raises
        ------
        TableError
            If a feature is missing or one too many is there.
        InferenceTooLargeError
            If the missing cells of a row need more than a thread's share of a quarter of the
            machine's memory.

        Examples
        --------
        >>> import numpy as np
        >>> X, y = np.array([["a"], ["b"]] * 20), ["no", "yes"] * 20
        >>> BayesianNetworkClassifier(random_state=0).fit(X, y).predict(np.array([["b"]]))
        array(['yes'], dtype='<U3')
        """
        labels: Array = self.predict_proba(X).argmax(axis=1)
        return self.classes_[labels]

    def predict_proba(self, X: Table) -> Floats:
        """Return the probability of each class in each row.

        Parameters
        ----------
        X : table or path
            Rows, as in `predict`.

        Returns
        -------
        ndarray of float, shape (n_rows, n_classes)
            Probabilities, in the order of `classes_`. Missing cells are summed out exactly.

        Examples
        --------
        >>> import numpy as np
        >>> X, y = np.array([["a"], ["b"]] * 20), ["no", "yes"] * 20
        >>> BayesianNetworkClassifier(structure="naive", training="generative").fit(
        ...     X, y
        ... ).predict_proba(np.array([["b"]])).round(3)
        array([[0.024, 0.976]])
        """
        codes = self._codes(X)
        (proba,) = marginals_of_rows(self.network_, codes, [self.target_], self.n_jobs)
        return proba

    def predict_log_proba(self, X: Table) -> Floats:
        """Return the log probability of each class in each row.

        Parameters
        ----------
        X : table or path
            Rows, as in `predict`.

        Returns
        -------
        ndarray of float, shape (n_rows, n_classes)
            Natural logarithms, in the order of `classes_`.

        Examples
        --------
        >>> import numpy as np
        >>> X, y = np.array([["a"], ["b"]] * 20), ["no", "yes"] * 20
        >>> classifier = BayesianNetworkClassifier(random_state=0).fit(X, y)
        >>> classifier.predict_log_proba(np.array([[None]], dtype=object)).round(3)
        array([[-0.693, -0.693]])
        """
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(self.predict_proba(X))
        return logs

    def __sklearn_is_fitted__(self) -> bool:
        """Return True once there is a network."""
        return hasattr(self, "network_")

    def _facts(self) -> Facts:
        facts = [("class", f"{self.target_}, {len(self.classes_):,} labels")]
        names = {"n_parents": "parents", "log_loss": "log loss of held-out rows"}
        facts += [(names.get(name, name), f"{value:.4g}") for name, value in self.chosen_.items()]
        return facts

    def _check_settings(self) -> None:
        one_of("structure", self.structure, CLASS_STRUCTURES)
        one_of("training", self.training, TRAININGS)
        thread_count(self.n_jobs)
        if self.max_treewidth is not None:
            integer_at_least("max_treewidth", self.max_treewidth, 1)
        if self.learner is not None:
            _check_learner(self.learner, self.structure)

    @property
    def _learner(self) -> NetworkLearner:
        """Settings of a learned network, with those that the classifier has too."""
        learner = default_learner() if self.learner is None else self.learner
        own = {"n_jobs": self.n_jobs, "verbose": self.verbose, "random_state": self.random_state}
        if self.max_treewidth is not None:
            own["max_treewidth"] = self.max_treewidth
        return NetworkLearner(**learner.get_params(deep=False) | own)

    def _view(self, X: Any, features: TableEncoding | None) -> TableView:
        """Return a view of a table, whose columns must be those of `fit` unless it is for it."""
        words = None if features is not None else self._learner.missing_values
        view = open_view(as_table(X), features, missing_words=words)
        reset = features is None
        if isinstance(view, NumpyView) or all(isinstance(name, str) for name in view.names):
            validate_data(self, view.header, reset=reset, skip_check_array=True)
        elif reset:
            self.n_features_in_ = len(view.names)
        return view

    def _codes(self, X: Table) -> StateCodes:
        """Return the codes of the network's variables; the class is missing."""
        check_is_fitted(self)
        view = self._view(X, self._features)
        opened = open_table(
            view, self._features, handle_unknown="missing", ignore=self._learner.ignore
        )
        known = opened.codes[:, self._known]
        codes = np.full((len(known), known.shape[1] + 1), -1, dtype=np.int32, order="F")
        codes[:, :-1] = known
        return codes

    def _choose(self, rows: ClassRows, deadline: float) -> Choice:
        tried = self._augmentations(rows, deadline)
        with search_line("structures", deadline, shown=self.verbose > 0):
            if self.training == "generative":
                choice = choose_by_left_out_rows(rows, tried)
            else:
                choice = choose_by_folds(rows, tried, drawn_seed(self.random_state), deadline)
        if not choice.is_complete:
            warn_user(
                "time_limit ended the choice of the structure and its settings: not all were "
                f"compared. Allow more than {self.time_limit:.2g} seconds.",
                TimeLimitWarning,
            )
        return choice

    def _augmentations(self, rows: ClassRows, deadline: float) -> Iterable[Augmentation]:
        learner = self._learner
        max_states = learner.max_clique_states
        if self.structure == "naive":
            return [naive(rows.n_features)]
        if self.structure == "tree":
            return [*candidates(rows, ["log-likelihood"], 1, max_states)][-1:]
        n_parents = min(learner.max_treewidth or rows.n_features, rows.n_features) - 1
        return candidates(rows, CRITERIA, n_parents, max_states, deadline)

    def _learned(
        self, encoding: TableEncoding, rows: ClassRows, deadline: float
    ) -> BayesianNetwork:
        learner = self._learner
        if np.isfinite(deadline):
            learner.set_params(time_limit=max(deadline - time.monotonic(), 1e-3))
        codes = np.column_stack([rows.codes, rows.classes])
        with part_of("network, ", deadline):
            learner._fit_codes(encoding, np.asfortranarray(codes), rows.weights)
        return learner.network_


def _check_learner(learner: object, structure: str) -> None:
    """Refuse what is no learner, and settings that do not apply."""
    if not isinstance(learner, NetworkLearner):
        raise ValueError(
            "learner must be a NetworkLearner or None, as in learner=NetworkLearner(search="
            f'"anneal"); got {shortened(learner)}.'
        )
    defaults = NetworkLearner().get_params(deep=False)
    for name in SHARED_SETTINGS:
        if getattr(learner, name) != defaults[name]:
            raise ValueError(
                f"learner has {name}={shortened(getattr(learner, name))}, which is a setting of "
                f"the classifier. Leave it out there, and pass {name} to BayesianNetworkClassifier."
            )
    if structure != "network" and learner.max_treewidth is None:
        raise ValueError(
            'max_treewidth=None needs structure="network" and search="chordalysis"; '
            f'got structure="{structure}". Pass an integer to the learner.'
        )
    for name in NETWORK_SETTINGS:
        if structure != "network" and getattr(learner, name) is not None:
            raise ValueError(
                f'{name} of the learner need structure="network"; got {structure!r}, whose arcs '
                "do not come from the learner."
            )


def _facts_of(choice: Choice) -> dict[str, float]:
    counts = choice.candidate.counts
    return {
        "n_parents": counts.augmentation.width,
        "smoothing": counts.smoothing,
        "penalty": choice.penalty,
        "log_loss": choice.log_loss,
    }


def _network_of(encoding: TableEncoding, model: LogLinearModel) -> BayesianNetwork:
    """Return the network of some probabilities; the class comes last."""
    target = len(encoding.variables) - 1
    parents: list[Sequence[int]] = [(*own, target) for own in model.augmentation.parents]
    parents.append(())
    order = [*reversed(model.augmentation.order), target]
    families = [np.exp(table) for table in model.of_families]
    cpts = [table.reshape(-1, table.shape[2]) for table in families]
    cpts.append(np.exp(model.of_class)[np.newaxis, :])
    return BayesianNetwork._from_search(
        encoding,
        parents,
        cpts=[np.ascontiguousarray(cpt / cpt.sum(axis=1, keepdims=True)) for cpt in cpts],
        elimination_order=order,
        bags=_core.decompose([sorted(own) for own in parents], order),
        score=None,
    )
