"""ampute: makes cells of a table missing, to measure the accuracy of imputation."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from baytree.exceptions import TableError
from baytree.messages.arguments import fraction, is_integer, one_of
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.columns import StateCodes
from baytree.tables.containers import Table, TableView
from baytree.tables.inputs import open_view
from baytree.tables.variable_encoding import fit_variable

Mechanism: TypeAlias = Literal["MCAR", "MAR", "MNAR"]
Floats: TypeAlias = npt.NDArray[np.float64]


def ampute(
    table: Table, rate: float, *, mechanism: Mechanism = "MCAR", random_state: Seed = None
) -> Any:
    """Return a table with more missing cells.

    Parameters
    ----------
    table : table or path
        pandas or polars frame, pyarrow table, NumPy array, or a file of one.
    rate : float
        Expected fraction of the cells to make missing, above 0 and below 1.
    mechanism : {"MCAR", "MAR", "MNAR"}, default="MCAR"
        Dependence of the chance of a cell to be missing. MCAR (missing completely at random): on
        nothing. MAR (at random): on the state of another variable of the row, which is drawn for
        each row and stays observed. MNAR (not at random): on the state of the cell itself.
    random_state : int, RandomState instance or None, default=None
        Seed. With an integer, the mask of MCAR is
        ``np.random.default_rng(random_state).random(shape) < rate``.

    Returns
    -------
    table
        The same kind of table. Cells that were missing stay so. A dtype that has no missing value
        gives way: integers of NumPy become float64, truth values become objects.

    Raises
    ------
    ValueError
        If the rate is not between 0 and 1.
    TableError
        If the table has a single variable and the mechanism is MAR.

    See Also
    --------
    BayesianNetworkImputer : Fills missing cells.

    Notes
    -----
    For MAR and MNAR the states of a variable, in a random order, get increasing chances whose mean
    over its cells is the rate.

    Examples
    --------
    >>> import numpy as np
    >>> import baytree as bt
    >>> table = np.arange(20).reshape(10, 2) % 3
    >>> incomplete = bt.ampute(table, 0.3, random_state=0)
    >>> int(np.isnan(incomplete).sum())
    7
    """
    one_of("mechanism", mechanism, get_args(Mechanism))
    rate = fraction("rate", rate)
    seed = int(random_state) if is_integer(random_state) else drawn_seed(random_state)
    random = np.random.default_rng(seed)
    view = open_view(table)
    shape = (view.n_rows, len(view.names))
    draws = random.random(shape)
    is_masked = draws < (rate if mechanism == "MCAR" else _chances(view, rate, mechanism, random))
    columns = {
        position: view.with_missing(position, is_masked[:, position])
        for position in range(shape[1])
        if is_masked[:, position].any()
    }
    return view.replaced(columns)


def _chances(
    view: TableView, rate: float, mechanism: Mechanism, random: np.random.Generator
) -> Floats:
    """Return the probability of every cell to become missing."""
    codes = np.column_stack(
        [
            fit_variable(name, view.dtype(position), view.cells(position))[1]
            for position, name in enumerate(view.names)
        ]
    )
    if mechanism == "MNAR":
        return np.column_stack([_rising_chances(column, rate, random) for column in codes.T])
    if codes.shape[1] < 2:
        raise TableError(
            "MAR needs a second variable, on which missing cells of the first depend; the table "
            'has one. Use "MCAR" or "MNAR".'
        )
    return _chances_by_another(codes, rate, random)


def _chances_by_another(codes: StateCodes, rate: float, random: np.random.Generator) -> Floats:
    """Return probabilities that depend, in each row, on one variable that stays observed there."""
    n_rows, n_variables = codes.shape
    rows = np.arange(n_rows)
    shown = random.integers(n_variables, size=n_rows)
    # The other variables compensate for the one that is shown.
    higher_rate = min(rate * n_variables / (n_variables - 1), 1.0)
    by_variable = np.column_stack(
        [_rising_chances(column, higher_rate, random) for column in codes.T]
    )
    chances = np.repeat(by_variable[rows, shown][:, None], n_variables, axis=1)
    chances[rows, shown] = 0.0
    return chances


def _rising_chances(codes: StateCodes, mean: float, random: np.random.Generator) -> Floats:
    """Return a probability for every cell by its state; the mean where it is missing."""
    counts = np.bincount(codes[codes >= 0])
    order = random.permutation(len(counts))
    ranks = np.empty(len(counts))
    ranks[order] = (np.cumsum(counts[order]) - counts[order] / 2) / max(counts.sum(), 1)
    chances = _powers_with_mean(ranks, counts, mean)
    return np.where(codes >= 0, np.append(chances, mean)[codes], mean)


def _powers_with_mean(ranks: Floats, counts: npt.NDArray[np.int64], mean: float) -> Floats:
    """Return the power of the ranks, which lie between 0 and 1, with the given mean."""
    low, high = 0.0, 1.0
    while np.average(ranks**high, weights=counts) > mean and high < 1e6:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        is_above = np.average(ranks**middle, weights=counts) > mean
        low, high = (middle, high) if is_above else (low, middle)
    return np.asarray(ranks**high)
