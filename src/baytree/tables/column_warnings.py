"""Warnings about the columns of a table, given once its states are found."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import date

import numpy as np

from baytree.exceptions import (
    DiscretizationWarning,
    IdentifierWarning,
    MixedColumnWarning,
    TableError,
)
from baytree.messages.quoting import quoted, shortened
from baytree.messages.user_warnings import warn_user
from baytree.tables.columns import Cells, NumberCells, StateCodes
from baytree.tables.spelling import spells_number, typed_texts
from baytree.tables.variable_encoding import FEW_INTEGERS, BinNumber, VariableEncoding

MAX_STATES = 65_535
MAX_USUAL_STATES = 1000
MAX_CHANCE_ROWS = 20  # so few observed cells may differ by chance
MAX_USUAL_DATES = 10  # such as the dates of a few visits
MIN_NUMBER_FRACTION = 0.95
MIN_FRACTION_OF_MANY = 0.5  # of so many different numbers that they would be cut into bins
MAX_WORDS = 5  # between the numbers of a column
MAX_NAMED = 10

_DATE = re.compile(r"\s*(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})([ T]\d|\s*$)")


def report_bins(encodings: Sequence[VariableEncoding], n_bins: BinNumber) -> None:
    """Warn about variables that were cut into bins, or refuse them."""
    names = [encoding.name for encoding in encodings if encoding.bins is not None]
    if names and n_bins == "error":
        raise TableError(
            f'Numeric variables: {quoted(names)}. Pass n_bins="auto" or a number of bins, cut them '
            "into bins with baytree.Discretizer, or give them a categorical dtype."
        )
    if names:
        message = f"Cut numeric variables into bins: {quoted(names)}."
        warn_user(message, DiscretizationWarning)


def report_mixed(words: Mapping[Hashable, Mapping[Hashable, int]]) -> None:
    """Warn about columns that would be numeric without a few words, given with their counts."""
    found = [
        f"{shortened(name)} ({', '.join(f'{shortened(word)}: {n:,}' for word, n in own.items())})"
        for name, own in words.items()
    ]
    if found:
        message = (
            f"Columns of numbers are text, because a few cells are words: {_listed(found)}. If "
            "these mean missing, list them in missing_values (on the command line "
            "--missing-values), with other words for missing cells that the table uses."
        )
        warn_user(message, MixedColumnWarning)


def words_among_numbers(cells: Cells) -> dict[Hashable, int]:
    """Return a few words between numbers with their counts; none if the cells are no such."""
    if isinstance(cells, NumberCells) or cells.is_declared:
        return {}
    labels = cells.labels
    is_text = [isinstance(label, str) and not spells_number(label) for label in labels]
    places = np.flatnonzero(is_text)
    if not 0 < len(places) <= min(MAX_WORDS, len(labels) - 1):
        return {}
    counts = np.bincount(cells.codes[cells.codes >= 0], minlength=len(labels))
    is_many = len(labels) - len(places) > FEW_INTEGERS.max_states
    least = MIN_FRACTION_OF_MANY if is_many else MIN_NUMBER_FRACTION
    if counts[places].sum() > (1 - least) * counts.sum():
        return {}
    numbers = [str(label) for label, is_out in zip(labels, is_text, strict=True) if not is_out]
    typed = typed_texts(numbers)
    if typed is None or typed.dtype.kind == "b":
        return {}
    return {labels[place]: int(counts[place]) for place in places}


def report_identifiers(
    encodings: Sequence[VariableEncoding], codes: StateCodes, named: Collection[Hashable] = ()
) -> None:
    """Warn about variables that look like identifiers or dates, unless they were named already.

    Those with too many states are refused.
    """
    found = []
    for position, own in enumerate(encodings):
        n_states = len(own.states)
        if n_states > MAX_STATES:
            raise TableError(
                f"Variable {own.name!r} has {n_states:,} states; the limit is {MAX_STATES:,}. "
                "Leave it out with ignore (on the command line --ignore), or group its states."
            )
        is_new = own.bins is None and own.name not in named
        if is_new and (kind := _kind_of_identifier(own, codes[:, position])):
            found.append(f"{shortened(own.name)} ({kind})")
    if found:
        message = (
            f"Variables that look like identifiers or dates: {_listed(found)}. "
            "Rows hardly share their states, so they tell nothing about others: leave them out "
            "with ignore (on the command line --ignore), or replace them by what rows share, such "
            "as the month of a date, or a number without its unit."
        )
        warn_user(message, IdentifierWarning)


def _kind_of_identifier(own: VariableEncoding, codes: StateCodes) -> str:
    """Return what a variable of too many states looks like; empty if it does not."""
    n_states, n_observed = len(own.states), int(np.count_nonzero(codes >= 0))
    if n_states > MAX_USUAL_DATES and all(map(_is_date, own.states)):
        return f"{n_states:,} dates"
    is_text = all(isinstance(state, str) for state in own.states)
    is_unique = _has_state_per_row(codes, n_states, n_observed)
    is_nearly = is_text and n_observed > MAX_CHANCE_ROWS and 2 * n_states > n_observed
    if n_states > MAX_USUAL_STATES or is_unique or is_nearly:
        return f"{n_states:,} states in {n_observed:,} rows"
    return ""


def _listed(found: Sequence[str]) -> str:
    more = f" and {len(found) - MAX_NAMED:,} more" if len(found) > MAX_NAMED else ""
    return f"{', '.join(found[:MAX_NAMED])}{more}"


def _is_date(state: Hashable) -> bool:
    return isinstance(state, (date, np.datetime64)) or (
        isinstance(state, str) and _DATE.match(state) is not None
    )


def _has_state_per_row(codes: StateCodes, n_states: int, n_observed: int) -> bool:
    least = 1 if n_observed == len(codes) else MAX_CHANCE_ROWS
    return least < n_observed <= n_states and len(np.unique(codes[codes >= 0])) == n_observed
