"""States of the variables of a table, found in its cells, and warnings about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from baytree.exceptions import DiscretizationWarning, IdentifierWarning, TableError
from baytree.messages.quoting import quoted
from baytree.messages.user_warnings import warn_user
from baytree.tables.containers import TableView
from baytree.tables.encoding import StateCodes, TableEncoding
from baytree.tables.missing_values import mask_missing
from baytree.tables.variable_encoding import VariableEncoding, fit_variable

ContinuousPolicy: TypeAlias = Literal["bin", "error"]

MAX_STATES = 65_535
MAX_USUAL_STATES = 1000
MAX_CHANCE_ROWS = 20  # with gaps elsewhere, so few observed cells may well differ by chance


def fit_encoding(
    view: TableView,
    missing_values: Sequence[Any],
    missing_words: tuple[str, ...],
    continuous: ContinuousPolicy,
) -> tuple[TableEncoding, StateCodes]:
    """Return the states of a table's variables, and the code of every cell.

    Parameters
    ----------
    view : TableView
        The table.
    missing_values : sequence
        Values that are missing.
    missing_words : tuple of str
        Words that mean missing in further files of these variables.
    continuous : {"bin", "error"}
        Cut numeric variables into bins, or refuse them.

    Returns
    -------
    encoding : TableEncoding
        States of every variable: declared ones in their order, others sorted.
    codes : ndarray of int32, shape (n_rows, n_variables), Fortran order
        Codes, -1 where missing.
    """
    encodings = []
    codes = np.empty((view.n_rows, len(view.names)), dtype=np.int32, order="F")
    for position, name in enumerate(view.names):
        cells = mask_missing(name, view.cells(position), missing_values)
        encoding, codes[:, position] = fit_variable(name, view.dtype(position), cells)
        encodings.append(encoding)
    _report_bins(encodings, continuous)
    _report_identifiers(encodings, codes)
    return TableEncoding(tuple(encodings), view.layout, missing_words), codes


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
