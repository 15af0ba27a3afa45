"""Discretization of numeric variables into ordered states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from baytree.exceptions import TableError, UnknownStateError
from baytree.learning.bin_choice import MAX_BINS, choose_bins
from baytree.messages.arguments import integer_at_least, one_of
from baytree.messages.quoting import pluralize
from baytree.tables.bins import Bins, bins_between, fit_edges
from baytree.tables.columns import NumberCells, StateCodes
from baytree.tables.containers import Table, TableLayout, TableView, as_table
from baytree.tables.containers.pandas_tables import PandasLayout
from baytree.tables.containers.polars_tables import PolarsLayout
from baytree.tables.inputs import OpenedTable, fit_table, open_view
from baytree.tables.missing_values import MissingMarks
from baytree.tables.spelling import typed_cells
from baytree.tables.variable_encoding import N_BINS, IntegerRule, VariableEncoding
from baytree.vocabulary import DEFAULT_MISSING_VALUES

_LAYOUTS: dict[str, TableLayout] = {"pandas": PandasLayout(), "polars": PolarsLayout()}
NO_BINS = Bins((), ())
MARKS = MissingMarks((), DEFAULT_MISSING_VALUES, are_usual=True)

Strategy: TypeAlias = Literal["quantile", "uniform", "mdl"]
BinEncoding: TypeAlias = Literal["auto", "label", "ordinal"]


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut numeric variables into bins that are ordered states; other variables pass through.

    Parameters
    ----------
    n_bins : int or "auto", default=5
        Maximum number of bins of a variable, at least 2. A variable with fewer distinct values
        has fewer bins. "auto" is as many as strategy "mdl" chooses.
    strategy : {"quantile", "uniform", "mdl"}, default="quantile"
        Bins of equal numbers of rows, or of equal width; or bins whose number and edges minimise
        the description length of the table, as those of `NetworkLearner` do: they are fine where
        that tells about other variables. Equal values are always in one bin, so a frequent value
        may have a bin to itself; the other bins share the remaining rows.
    encode : {"auto", "label", "ordinal"}, default="auto"
        Bins as labels, such as "(1.5, 3.2]"; or as numbers from 0, NaN where missing. "auto" is
        numbers in NumPy arrays, which have no ordered states, and labels elsewhere.

    Attributes
    ----------
    bin_edges_ : list of ndarray
        Edges of the bins of every variable, in increasing order. A bin holds its upper edge; the
        first bin holds its lower edge too. Without a value in `fit` there are no edges.
    bin_medians_ : list of ndarray
        Median of the values in every bin, rounded where all values are integers; the middle of a
        bin without values.
    bin_labels_ : list of tuple of str
        Bins of every variable as text, such as "(1.5, 3.2]".
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of str
        Names of the variables, if they all are text.

    See Also
    --------
    sklearn.preprocessing.KBinsDiscretizer : Bins as numbers or indicator columns.

    Notes
    -----
    Missing stays missing; between numbers, so are the usual words for it, such as "?". New numbers
    outside the edges belong to the first or last bin. The output is of the same kind as the input,
    unless `set_output` chose another: labels are ordered categorical columns in pandas, Enum in
    polars, an ordered dictionary in pyarrow, an object array in NumPy. Text, categories and truth
    values pass through; they count in the choice of "mdl".

    Examples
    --------
    >>> import pandas as pd
    >>> from baytree import Discretizer
    >>> ages = pd.DataFrame({"age": [20, 31, 44, None, 58, 63, 80]})
    >>> discretizer = Discretizer(n_bins=3).fit(ages)
    >>> discretizer.transform(ages)["age"].tolist()
    ['[20, 31]', '[20, 31]', '(31, 58]', nan, '(31, 58]', '(58, 80]', '(58, 80]']
    >>> discretizer.inverse_transform(discretizer.transform(ages))["age"].tolist()
    [26.0, 26.0, 51.0, nan, 51.0, 72.0, 72.0]
    """

    def __init__(
        self,
        n_bins: int | Literal["auto"] = N_BINS,
        *,
        strategy: Strategy = "quantile",
        encode: BinEncoding = "auto",
    ) -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.encode = encode

    def fit(self, X: Table, y: object = None) -> Self:
        """Find the bins of every variable.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Variables, of which the numeric ones are cut; cells may be missing.
        y : None
            Ignored.

        Returns
        -------
        Discretizer
            This object.

        Raises
        ------
        TableError
            If a variable holds an infinite number.

        Examples
        --------
        >>> import numpy as np
        >>> Discretizer(n_bins=2).fit(np.array([[1.0], [2.0], [4.0]])).bin_edges_
        [array([1., 2., 4.])]
        """
        self._check_settings()
        view = self._view(X, reset=True)
        encodings = self._fit_bins(view).encoding.variable_encodings
        self._encodings = [own if own.states else own.with_bins(NO_BINS) for own in encodings]
        self._layout_kind = view.layout.kind
        bins = [own.bins or NO_BINS for own in self._encodings]
        self.bin_edges_ = [np.array(own.edges) for own in bins]
        self.bin_medians_ = [
            np.array(own.cell_labels if own.bins else ()) for own in self._encodings
        ]
        self.bin_labels_ = [own.labels for own in bins]
        return self

    def transform(self, X: Table) -> Any:
        """Replace numbers by their bins.

        Parameters
        ----------
        X : table
            Rows of the same variables.

        Returns
        -------
        table
            Bins, in the container of `X` or in that of `set_output`.

        Raises
        ------
        TableError
            If a variable was numeric in `fit` and is not, or holds an infinite number.

        Examples
        --------
        >>> import numpy as np
        >>> numbers = np.array([[1.0], [2.0], [4.0], [np.nan]])
        >>> Discretizer(n_bins=2).fit(numbers).transform(numbers).ravel()
        array([ 0.,  0.,  1., nan])
        >>> Discretizer(n_bins=2, encode="label").fit(numbers).transform(numbers).ravel()
        array(['[1, 2]', '[1, 2]', '(2, 4]', None], dtype=object)
        """
        check_is_fitted(self)
        view = self._view(X, reset=False)
        output = self._output()
        layout = view.layout if output == view.layout.kind else _LAYOUTS.get(output, view.layout)
        columns = {
            position: self._bin_column(layout, own, _number_cells(view, position))
            for position, own in enumerate(self._encodings)
            if own.bins is not None
        }
        return _with_columns(view, layout, columns, X)

    def _output(self) -> str:
        """Return the container chosen by `set_output`.

        The attribute is private to scikit-learn. Without it, scikit-learn's own conversion takes
        over, which loses the order of the bins.
        """
        config: dict[str, str] = getattr(self, "_sklearn_output_config", {})
        return config.get("transform") or str(get_config()["transform_output"])

    def inverse_transform(self, X: Table) -> Any:
        """Replace bins by their medians.

        Parameters
        ----------
        X : table
            Bins, as `transform` returns them.

        Returns
        -------
        table
            Numbers of the dtypes that were fitted, in the container of `X`.

        Raises
        ------
        UnknownStateError
            If a cell is neither the label nor the number of a bin.

        Examples
        --------
        >>> import numpy as np
        >>> discretizer = Discretizer(n_bins=2).fit(np.array([[1.0], [2.0], [4.0]]))
        >>> discretizer.inverse_transform(np.array([["(2, 4]"], ["[1, 2]"]]))
        array([[4.],
               [2.]])
        """
        check_is_fitted(self)
        view = open_view(X)
        if len(view.names) != len(self._encodings):
            raise TableError(
                f"The table has {pluralize(len(view.names), 'column')}; fit saw "
                f"{len(self._encodings):,}. Give the columns that transform returns."
            )
        is_same = view.layout.kind == self._layout_kind
        columns = {
            position: view.layout.column(
                _bin_codes(view, position, own), own.cell_labels, own.dtype if is_same else None
            )
            for position, own in enumerate(self._encodings)
            if own.bins is not None
        }
        return _with_columns(view, view.layout, columns, X)

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: missing cells, text and categories are allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_settings(self) -> None:
        if not isinstance(self.n_bins, str) or self.n_bins != "auto":
            integer_at_least("n_bins", self.n_bins, 2)
        one_of("strategy", self.strategy, get_args(Strategy))
        one_of("encode", self.encode, get_args(BinEncoding))

    def _view(self, X: Any, *, reset: bool) -> TableView:
        """Return a view of a table or an array-like, checked against the variables of `fit`."""
        view = open_view(as_table(X))
        validate_data(self, view.header, reset=reset, skip_check_array=True)
        return view

    def _fit_bins(self, view: TableView) -> OpenedTable:
        """Open a table whose numeric variables, all of them, have the bins of the settings."""
        n_bins = N_BINS if isinstance(self.n_bins, str) else int(self.n_bins)
        strategy = "quantile" if self.strategy == "mdl" else self.strategy
        columns = range(len(view.names))
        opened, _ = fit_table(
            view, columns, MARKS, n_bins, strategy=strategy, integers=IntegerRule(0)
        )
        if self.strategy != "mdl" and self.n_bins != "auto":
            return opened
        chosen = choose_bins(opened, max_bins=MAX_BINS if self.n_bins == "auto" else n_bins)
        if strategy != self.strategy:
            return chosen
        return opened.with_bins(
            {
                position: bins_between(tally, fit_edges(tally, int(n_chosen), strategy))
                for position, tally in opened.tallies.items()
                if (n_chosen := chosen.encoding.arities[position]) > 1
            }
        )

    def _bin_column(self, layout: TableLayout, own: VariableEncoding, cells: NumberCells) -> Any:
        """Return the bins of numbers as a column of a container."""
        codes = own.encode(cells, "error")
        if self.encode == "ordinal" or (self.encode == "auto" and layout.kind == "numpy"):
            return layout.column(codes, [float(code) for code in range(len(own.states))], None)
        return layout.column(codes, own.states, layout.ordered_dtype(list(map(str, own.states))))


def _with_columns(
    view: TableView, layout: TableLayout, columns: Mapping[int, Any], like: Any
) -> Any:
    """Return a table with some columns replaced; the others pass through."""
    if layout is view.layout and len(columns) < len(view.names):
        return view.replaced(columns)
    whole = [
        columns[position] if position in columns else _copied(view, position, layout)
        for position in range(len(view.names))
    ]
    return layout.table(view.names, whole, like=like)


def _copied(view: TableView, position: int, layout: TableLayout) -> Any:
    """Return a column of text, categories or truth values in another container."""
    cells = view.cells(position)
    labels = cells.as_labels() if isinstance(cells, NumberCells) else cells
    return layout.column(labels.codes, labels.labels, None)


def _bin_codes(view: TableView, position: int, own: VariableEncoding) -> StateCodes:
    """Return the codes of bins that are given by their labels or numbers."""
    cells = view.cells(position)
    if not isinstance(cells, NumberCells):
        return replace(own, bins=None).encode(cells, "error")
    is_bin = cells.is_missing | np.isin(cells.numbers, np.arange(len(own.states)))
    if not is_bin.all():
        row = int(np.argmin(is_bin))
        raise UnknownStateError(
            f"Variable {own.name!r} has {cells.numbers[row]} in row {row}, which is no bin: they "
            f"count from 0 to {len(own.states) - 1}. Give what transform returns."
        )
    return np.where(cells.is_missing, -1, cells.numbers).astype(np.int32)


def _number_cells(view: TableView, position: int) -> NumberCells:
    """Return the cells of a numeric variable; a variable without values counts as numeric."""
    name = view.names[position]
    cells = typed_cells(name, MARKS.mask(name, view.cells(position)))
    if isinstance(cells, NumberCells):
        return cells
    if not cells.labels:
        return NumberCells(np.zeros(view.n_rows), np.ones(view.n_rows, dtype=bool))
    raise TableError(
        f"Variable {name!r} held numbers in fit, and now holds "
        f"{cells.labels[0]!r}. Convert its cells to numbers, as by pandas.to_numeric."
    )
