"""Warnings about the columns of a table, given once its states are found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baytree.exceptions import DiscretizationWarning, IdentifierWarning, TableError
from baytree.messages.quoting import quoted
from baytree.messages.user_warnings import warn_user
from baytree.tables.columns import StateCodes
from baytree.tables.variable_encoding import ContinuousPolicy, VariableEncoding

MAX_STATES = 65_535
MAX_USUAL_STATES = 1000
MAX_CHANCE_ROWS = 20  # so few observed cells of an incomplete variable may differ by chance


def report_bins(encodings: Sequence[VariableEncoding], continuous: ContinuousPolicy) -> None:
    """Warn about variables that were cut into bins, or refuse them."""
    names = [encoding.name for encoding in encodings if encoding.bins is not None]
    if names and continuous == "error":
        raise TableError(
            f"Numeric variables: {quoted(names)}. Cut them into bins with baytree.Discretizer, "
            'pass continuous="bin", or give them a categorical dtype.'
        )
    if names:
        message = f"Cut numeric variables into bins of equal numbers of rows: {quoted(names)}."
        warn_user(message, DiscretizationWarning)


def report_identifiers(encodings: Sequence[VariableEncoding], codes: StateCodes) -> None:
    """Warn about variables that look like identifiers; refuse those with too many states."""
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
