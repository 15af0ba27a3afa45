"""The states of every variable of a table, found in its cells, and what is said about them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from baytree.exceptions import DiscretizationWarning, IdentifierWarning, TableError
from baytree.messages.arguments import one_of
from baytree.messages.quoting import quoted, shortened
from baytree.messages.user_warnings import warn_user
from baytree.tables.containers import Table, view_table
from baytree.tables.encoding import StateCodes, TableEncoding
from baytree.tables.files.table_files import read_table
from baytree.tables.missing_words import DEFAULT_MISSING_VALUES
from baytree.tables.variable_encoding import VariableEncoding, fit_variable

ContinuousPolicy: TypeAlias = Literal["bin", "error"]

MAX_STATES = 65_535
MAX_USUAL_STATES = 1000
MAX_CHANCE_ROWS = 20  # with gaps elsewhere, so few observed cells may well differ by chance


def encode_states(
    table: Table,
    *,
    continuous: ContinuousPolicy = "bin",
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
) -> tuple[TableEncoding, StateCodes]:
    """Return the states of every variable of a table, and the code of every cell.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows are data points, columns are variables. NaN, None, pd.NA, NaT, null and masked cells
        are missing.
    continuous : {"bin", "error"}, default="bin"
        What to do with numeric variables, which are those with non-integer numbers or with
        integers of more than 50 distinct values: cut them into 5 bins of equal numbers of rows, or
        refuse them.
    missing_values : iterable of str
        Words that mean missing in a CSV file, beside the empty cell.

    Returns
    -------
    encoding : TableEncoding
        States of every variable: declared ones in their order, others sorted.
    codes : ndarray of int32, shape (n_rows, n_variables), Fortran order
        Codes, -1 where missing.

    Raises
    ------
    TableError
        If the table has no rows or no variables, two variables of one name, a variable with
        infinite numbers or more than 65,535 states, or numeric variables that are refused.

    Warns
    -----
    DiscretizationWarning
        If numeric variables were cut into bins.
    IdentifierWarning
        If variables have more than 1000 states, or a state of their own in every row, of which
        there are two or more. A variable with missing cells must have it in every row that has
        it observed, of which there are more than 20. Bins are no such states.

    Examples
    --------
    >>> import numpy as np
    >>> encoding, codes = encode_states(np.array([["b", 1], ["a", None], ["a", 1]], dtype=object))
    >>> encoding.variables
    ('x0', 'x1')
    >>> codes
    array([[ 1,  0],
           [ 0, -1],
           [ 0,  0]], dtype=int32)
    """
    one_of("continuous", continuous, ("bin", "error"))
    words = _words(missing_values)
    if isinstance(table, (str, os.PathLike)):
        table = read_table(table, missing_values=words)
    view = view_table(table)
    encodings = []
    codes = np.empty((view.n_rows, len(view.names)), dtype=np.int32, order="F")
    for position, name in enumerate(view.names):
        encoding, codes[:, position] = fit_variable(
            name, view.dtype(position), view.cells(position)
        )
        encodings.append(encoding)
    _report_bins(encodings, continuous)
    _report_identifiers(encodings, codes)
    return TableEncoding(tuple(encodings), view.layout, words), codes


def _words(missing_values: Iterable[str]) -> tuple[str, ...]:
    if isinstance(missing_values, str):
        raise TypeError(f"missing_values must be a list of words; got the text {missing_values!r}.")
    words = tuple(missing_values) if isinstance(missing_values, Iterable) else (None,)
    if not all(isinstance(word, str) for word in words):
        raise TypeError(f"missing_values must be a list of words; got {shortened(missing_values)}.")
    return words


def _report_bins(encodings: Sequence[VariableEncoding], continuous: ContinuousPolicy) -> None:
    names = [encoding.name for encoding in encodings if encoding.bins is not None]
    if names and continuous == "error":
        raise TableError(
            f"Numeric variables: {quoted(names)}. Cut them into bins with baytree.Discretizer, "
            'pass continuous="bin", or give them a categorical dtype.'
        )
    if names:
        message = f"Cut numeric variables into bins of equal numbers of rows: {quoted(names)}."
        warn_user(message, DiscretizationWarning)


def _report_identifiers(encodings: Sequence[VariableEncoding], codes: StateCodes) -> None:
    names = []
    for position, encoding in enumerate(encodings):
        n_states = len(encoding.states)
        if n_states > MAX_STATES:
            raise TableError(
                f"Variable {encoding.name!r} has {n_states:,} states; the limit is {MAX_STATES:,}. "
                "Drop it, or group its states."
            )
        has_state_per_row = encoding.bins is None and _has_state_per_row(codes[:, position])
        if n_states > MAX_USUAL_STATES or has_state_per_row:
            names.append(encoding.name)
    if names:
        message = (
            f"Variables with more than {MAX_USUAL_STATES:,} states or with a state for every row "
            f"(identifiers to drop?): {quoted(names)}."
        )
        warn_user(message, IdentifierWarning)


def _has_state_per_row(codes: StateCodes) -> bool:
    observed = codes[codes >= 0]
    least = 1 if len(observed) == len(codes) else MAX_CHANCE_ROWS
    return least < len(observed) == len(np.unique(observed))
