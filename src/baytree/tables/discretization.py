"""Discretization of numeric variables into ordered states."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Self, get_args

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from baytree.exceptions import TableError
from baytree.messages.arguments import integer_at_least, one_of
from baytree.messages.quoting import pluralize
from baytree.tables.bins import Bins, BinStrategy, fit_bins
from baytree.tables.columns import NumberCells
from baytree.tables.containers import Table, TableLayout, TableView, as_table
from baytree.tables.containers.pandas_tables import PandasLayout
from baytree.tables.containers.polars_tables import PolarsLayout
from baytree.tables.inputs import open_view
from baytree.tables.variable_encoding import VariableEncoding, bin_medians

_LAYOUTS: dict[str, TableLayout] = {"pandas": PandasLayout(), "polars": PolarsLayout()}


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut numeric variables into bins that are ordered states.

    Parameters
    ----------
    n_bins : int, default=5
        Maximum number of bins of a variable, at least 2. A variable with fewer distinct values
        has fewer bins.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins of equal numbers of rows, or of equal width. Equal values are always in one bin, so a
        frequent value may have a bin to itself; the other bins share the remaining rows.

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
    Missing stays missing. New numbers outside the edges belong to the first or last bin. The
    output is of the same kind as the input, unless `set_output` chose another: ordered categorical
    columns in pandas, Enum in polars, an ordered dictionary in pyarrow, an object array of labels
    in NumPy.

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

    def __init__(self, n_bins: int = 5, *, strategy: BinStrategy = "quantile") -> None:
        self.n_bins = n_bins
        self.strategy = strategy

    def fit(self, X: Table, y: object = None) -> Self:
        """Find the bins of every variable.

        Parameters
        ----------
        X : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Numeric variables; cells may be missing.
        y : None
            Ignored.

        Returns
        -------
        Discretizer
            This object.

        Raises
        ------
        TableError
            If a variable is not numeric or holds an infinite number.

        Examples
        --------
        >>> import numpy as np
        >>> Discretizer(n_bins=2).fit(np.array([[1.0], [2.0], [4.0]])).bin_edges_
        [array([1., 2., 4.])]
        """
        self._check_settings()
        self._bins: list[Bins] = []
        self._encodings: list[VariableEncoding] = []
        view = self._view(X, reset=True)
        for position in range(len(view.names)):
            self._fit_variable(view, position)
        self._layout_kind = view.layout.kind
        self.bin_edges_ = [np.array(bins.edges) for bins in self._bins]
        self.bin_medians_ = [np.array(encoding.cell_labels) for encoding in self._encodings]
        self.bin_labels_ = [bins.labels for bins in self._bins]
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
            If a variable is not numeric or holds an infinite number.

        Examples
        --------
        >>> import numpy as np
        >>> numbers = np.array([[1.0], [2.0], [4.0], [np.nan]])
        >>> Discretizer(n_bins=2).fit(numbers).transform(numbers).ravel()
        array(['[1, 2]', '[1, 2]', '(2, 4]', None], dtype=object)
        """
        check_is_fitted(self)
        view = self._view(X, reset=False)
        output = self._output()
        layout = view.layout if output == view.layout.kind else _LAYOUTS.get(output, view.layout)
        columns = []
        for position, bins in enumerate(self._bins):
            codes = bins.codes(_number_cells(view, position).floats())
            columns.append(layout.column(codes, bins.labels, layout.ordered_dtype(bins.labels)))
        return layout.table(view.names, columns, like=X)

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
            If a cell is not the label of a bin.

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
        columns = []
        for position, encoding in enumerate(self._encodings):
            codes = encoding.encode(view.cells(position), "error")
            dtype = encoding.dtype if view.layout.kind == self._layout_kind else None
            columns.append(view.layout.column(codes, encoding.cell_labels, dtype))
        return view.layout.table(view.names, columns, like=X)

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: missing values are allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_settings(self) -> None:
        integer_at_least("n_bins", self.n_bins, 2)
        one_of("strategy", self.strategy, get_args(BinStrategy))

    def _view(self, X: Any, *, reset: bool) -> TableView:
        """Return a view of a table or an array-like, checked against the variables of `fit`."""
        view = open_view(as_table(X))
        validate_data(self, view.header, reset=reset, skip_check_array=True)
        return view

    def _fit_variable(self, view: TableView, position: int) -> None:
        cells = _number_cells(view, position)
        bins = fit_bins(cells.observed(), int(self.n_bins), self.strategy)
        name, dtype = view.names[position], view.dtype(position)
        medians = bin_medians(bins, cells)
        self._bins.append(bins)
        self._encodings.append(VariableEncoding(name, dtype, bins.labels, medians))


def _number_cells(view: TableView, position: int) -> NumberCells:
    """Return the cells of a numeric variable; a variable without values counts as numeric."""
    cells = view.cells(position)
    if isinstance(cells, NumberCells):
        return cells
    if not cells.labels:
        return NumberCells(np.zeros(view.n_rows), np.ones(view.n_rows, dtype=bool))
    name: Hashable = view.names[position]
    raise TableError(
        f"Variable {name!r} is not numeric: it holds {cells.labels[0]!r}. "
        "Leave it out (for example with a ColumnTransformer); it needs no bins."
    )
