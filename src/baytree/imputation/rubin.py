"""pool_estimates: Rubin's rules for estimates from several imputations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.messages.arguments import is_number
from baytree.messages.quoting import pluralize, shortened

Floats: TypeAlias = npt.NDArray[np.float64]
Estimates: TypeAlias = Sequence[Any] | npt.NDArray[Any] | pd.DataFrame


def pool_estimates(
    estimates: Estimates, variances: Estimates, *, complete_df: float | None = None
) -> pd.DataFrame:
    """Pool the estimates of several imputations by Rubin's rules.

    Parameters
    ----------
    estimates : sequence, one item per imputation
        Estimates from each completed table: a number, or several as a sequence, a Series or a row
        of an array. Labels of a Series are kept.
    variances : sequence, one item per imputation
        Squared standard errors of the estimates, in the same shape.
    complete_df : float, optional
        Degrees of freedom that the estimate would have without missing cells, such as the number
        of rows less that of coefficients. None for a large sample.

    Returns
    -------
    DataFrame
        One row per estimated number, with the columns estimate, standard_error, within and
        between (variances), total (variance), df (degrees of freedom), relative_increase (of the
        variance, due to missing cells) and missing_information (fraction of it).

    Raises
    ------
    ValueError
        If there are fewer than two imputations, or a number cannot be used.

    See Also
    --------
    BayesianNetworkImputer.sample : Draws the imputations.

    Notes
    -----
    These are Rubin's rules [rubin]_: the total variance is within + (1 + 1/m) between for m
    imputations. With `complete_df`, degrees of freedom are those of Barnard and Rubin
    [barnard-rubin]_. The fraction of missing information accounts for the degrees of freedom.

    References
    ----------
    .. [rubin] D. B. Rubin, Multiple Imputation for Nonresponse in Surveys, 1987.
    .. [barnard-rubin] J. Barnard and D. B. Rubin, Small-sample degrees of freedom with
       multiple imputation, Biometrika 86, 1999.

    Examples
    --------
    >>> import baytree as bt
    >>> pooled = bt.pool_estimates([2.0, 2.4, 2.2], [0.10, 0.12, 0.11])
    >>> pooled.round(3).T
                             0
    estimate             2.200
    standard_error       0.404
    within               0.110
    between              0.040
    total                0.163
    df                  18.758
    relative_increase    0.485
    missing_information  0.388
    """
    if complete_df is not None and not (is_number(complete_df) and complete_df > 0):
        raise ValueError(f"complete_df must be a positive number; got {shortened(complete_df)}.")
    points, squares = _numbers("estimates", estimates), _numbers("variances", variances)
    if points.shape != squares.shape:
        raise ValueError(
            "estimates and variances must have the same shape, a row per imputation; got "
            f"{_size(points)} and {_size(squares)}."
        )
    if len(points) < 2:
        raise ValueError(f"Rubin's rules need at least two imputations; got {len(points)}.")
    if (squares < 0).any():
        raise ValueError(f"variances must not be negative; got {squares.min()}.")
    return pd.DataFrame(_pooled(points, squares, complete_df), index=_labels(estimates))


def _pooled(points: Floats, squares: Floats, complete_df: float | None) -> dict[str, Floats]:
    n_imputations = len(points)
    within, between = squares.mean(axis=0), points.var(axis=0, ddof=1)
    added = (1 + 1 / n_imputations) * between
    total = within + added
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing missing, or nothing but
        fraction = np.where(total > 0, added / total, 0.0)
        increase = np.where(added > 0, added / within, 0.0)
        df = _degrees_of_freedom(n_imputations, fraction, complete_df)
        information = np.where(np.isinf(increase), 1.0, (increase + 2 / (df + 3)) / (increase + 1))
    return {
        "estimate": points.mean(axis=0),
        "standard_error": np.sqrt(total),
        "within": within,
        "between": between,
        "total": total,
        "df": df,
        "relative_increase": increase,
        "missing_information": information,
    }


def _degrees_of_freedom(n_imputations: int, fraction: Floats, complete_df: float | None) -> Floats:
    """Return the degrees of freedom by Rubin, or by Barnard and Rubin given `complete_df`."""
    of_imputations: Floats = (n_imputations - 1) / fraction**2
    if complete_df is None:
        return of_imputations
    observed = (complete_df + 1) / (complete_df + 3) * complete_df * (1 - fraction)
    return 1 / (1 / of_imputations + 1 / observed)


def _size(rows: Floats) -> str:
    return f"{len(rows)} of {pluralize(rows.shape[1], 'number')}"


def _numbers(argument: str, items: Estimates) -> Floats:
    """Return one row per imputation."""
    try:
        rows = np.asarray(items if isinstance(items, pd.DataFrame) else [*items], dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{argument} must hold numbers, as many for each imputation; got {shortened(items)}."
        ) from None
    if rows.ndim not in (1, 2) or not rows.size or not np.isfinite(rows).all():
        raise ValueError(
            f"{argument} must hold finite numbers, one or several for each imputation; "
            f"got {shortened(items)}."
        )
    return rows.reshape(len(rows), -1)


def _labels(estimates: Estimates) -> pd.Index[Any] | None:
    if isinstance(estimates, pd.DataFrame):
        return estimates.columns
    first = next(iter(estimates))
    return first.index if isinstance(first, pd.Series) else None
