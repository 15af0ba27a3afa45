"""Figure 9: means, standard deviations and correlations of numbers in multiple imputation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from cells import Figures
from figure_tables import FigureTable, Report, decimal, verdict_at_most
from run_settings import Cell, RunSettings

import baytree as bt
from baytree.exceptions import BaytreeWarning
from imputation_figures.masked_runs import hidden_mask
from imputation_figures.mixed_runs import RATE, read_table

N_MASKS = 10
N_IMPUTATIONS = 5
FARE_RATE = 0.3
STRONG = 0.6  # an absolute correlation
MAX_MEAN_ERROR = 0.01
MAX_DEVIATION_ERROR = 0.03
MAX_CORRELATION_ERROR = 0.03


def cells(settings: RunSettings) -> list[Cell]:
    masks = range(settings.pick(full=N_MASKS, quick=2))
    fares = [Cell(f"9: titanic fare, mask {mask}", partial(measure_fare, mask)) for mask in masks]
    return fares + [Cell(f"9: wine, mask {mask}", partial(measure_wine, mask)) for mask in masks]


def measure_fare(seed: int) -> Figures:
    """Return the pooled mean and standard deviation of fare, with some fares hidden."""
    table = read_table("titanic")
    hidden = np.random.default_rng(seed).random(len(table)) < FARE_RATE
    fares = [drawn["fare"] for drawn in _draws(table.assign(fare=table["fare"].mask(hidden)), seed)]
    return {
        "mean": round(float(np.mean([own.mean() for own in fares])), 4),
        "deviation": round(float(np.mean([own.std() for own in fares])), 4),
        "true_mean": round(float(table["fare"].mean()), 4),
        "true_deviation": round(float(table["fare"].std()), 4),
    }


def measure_wine(seed: int) -> Figures:
    """Return the correlations of all pairs, and by how much the pooled ones differ from them."""
    table = read_table("wine")
    drawn = _draws(table.mask(hidden_mask(table.shape, RATE, seed)), seed)
    truth = _correlations(table)
    errors = np.mean([_correlations(own) for own in drawn], axis=0) - truth
    return {"errors": errors.round(4).tolist(), "truth": truth.round(4).tolist()}


def _draws(table: pd.DataFrame, seed: int) -> list[pd.DataFrame]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BaytreeWarning)
        imputer = bt.BayesianNetworkImputer(random_state=seed).fit(table)
        return imputer.sample(table, N_IMPUTATIONS)


def _correlations(table: pd.DataFrame) -> np.ndarray:
    correlations = table.corr(numeric_only=True).to_numpy()
    return correlations[np.triu_indices(len(correlations), 1)]


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    notes = (
        f"Means over masks of {N_IMPUTATIONS} imputations by the imputer with default settings: "
        f"{100 * FARE_RATE:g} % of the fares of titanic are hidden, and {100 * RATE:g} % of all "
        f"cells of wine. Strong correlations are those beyond {STRONG:g} in the complete table. "
        f"Targets: the mean within {100 * MAX_MEAN_ERROR:g} %, the standard deviation within "
        f"{100 * MAX_DEVIATION_ERROR:g} %, strong correlations within {MAX_CORRELATION_ERROR:g}."
    )
    table = FigureTable("pooled estimates", ("estimate", "masks", "truth", "pooled", "verdict"))
    fares = _found("9: titanic fare", figures)
    if fares:
        for title, key, limit in (
            ("mean of fare", "mean", MAX_MEAN_ERROR),
            ("standard deviation of fare", "deviation", MAX_DEVIATION_ERROR),
        ):
            pooled, truth = (
                float(np.mean([own[name] for own in fares])) for name in (key, f"true_{key}")
            )
            verdict = verdict_at_most(abs(pooled / truth - 1), limit, 4)
            row = (title, str(len(fares)), decimal(truth, 2), decimal(pooled, 2), verdict)
            table.rows.append(row)
    wines = _found("9: wine", figures)
    if wines:
        truths = np.array(wines[0]["truth"])
        errors = np.mean([own["errors"] for own in wines], axis=0)
        strong = np.flatnonzero(np.abs(truths) > STRONG)
        worst = strong[np.abs(errors[strong]).argmax()]
        title = f"of {len(strong)} strong correlations of wine, the furthest off"
        table.rows.append(
            (
                title,
                str(len(wines)),
                decimal(truths[worst], 3),
                decimal(truths[worst] + errors[worst], 3),
                verdict_at_most(abs(errors[worst]), MAX_CORRELATION_ERROR, 4),
            )
        )
        every = float(np.abs(errors).mean())
        table.rows.append(
            (
                f"mean error of all {len(truths)} correlations",
                str(len(wines)),
                "0",
                decimal(every, 3),
                "",
            )
        )
    return Report("Figure 9: draws of numbers", notes, [table])


def _found(prefix: str, figures: Mapping[str, Figures]) -> list[Figures]:
    return [own for name, own in figures.items() if name.startswith(prefix)]
