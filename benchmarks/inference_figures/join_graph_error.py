"""Figure 6: error of join-graph propagation by its bound."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np
from cells import Figures
from figure_tables import REACHED, FigureTable, Report, decimal
from run_settings import Cell, RunSettings

import baytree as bt
from baytree.exceptions import ConvergenceWarning

from .known_queries import Observed, known_network, likely_evidence

NETWORKS = ("andes", "pigs")
WIDE = "random2000"  # too wide for exact answers
I_BOUNDS = (3, 5, 7, 9, 11)
WIDE_I_BOUNDS = (3, 5, 8)
N_OBSERVED = (5, 20)
MAX_ERROR = 0.02


def cells(settings: RunSettings) -> list[Cell]:
    n_queries = settings.pick(full=50, quick=5)
    known = [
        Cell(
            f"6: {name}, {n_observed} observed, {n_queries} queries",
            partial(measure, name, n_observed, n_queries),
        )
        for name in NETWORKS
        for n_observed in N_OBSERVED
    ]
    n_wide = settings.pick(full=5, quick=1)
    return [*known, Cell(f"6: {WIDE}, {n_wide} queries", partial(measure_wide, n_wide))]


def measure(name: str, n_observed: int, n_queries: int) -> Figures:
    """Return errors of marginals and of log P(e), milliseconds and sweeps, by bound."""
    warnings.simplefilter("ignore", ConvergenceWarning)  # reported as a fraction
    network = known_network(name)
    queries = likely_evidence(network, n_queries, n_observed, seed=6)
    exact = [_numbers(network, network.marginals(evidence), evidence) for evidence in queries]
    logs = [network.log_probability(evidence) for evidence in queries]
    figures: Figures = {}
    for i_bound in I_BOUNDS:
        runs = []
        for evidence, expected, log_probability in zip(queries, exact, logs, strict=True):
            run = _time_query(network, evidence, i_bound)
            found = _numbers(network, run.pop("marginals"), evidence)
            run["mae"] = float(np.abs(found - expected).mean())
            estimate = network.log_probability(evidence, engine=bt.IJGP(i_bound))
            run["log error"] = abs(estimate - log_probability)
            runs.append(run)
        figures[str(i_bound)] = _summary(runs)
    return figures


def measure_wide(n_queries: int) -> Figures:
    """Return time and sweeps on a network without exact results."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    network = known_network(WIDE)
    queries = likely_evidence(network, n_queries, N_OBSERVED[0], seed=6)
    figures: Figures = {}
    for i_bound in WIDE_I_BOUNDS:
        runs = [_time_query(network, evidence, i_bound) for evidence in queries]
        for run in runs:
            run.pop("marginals")
        figures[str(i_bound)] = _summary(runs)
    return figures


def _time_query(network: bt.BayesianNetwork, evidence: Observed, i_bound: int) -> Figures:
    started = time.perf_counter()
    marginals = network.marginals(evidence, engine=bt.IJGP(i_bound))
    seconds = time.perf_counter() - started
    convergence = marginals.convergence
    assert convergence is not None
    return {
        "marginals": marginals,
        "ms": 1000 * seconds,
        "sweeps": convergence.n_sweeps,
        "converged": convergence.is_converged,
        "exact": convergence.is_exact,
    }


def _numbers(network: bt.BayesianNetwork, marginals: object, evidence: Observed) -> np.ndarray:
    """Return the probabilities of all unobserved variables."""
    free = [variable for variable in network.variables if variable not in evidence]
    return np.concatenate([marginals[variable].to_numpy() for variable in free])


def _summary(runs: list[Figures]) -> Figures:
    figures = {
        "ms": round(statistics.median(run["ms"] for run in runs), 2),
        "sweeps": statistics.median(run["sweeps"] for run in runs),
        "converged": statistics.mean(run["converged"] for run in runs),
        "exact": statistics.mean(run["exact"] for run in runs),
    }
    for what in ("mae", "log error"):
        if what in runs[0]:
            figures[what] = statistics.mean(run[what] for run in runs)
    return figures


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable(
        "all marginals",
        (
            "network",
            "i-bound",
            "mean absolute error",
            "error of log P(e)",
            "ms",
            "sweeps",
            "converged",
            "exact",
            "verdict",
        ),
    )
    for cell in cells(settings):
        found = figures.get(cell.name)
        if found:
            _add_rows(table, cell.name.removeprefix("6: "), found)
    notes = (
        "Mean absolute error of the marginals of all unobserved variables, over states and "
        f"queries. The target is an error below {MAX_ERROR} that falls with the bound. {WIDE} has "
        "a treewidth of about a thousand and so no exact results. `exact` is the percentage of "
        "queries that needed no split."
    )
    return Report("Figure 6: error of join-graph propagation", notes, [table])


def _add_rows(table: FigureTable, name: str, found: Figures) -> None:
    bounds = [bound for bound in found if bound.isdigit()]
    errors = [found[bound].get("mae") for bound in bounds]
    is_falling = None not in errors and all(a >= b for a, b in pairwise(errors))
    for i, bound in enumerate(bounds):
        own, error = found[bound], errors[i]
        table.rows.append(
            (
                name,
                bound,
                "-" if error is None else f"{error:.6f}",
                "-" if error is None else f"{own['log error']:.5f}",
                decimal(own["ms"], 1),
                decimal(own["sweeps"], 1),
                f"{own['converged']:.0%}",
                f"{own['exact']:.0%}",
                "" if error is None else _verdict(error, is_falling, is_last=i == len(bounds) - 1),
            )
        )


def _verdict(error: float, is_falling: bool, *, is_last: bool) -> str:
    if error >= MAX_ERROR:
        return f"not reached: {error:.4f} against {MAX_ERROR}"
    if is_last:
        return f"{REACHED}, falling" if is_falling else "not reached: errors do not always fall"
    return REACHED
