"""What learning from rows with gaps gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from baytree.learning.searches import FoundStructure
from baytree.networks.cpts import Cpt

HISTORY_TYPES = {
    "iteration": np.int64,
    "changed_cells": np.int64,
    "changed_arcs": np.int64,
    "score": float,
    "log_likelihood": float,
    "penalised_log_likelihood": float,
    "seconds": float,
}


@dataclass(frozen=True, eq=False)
class EmResult:
    """The best network, with its score on the table that it was learned from, filled."""

    found: FoundStructure
    cpts: Sequence[Cpt]
    history: pd.DataFrame


def as_history(records: Sequence[tuple[float, ...]]) -> pd.DataFrame:
    """Return what each iteration did as a table."""
    columns = zip(*records, strict=True) if records else [()] * len(HISTORY_TYPES)
    return pd.DataFrame(
        {
            name: np.array(column, dtype=kind)
            for (name, kind), column in zip(HISTORY_TYPES.items(), columns, strict=True)
        }
    )


def empty_history() -> pd.DataFrame:
    """Return the history of what was learned without iterations of EM."""
    return as_history([])
