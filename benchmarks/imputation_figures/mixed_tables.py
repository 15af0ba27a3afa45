"""Figure 8: tables of numbers and of numbers and text, compared with six other imputers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from cells import Figures
from figure_tables import REACHED, FigureTable, Report, decimal, verdict_at_least, verdict_at_most
from peers.mixed_tables import MIXED_PEERS
from run_settings import Cell, RunSettings

from imputation_figures.mixed_runs import AVERAGED, BAYTREE, MAX_ROWS, N_NETWORKS, RATE, measure

OWN = (BAYTREE, AVERAGED)
METHODS = (*OWN, *MIXED_PEERS)
VERDICTS = ("verdict on one network", "verdict on averaged")
SLOW = ("missForest", "boosting")  # left out of the quick mode
SETS = ("penguins", "wine", "hepatitis", "credit-screening", "diabetes", "breast_cancer", "adult")
SET_WITHOUT_TARGET = "titanic"
QUICK_SETS = ("penguins", "wine")
N_MASKS = 5

BASELINE = "mean and mode"
RMSE_METHODS = tuple(method for method in METHODS if method != "logistic regression")
RMSE_RIVALS = ("IterativeImputer", "KNN", "missForest")
ACCURACY_RIVALS = ("missForest", "boosting", "logistic regression")
TIME_RIVAL = "missForest"
MAX_RMSE_RATIO = 1.02
MAX_ACCURACY_LOSS = 0.003
MAX_TIME_RATIO = 0.1

Means = dict[str, float]  # over masks, by method


def cells(settings: RunSettings) -> list[Cell]:
    return [
        Cell(_name(method, name, mask), partial(measure, method, name, mask))
        for name in _sets(settings)
        for method in METHODS
        if settings.mode == "full" or method not in SLOW
        for mask in range(settings.pick(full=N_MASKS, quick=1))
    ]


def _sets(settings: RunSettings) -> tuple[str, ...]:
    return settings.pick(full=(*SETS, SET_WITHOUT_TARGET), quick=QUICK_SETS)


def _name(method: str, name: str, mask: int) -> str:
    return f"8: {method} on {name}, mask {mask}"


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    names = [name for name in _sets(settings) if _masks(name, figures)]
    tables = [_rmse_table(names, figures), _accuracy_table(names, figures)]
    tables.append(_time_table(names, figures))
    notes = (
        f"{100 * RATE:g} % of the observed cells are hidden, those of the class column too. The "
        "normalized RMSE of a column is that of its hidden cells divided by the standard deviation "
        "of all observed ones; columns count alike. The categorical accuracy is the fraction of "
        "all hidden states that are restored. Figures are means over masks. penguins, hepatitis, "
        "credit-screening, adult and titanic have numbers and text; wine is one of these by its "
        "class, which is text here; diabetes and breast_cancer have numbers only, without the "
        f"target of scikit-learn. Of adult all imputers get the same {MAX_ROWS:,} rows, drawn at "
        "random. titanic has no target. Averaged means "
        f"`n_networks={N_NETWORKS}`, the default. IterativeImputer and KNN have indicators "
        "of states, and KNN standardised numbers; missForest has 100 trees and the stop rule of "
        "its authors; boosting "
        "has one HistGradientBoosting model per column, with categories and missing cells as they "
        "are; logistic regression is one model per column of text, with means and modes for "
        f"missing cells. Targets: normalized RMSE at most {MAX_RMSE_RATIO:g} times the best of "
        "IterativeImputer, KNN and missForest on 5 of 7 tables, and nowhere above that of column "
        "means; accuracy at least the best of missForest, boosting and logistic regression less "
        f"{100 * MAX_ACCURACY_LOSS:g} points on 4 of 5 tables; {MAX_TIME_RATIO:g} of the CPU time "
        "of missForest."
    )
    return Report("Figure 8: numbers and mixed tables", notes, tables)


def _masks(name: str, figures: Mapping[str, Figures]) -> list[int]:
    """Return the masks that all methods with a finished cell of this table have finished."""
    own = [
        {mask for mask in range(N_MASKS) if _name(method, name, mask) in figures}
        for method in METHODS
    ]
    return sorted(set.intersection(*filter(None, own))) if any(own) else []


def _means(name: str, key: str, figures: Mapping[str, Figures]) -> Means:
    means: Means = {}
    for method in METHODS:
        runs = [figures.get(_name(method, name, mask), {}) for mask in _masks(name, figures)]
        found = [run[key] for run in runs if run.get(key) is not None]
        if found:
            means[method] = float(np.mean(found))
    return means


def _rmse_table(names: list[str], figures: Mapping[str, Figures]) -> FigureTable:
    table = FigureTable("normalized RMSE", ("data", "masks", *RMSE_METHODS, *VERDICTS))
    for name in names:
        means = _means(name, "rmse", figures)
        verdicts = _verdicts(name, means, (*RMSE_RIVALS, BASELINE), _rmse_verdict)
        table.rows.append((*_row(name, means, RMSE_METHODS, figures, 4), *verdicts))
    return _with_counts(table, "5 of 7")


def _rmse_verdict(own: float, means: Means) -> str:
    if own > means[BASELINE]:
        return f"not reached: above column means by a factor of {own / means[BASELINE]:.3f}"
    return verdict_at_most(own / min(means[rival] for rival in RMSE_RIVALS), MAX_RMSE_RATIO, 3)


def _accuracy_table(names: list[str], figures: Mapping[str, Figures]) -> FigureTable:
    table = FigureTable("categorical accuracy", ("data", "masks", *METHODS, *VERDICTS))
    for name in names:
        means = _means(name, "accuracy", figures)
        if means:
            verdicts = _verdicts(name, means, ACCURACY_RIVALS, _accuracy_verdict)
            table.rows.append((*_row(name, means, METHODS, figures, 4), *verdicts))
    return _with_counts(table, "4 of 5")


def _accuracy_verdict(own: float, means: Means) -> str:
    target = max(means[rival] for rival in ACCURACY_RIVALS) - MAX_ACCURACY_LOSS
    return verdict_at_least(own, target, 4)


def _time_table(names: list[str], figures: Mapping[str, Figures]) -> FigureTable:
    table = FigureTable("CPU seconds of fit and transform", ("data", "masks", *METHODS, *VERDICTS))
    for name in names:
        means = _means(name, "fill_cpu", figures)
        verdicts = _verdicts(name, means, (TIME_RIVAL,), _time_verdict)
        table.rows.append((*_row(name, means, METHODS, figures, 2), *verdicts))
    return table


def _time_verdict(own: float, means: Means) -> str:
    return verdict_at_most(own / means[TIME_RIVAL], MAX_TIME_RATIO, 3)


def _verdicts(
    name: str, means: Means, rivals: tuple[str, ...], verdict: Callable[[float, Means], str]
) -> list[str]:
    """Return the verdicts on one network and on averaged ones, where all figures are measured."""
    is_known = {*OWN, *rivals} <= means.keys() and name != SET_WITHOUT_TARGET
    return [verdict(means[own], means) if is_known else "" for own in OWN]


def _row(
    name: str,
    means: Means,
    methods: tuple[str, ...],
    figures: Mapping[str, Figures],
    digits: int,
) -> tuple[str, ...]:
    n_masks = str(len(_masks(name, figures)))
    return (name, n_masks, *(decimal(means.get(method), digits) for method in methods))


def _with_counts(table: FigureTable, target: str) -> FigureTable:
    """Return the table with the numbers of tables that reach the target in its caption."""
    counts = []
    for own, column in zip(OWN, (-2, -1), strict=True):
        verdicts = [row[column] for row in table.rows if row[column]]
        n_reached = sum(verdict.startswith(REACHED) for verdict in verdicts)
        counts.append(f"{own} reaches the target on {n_reached} of {len(verdicts)} tables")
    found = ", ".join(counts)
    has_verdicts = any(row[-1] for row in table.rows)
    return (
        replace(table, caption=f"{table.caption}; {found}; target: {target}")
        if has_verdicts
        else table
    )
