"""How strong each arc is drawn, by what `arc_strength` returns."""

from __future__ import annotations

from collections.abc import Hashable

import pandas as pd

from baytree.messages.quoting import shortened

_COLUMNS = ("from", "to", "strength")


def pair_strengths(strength: pd.DataFrame | None) -> dict[frozenset[Hashable], float] | None:
    """Return the strength of each pair of variables; None where there is none to show."""
    if strength is None:
        return None
    if not isinstance(strength, pd.DataFrame) or not {*_COLUMNS} <= {*strength.columns}:
        raise ValueError(
            "strength must be a frame with the columns from, to and strength, as arc_strength "
            f"returns it; got {shortened(strength)}."
        )
    first, second, shares = (strength[column].tolist() for column in _COLUMNS)
    if not all(0 <= share <= 1 for share in shares):
        raise ValueError("The column strength must hold numbers from 0 to 1.")
    return {frozenset(ends): share for *ends, share in zip(first, second, shares, strict=True)}


def line_width(strength: float) -> float:
    """Return the points that an arc of some strength is wide."""
    return 0.5 + 3.0 * strength


def line_style(strength: float) -> str:
    """Return solid for arcs of most networks, and dashes for those of fewer than half."""
    return "-" if strength >= 0.5 else "--"
