"""Input of a classifier: features and classes of a table as codes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from baytree.classification.class_rows import ClassRows
from baytree.exceptions import EmptyVariableWarning, TableError
from baytree.learning.bin_choice import choose_bins
from baytree.learning.learner import NetworkLearner
from baytree.messages.quoting import pluralize, quoted
from baytree.messages.user_warnings import warn_user
from baytree.tables.columns import Array, StateCodes, is_missing_cell, to_python_scalar
from baytree.tables.containers import TableView
from baytree.tables.encoding import TableEncoding
from baytree.tables.inputs import OpenedTable, open_table
from baytree.tables.variable_encoding import VariableEncoding
from baytree.tables.weighted_rows import Weights

DEFAULT_TARGET = "class"


def checked_classes(y: Any) -> tuple[Array, StateCodes]:
    """Return the distinct labels in order, and the number of each row's label."""
    if y is None:
        raise ValueError(
            "BayesianNetworkClassifier requires y to be passed, but the target y is None."
        )
    labels = column_or_1d(_as_array(y), warn=True)
    if labels.dtype.kind == "f":
        _refuse_missing(np.isnan(labels))
        assert_all_finite(labels, input_name="y")
    elif labels.dtype.kind == "O":
        _refuse_missing(np.array([is_missing_cell(label) for label in labels], dtype=bool))
        labels = _of_one_kind(labels)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def _as_array(y: Any) -> Array:
    """Return labels as an array; columns with missing cells keep them as objects."""
    if hasattr(y, "to_pylist"):  # pyarrow, whose missing cells must not become numbers
        return pd.Series(y.to_pylist()).to_numpy()
    return y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)


def _of_one_kind(labels: Array) -> Array:
    """Return objects as text, integers or truth values; refuse several kinds of them."""
    found: Array = pd.Series(labels).infer_objects().to_numpy()
    if found.dtype.kind == "O" and not all(isinstance(label, str) for label in labels):
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(
            f"y has labels of the kinds {quoted(kinds)}; classes are text, integers or truth "
            "values. Make them text, as by y.astype(str)."
        )
    return found


def _refuse_missing(is_missing: npt.NDArray[np.bool_]) -> None:
    rows = np.flatnonzero(is_missing)
    if len(rows):
        raise ValueError(
            f"Input y contains NaN: {pluralize(len(rows), 'row')} without a class, the first is "
            f"row {rows[0]}. Drop these rows, or make a class of them, such as 'unknown'."
        )


def target_name(y: Any, features: Sequence[Hashable]) -> Hashable:
    """Return the name of the class: that of a column `y`, or else "class"."""
    name = getattr(y, "name", None)
    if name is not None and name in features:
        raise TableError(
            f"X has a column {name!r}, which is the name of y. Drop it from X, where it would "
            "tell the class, or rename y."
        )
    name = DEFAULT_TARGET if name is None else to_python_scalar(name)
    while name in features:
        name = f"{name}_"
    return name


def open_features(
    view: TableView,
    classes: StateCodes,
    learner: NetworkLearner,
    sample_weight: Weights | None,
    deadline: float,
) -> OpenedTable:
    """Open the table of `fit`, with bins that are chosen for the class."""
    if len(classes) != view.n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {pluralize(view.n_rows, 'row')}, y has {len(classes):,}."
        )
    opened = _observed_states(
        open_table(
            view,
            n_bins=learner.n_bins,
            missing_words=learner.missing_values,
            ignore=learner.ignore,
            sample_weight=sample_weight,
        )
    )
    if learner.n_bins != "auto":
        return opened
    return choose_bins(opened, target=classes, deadline=deadline)


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Encoded rows of `fit`.

    `features` has all columns of the table; `known` are the positions of those with an observed
    cell, which are the features of `rows`.
    """

    features: TableEncoding
    known: Sequence[int]
    rows: ClassRows

    @classmethod
    def of(cls, opened: OpenedTable, classes: StateCodes, n_classes: int) -> TrainingTable:
        """Return the rows of positive weight."""
        features, codes, weights = opened.encoding, opened.codes, opened.weights
        if weights is not None:
            used = weights > 0
            codes, classes, weights = codes[used], classes[used], weights[used]
        known = np.flatnonzero(features.arities > 0)
        _warn_of_empty([features.variables[one] for one in np.flatnonzero(features.arities == 0)])
        if not len(known):
            raise TableError("Every cell of X is missing, so there is nothing to learn.")
        arities = tuple(features.arities[known].tolist())
        rows = ClassRows.of(codes[:, known], classes, weights, arities, n_classes)
        return cls(features, known.tolist(), rows)

    def with_class(self, name: Hashable, classes: Array) -> TableEncoding:
        """Return the encoding of the known features and the class, which comes last."""
        known = self.features.restricted(self.known)
        states = tuple(map(to_python_scalar, classes))
        own = VariableEncoding(name, None, states, states)
        return replace(known, variable_encodings=(*known.variable_encodings, own))


def _observed_states(opened: OpenedTable) -> OpenedTable:
    """Drop states that no row of positive weight holds; they count as unseen."""
    encodings, codes = list(opened.encoding.variable_encodings), opened.codes.copy(order="F")
    used_rows = slice(None) if opened.weights is None else np.flatnonzero(opened.weights)
    for position, own in enumerate(encodings):
        column = codes[:, position]
        observed = column[used_rows]
        counts = np.bincount(observed[observed >= 0], minlength=len(own.states))
        used = np.flatnonzero(counts)
        if own.bins is not None or len(used) == len(own.states):
            continue
        new_codes = np.full(len(own.states) + 1, -1, dtype=np.int32)
        new_codes[used] = np.arange(len(used))
        codes[:, position] = new_codes[column]
        states, labels = ([kept[one] for one in used] for kept in (own.states, own.cell_labels))
        encodings[position] = replace(own, states=tuple(states), cell_labels=tuple(labels))
    encoding = replace(opened.encoding, variable_encodings=tuple(encodings))
    return replace(opened, encoding=encoding, codes=codes)


def _warn_of_empty(empty: Sequence[Hashable]) -> None:
    if empty:
        warn_user(
            f"Variables without a single observed cell: {quoted(empty)}. They are not used.",
            EmptyVariableWarning,
        )
