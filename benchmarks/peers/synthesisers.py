"""Synthesisers of frames of numbers and text with one interface: each draws rows like a table's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pandas as pd

DrawFrame: TypeAlias = Callable[[pd.DataFrame, int, int], pd.DataFrame]  # (table, rows, seed)


def draw_independent_columns(table: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """Draw every cell from its column, whatever the others of its row are."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {name: random.choice(column.to_numpy(), size=n) for name, column in table.items()}
    )


def draw_by_trees(table: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """Draw column by column by classification and regression trees on those before.

    The package is synthpop-py, after R's synthpop, with its default settings.
    """
    from synthpop import Synthesiser

    return Synthesiser(random_seed=seed).fit(table).generate(n)


SYNTHESISERS: dict[str, DrawFrame] = {
    "synthpop-py": draw_by_trees,
    "independent columns": draw_independent_columns,
}
