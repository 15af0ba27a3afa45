"""Draws and quantiles of numbers within their bins, given the numbers beside them.

Networks draw the bins of a row jointly, but know nothing of where in a bin a number is. Drawn
independently, numbers within bins would weaken the correlations of a table. So each is drawn from
the groups of numbers in its bin, which are as probable as their counts times the likelihood of the
rest of the row: that of a normal residual of its regression, over that of its own normal
distribution. Numbers are seldom normal. Weights of groups make up for that: with them, each group
gets its share of the observed numbers. Quantiles are those of the same distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from baytree.imputation.missing_cells import Floats, Positions, TableRows
from baytree.imputation.regressions import NumberColumns, Regressions
from baytree.runtime.blas_threads import one_blas_thread
from baytree.tables.columns import StateCodes

N_SCALINGS = 5  # after which the shares of groups hardly change
MIN_SHARE = 1e-6
ROWS_PER_BATCH = 10_000


def fit_group_weights(
    numbers: NumberColumns, codes: StateCodes, predicted: Floats
) -> tuple[Floats, ...]:
    """Return the weights of the groups of each binned variable, relative to their counts.

    `predicted` are standardised numbers by regressions on all other rows, a column each.
    """
    weights = []
    for column, variable in enumerate(numbers.variables):
        own = np.ones(len(numbers.contents(column).shares))
        for code, groups in enumerate(numbers.contents(column).groups_of_bins):
            rows = np.flatnonzero(codes[:, variable] == code)
            if len(rows):
                likely = _group_probabilities(numbers, column, groups, predicted[rows, column])
                own[groups] = _scale(likely, numbers.contents(column).shares[groups])
        weights.append(own)
    return tuple(weights)


def _scale(likely: Floats, shares: Floats) -> Floats:
    """Return weights with which the mean probabilities of groups are their shares."""
    weights = np.ones(len(shares))
    for _ in range(N_SCALINGS):
        weighted = likely * weights
        means = (weighted / weighted.sum(axis=1, keepdims=True)).mean(axis=0)
        weights *= shares / np.maximum(means, MIN_SHARE)
    return np.asarray(weights / weights.max())


def draw_numbers(
    regressions: Regressions,
    rows: TableRows,
    completed: StateCodes,
    numbers: Mapping[int, Floats],
    random: np.random.RandomState,
) -> Mapping[int, Floats]:
    """Draw the missing numbers of rows again, each given all other cells and its bin.

    `completed` are codes without missing cells, and `numbers` a first draw of the numbers.
    """
    own = regressions.columns.numbers
    regressions = replace(regressions, matrix=regressions.matrix.in_double())
    drawn = {variable: values.copy() for variable, values in numbers.items()}
    is_missing = rows.codes[:, own.variables] < 0
    incomplete = np.flatnonzero(is_missing.any(axis=1))
    for some in _batches(incomplete):
        first = np.column_stack([values[some] for values in drawn.values()])
        known = np.where(is_missing[some], first, rows.numbers[some])
        with one_blas_thread():
            for column, places, values in _draw_in_turn(
                regressions, TableRows(completed[some], known), is_missing[some], random
            ):
                drawn[int(own.variables[column])][some[places]] = values
    return drawn


def number_quantiles(
    regressions: Regressions,
    variable: int,
    probabilities: Floats,
    centres: Floats,
    levels: Sequence[float],
) -> Floats:
    """Return quantiles of numbers of a variable, a row per level.

    `probabilities` of bins have a row per number, and `centres` are standardised numbers by
    regressions.
    """
    numbers = regressions.columns.numbers
    column = numbers.variables.tolist().index(variable)
    contents = numbers.contents(column)
    found = np.empty((len(levels), len(centres)))
    for some in _batches(np.arange(len(centres))):
        of_groups = np.empty((len(some), len(contents.shares)))
        for code, groups in enumerate(contents.groups_of_bins):
            likely = _likely_groups(regressions, column, code, centres[some])
            likely *= probabilities[some, code : code + 1] / likely.sum(axis=1, keepdims=True)
            of_groups[:, groups] = likely
        found[:, some] = [contents.quantiles(of_groups, level) for level in levels]
    return found


def _batches(rows: Positions) -> Iterator[Positions]:
    for first in range(0, len(rows), ROWS_PER_BATCH):
        yield rows[first : first + ROWS_PER_BATCH]


def _draw_in_turn(
    regressions: Regressions,
    rows: TableRows,
    is_missing: np.ndarray,
    random: np.random.RandomState,
) -> Iterator[tuple[int, Positions, Floats]]:
    """Yield the new numbers of each column, which count in the regressions of later ones."""
    columns, own = regressions.columns, regressions.columns.numbers
    encoded = columns.encode(rows)
    for column, place in columns.number_columns:
        drawn = np.flatnonzero(is_missing[:, column])
        if not len(drawn):
            continue
        predicted = regressions.matrix.predict_column(encoded[drawn], place)
        codes = rows.codes[drawn, own.variables[column]]
        values = np.empty(len(drawn))
        for code in np.unique(codes):
            lines = np.flatnonzero(codes == code)
            groups = own.contents(column).groups_of_bins[code]
            likely = _likely_groups(regressions, column, code, predicted[lines])
            cumulative = np.cumsum(likely, axis=1)
            levels = random.random_sample(len(lines)) * cumulative[:, -1]
            n_below = (cumulative <= levels[:, None]).sum(axis=1)
            chosen = np.minimum(groups.start + n_below, groups.stop - 1)  # if all are impossible
            values[lines] = own.contents(column).draw_of_groups(chosen, random)
        encoded[drawn, place] = own.standardised(column, values)
        yield column, drawn, values


def _likely_groups(regressions: Regressions, column: int, code: int, predicted: Floats) -> Floats:
    """Return how likely the groups of a bin are, a row for each predicted number."""
    numbers = regressions.columns.numbers
    groups = numbers.contents(column).groups_of_bins[code]
    likely = _group_probabilities(numbers, column, groups, predicted)
    if regressions.group_weights:
        likely *= np.maximum(regressions.group_weights[column][groups], MIN_SHARE)
    return likely


def _group_probabilities(
    numbers: NumberColumns, column: int, groups: slice, predicted: Floats
) -> Floats:
    """Return the probabilities of the groups of a bin, a row for each predicted number."""
    contents, spread = numbers.contents(column), numbers.spreads[column]
    centres = numbers.standardised(column, contents.group_means[groups])
    shares = np.maximum(contents.shares[groups], np.finfo(np.float64).tiny)
    logarithms = np.log(shares) + centres**2 / 2
    tilted = logarithms - (centres - predicted[:, None]) ** 2 / (2 * spread**2)
    likely = np.exp(tilted - tilted.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))
