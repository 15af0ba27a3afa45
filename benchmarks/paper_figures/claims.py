"""Section 12: the claims of [k-max], each with what was measured."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cells import Figures
from figure_tables import FigureTable, Report
from run_settings import Cell, RunSettings
from scipy.stats import binomtest

from . import against_s2, chordalysis, complexity, effort, imputation, iterations
from .against_k_greedy import differences, wins_and_losses
from .chordalysis import ARITIES
from .contests import TREEWIDTHS, found_contests
from .inference_times import found_queries

MAX_MARGINALS, MAX_QUERY = 0.1, 5.0  # seconds
MAX_LOSS = 0.005  # of accuracy against mRF
SIGNIFICANT = 0.05
MIN_RATIO = 1.0005  # of accuracies that differ
MOST = 40 / 43


class Claim(NamedTuple):
    section: int
    text: str
    measured: str
    holds: bool


def cells(settings: RunSettings) -> list[Cell]:
    return []


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    table = FigureTable("claims of the paper", ("section", "claim", "measured", "result"))
    for claim in _claims(settings, figures):
        result = "confirmed" if claim.holds else "refuted"
        table.rows.append((str(claim.section), claim.text, claim.measured, result))
    notes = (
        "Results are those of the cells that have been measured. A claim holds if it holds for "
        f"all tasks, but for likelihoods, where it must for {MOST:.0%} of them."
    )
    return Report("12. Claims", notes, [table])


def _claims(settings: RunSettings, figures: Mapping[str, Figures]) -> Iterator[Claim]:
    contests = found_contests(settings, figures)
    if contests:
        yield _beats_k_greedy(contests)
    if found := [figures[c.name] for c in iterations.cells(settings) if c.name in figures]:
        yield from _iterations(found[0], contests)
    if runs := against_s2.found_runs(settings, figures):
        yield _beats_s2(runs)
    if queries := found_queries(settings, figures):
        yield from _inference(queries)
    if pairs := chordalysis.pairs(settings, figures):
        yield from _beats_chordalysis(pairs)
    if queries:
        yield from _queries(queries)
    if runs := [run for _, _, run in imputation.found_runs(settings, figures)]:
        yield from _imputation(runs, imputation.effort(settings))
    yield from _efforts(effort.found_runs(settings, figures))
    yield from _growth(settings, figures)


def _beats_k_greedy(contests: list[tuple[str, Figures]]) -> Claim:
    parts, holds = [], True
    for k in TREEWIDTHS:
        wins, losses = wins_and_losses([differences(found, k, "") for _, found in contests])
        p = binomtest(wins, max(wins + losses, 1)).pvalue
        holds &= wins > losses and p < SIGNIFICANT
        parts.append(f"{wins} : {losses} at k = {k} (p {p:.0e})")
    text = "k-MAX beats k-greedy significantly at every treewidth"
    return Claim(2, text, "; ".join(parts), holds)


def _iterations(run: Figures, contests: list[tuple[str, Figures]]) -> Iterator[Claim]:
    medians = [run[search]["median"] for search in ("k-max", "k-greedy")]
    text = "the median network of k-MAX scores higher than that of k-greedy"
    yield Claim(3, text, "{:,.0f} against {:,.0f}".format(*medians), medians[0] > medians[1])
    ratios = [
        found[f"k-greedy {k}"]["iterations"] / max(found[f"k-max {k}"]["iterations"], 1)
        for _, found in contests
        for k in TREEWIDTHS
    ]
    if ratios:
        middle = statistics.median(ratios)
        text = "k-MAX makes two orders of magnitude fewer networks in the same time"
        measured = (
            f"{middle:.1f} networks of k-greedy for one of k-MAX (median): an addition visits only "
            "the sets that hold the new variable"
        )
        yield Claim(3, text, measured, middle >= 50)


def _beats_s2(runs: list[tuple[str, Figures]]) -> Claim:
    found = [against_s2.difference(run, k) for _, run in runs for k in TREEWIDTHS]
    n_above = sum(d > against_s2.MIN_DIFFERENCE for d in found)
    text = "k-MAX has a BIC more than 10 above S2 for every task and treewidth"
    return Claim(4, text, f"{n_above} of {len(found)}", n_above == len(found))


def _inference(queries: list[tuple[str, Figures]]) -> Iterator[Claim]:
    learned = [run[f"k-max {k}"] for _, run in queries for k in TREEWIDTHS]
    for column, limit, what in (
        ("marginals", MAX_MARGINALS, "all marginals of networks of k-MAX take less than 0.1 s"),
        ("query", MAX_QUERY, "P(e) of five variables takes less than 5 s, also at k = 8"),
    ):
        seconds = [run[column] for run in learned if run[column] is not None]
        n_failed = len(learned) - len(seconds)
        slowest = max(seconds, default=float("nan"))
        measured = f"at most {slowest:.3g} s, exact" + (f"; {n_failed} failed" if n_failed else "")
        yield Claim(6, what, measured, n_failed == 0 and slowest < limit)
    large = [(name, run["known"]) for name, run in queries if run["variables"] >= 1000]
    if large:
        slow = [name for name, known in large if known["marginals by ijgp"] is None]
        text = "on some known networks of 1,000 and more variables IJGP gives no marginals in time"
        measured = f"no answer within the limit on {len(slow)} of {len(large)}"
        yield Claim(6, text, measured, bool(slow))


def _beats_chordalysis(pairs: list[tuple[str, Figures, Figures]]) -> Iterator[Claim]:
    for panel, is_network in chordalysis.PANELS.items():
        own = [pair for pair in pairs if ("." not in pair[0]) == is_network]
        for k in (5, 8) if own else ():
            parts, holds = [], True
            for arities in ARITIES:
                for kind in ("learning", "test"):
                    found = chordalysis.differences(own, k, arities, kind)
                    n_above = sum(d > 0 for d in found)
                    holds &= n_above >= MOST * len(found)
                    parts.append(f"{n_above} of {len(found)} ({kind} rows, {arities})")
            text = f"k-MAX fits better than Chordalysis at k = {k}: {panel}"
            yield Claim(7, text, "; ".join(parts), holds)


def _queries(queries: list[tuple[str, Figures]]) -> Iterator[Claim]:
    models = ("chordalysis", "k-max 8")
    errors = [[run[m]["mae"] for m in models] for _, run in queries]
    errors = [pair for pair in errors if None not in pair]
    if errors:
        means = [statistics.fmean(pair[i] for pair in errors) for i in (0, 1)]
        text = "the error of P(e) is comparable to that of Chordalysis"
        measured = f"mean {means[1]:.2e} at k = 8 against {means[0]:.2e}"
        yield Claim(8, text, measured, means[1] <= 1.2 * means[0] + 1e-6)
    times = [[run[m]["query"] for m in models] for _, run in queries]
    times = [pair for pair in times if None not in pair]
    if times:
        means = [1000 * statistics.fmean(pair[i] for pair in times) for i in (0, 1)]
        text = "P(e) is on average faster at k = 8 than in networks of Chordalysis"
        measured = f"mean {means[1]:.3g} ms against {means[0]:.3g} ms"
        yield Claim(8, text, measured, means[1] < means[0])


def _imputation(runs: list[Figures], effort: float) -> Iterator[Claim]:
    def mean(method: str) -> float:
        return statistics.fmean(run[method]["accuracy"] for run in runs)

    ratios = [imputation.ratio(run, "sem", "fill_cpu") for run in runs]
    text = "SEM-kMAX imputes as accurately as mRF"
    measured = f"mean {mean('sem'):.4f} against {mean('forest'):.4f}, {len(runs)} runs"
    yield Claim(9, text, measured, mean("sem") >= mean("forest") - MAX_LOSS)
    text = f"with {effort:g} s per variable (published: 1) it takes a tenth of the time of mRF"
    middle = statistics.median(ratios)
    yield Claim(9, text, f"{middle:.2f} of it (median): forests are faster now", middle <= 0.1)
    tenths = [imputation.ratio(run, "tenth", "fill_cpu") for run in runs]
    text = "with a budget of a tenth of the time of mRF it is as accurate, less 0.5 points"
    measured = (
        f"mean {mean('tenth'):.4f} against {mean('forest'):.4f}, in "
        f"{statistics.median(tenths):.2f} of the time (median)"
    )
    yield Claim(9, text, measured, mean("tenth") >= mean("forest") - MAX_LOSS)


def _efforts(found: Mapping[tuple[str, float], Figures]) -> Iterator[Claim]:
    medians = {
        pair: statistics.median(values)
        for pair in ((5, 1), (10, 1), (0.5, 0.1))
        if (values := effort.ratios(found, *pair))
    }
    for pair in ((5, 1), (0.5, 0.1)):
        if pair in medians:
            text = "SEM_5 is more accurate than SEM_1"
            measured = f"median ratio SEM_{pair[0]} / SEM_{pair[1]} {medians[pair]:.4f}"
            yield Claim(10, text, measured, medians[pair] > MIN_RATIO)
    if (10, 1) in medians and (5, 1) in medians:
        measured = f"median ratios to SEM_1 {medians[5, 1]:.4f} and {medians[10, 1]:.4f}"
        holds = abs(medians[10, 1] - medians[5, 1]) < MAX_LOSS
        yield Claim(10, "SEM_10 is hardly better than SEM_5", measured, holds)


def _growth(settings: RunSettings, figures: Mapping[str, Figures]) -> Iterator[Claim]:
    for what in ("variables", "rows"):
        runs = complexity.growth(settings, figures, what)
        if len(runs) > 1:
            slope = complexity.exponent(runs, what)
            text = f"the time is at most linear in the number of {what}"
            measured = f"exponent {slope:.2f}"
            yield Claim(11, text, measured, slope <= complexity.MAX_EXPONENT)
    threads = figures.get(complexity.cells(settings)[-1].name)
    if threads and len(threads["threads"]) > 1:
        ups = {
            step: threads[step][0] / threads[step][-1]
            for step in ("parent sets", "k-MAX", "imputation")
        }
        n = threads["threads"][-1]
        measured = ", ".join(f"{step} {up:.1f}" for step, up in ups.items()) + f" times with {n}"
        holds = min(ups.values()) > 0.5 * n
        yield Claim(11, "all three steps run on several threads", measured, holds)
