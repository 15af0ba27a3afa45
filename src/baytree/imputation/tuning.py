"""Criterion and prior of an imputer, chosen on held-out cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from baytree.imputation.learned_networks import LearnedNetworks
from baytree.imputation.missing_cells import TableRows, hold_out_cells

HELD_OUT_FRACTION = 0.05
CRITERIA = ("bic", "aic")
PRIORS = (1.0, 10.0)

Learn: TypeAlias = Callable[[TableRows, int, dict[str, Any]], LearnedNetworks]


@dataclass(frozen=True)
class Choice:
    """The best settings, the log scores of all, and the networks at which Ctrl-C ended it."""

    settings: dict[str, Any]
    table: pd.DataFrame
    interrupted: LearnedNetworks | None = None


def candidates(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the settings to try, a criterion with a prior each, beginning with the given ones."""
    others = [
        {"criterion": c, "equivalent_sample_size": prior} for c in CRITERIA for prior in PRIORS
    ]
    return [given, *(settings for settings in others if settings != given)]


def tune(
    given: dict[str, Any], rows: TableRows, seed: int, n_jobs: int | None, learn: Learn
) -> Choice:
    """Choose the settings whose networks make held-out cells most probable."""
    tried = candidates(given)
    is_held_out = hold_out_cells(rows.codes, HELD_OUT_FRACTION, seed)
    shown = rows.with_codes(np.where(is_held_out, np.int32(-1), rows.codes))
    records: list[dict[str, Any]] = []
    for settings in tried:
        learned = learn(shown, seed, settings)
        if learned.is_interrupted:
            table = pd.DataFrame(records, columns=[*settings, "log_score"])
            return Choice(settings, table, learned)
        logs = learned.average(n_jobs).log_probabilities(rows, is_held_out)
        records.append(settings | {"log_score": float(logs.mean()) if len(logs) else 0.0})
    table = pd.DataFrame(records)
    return Choice(tried[int(table["log_score"].argmax())], table)
