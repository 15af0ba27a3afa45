"""Section 12: the claims of [k-max], each with what was measured."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cells import Figures
from figure_tables import FigureTable, Report
from run_settings import Cell, RunSettings

from . import against_s2, chordalysis, complexity, effort, imputation, iterations
from .against_k_greedy import differences, sign_test, significance, wins_and_losses
from .chordalysis import ARITIES
from .contests import TREEWIDTHS, Budgets, found_contests
from .inference_times import found_queries

CONFIRMED, REFUTED = "confirmed", "refuted"
SHORT = "not reached with this budget"
MAX_MARGINALS, MAX_QUERY = 0.1, 5.0  # seconds
MAX_LOSS = 0.005  # of accuracy
SIGNIFICANT = 0.05
MIN_RATIO = 1.0005  # of accuracies that differ
MIN_SPEED_UP = 0.5  # per thread
MIN_TASKS = 40 / 43  # on which k-MAX fits better than Chordalysis
TWO_ORDERS = 50


class Claim(NamedTuple):
    section: int
    text: str
    criterion: str
    measured: str
    holds: bool
    otherwise: str = REFUTED

    def row(self) -> tuple[str, ...]:
        result = CONFIRMED if self.holds else self.otherwise
        return (str(self.section), self.text, self.criterion, self.measured, result)


def cells(settings: RunSettings) -> list[Cell]:
    return []


def report(settings: RunSettings, figures: Mapping[str, Figures]) -> Report:
    header = ("section", "claim", "holds if", "measured", "result")
    rows = [claim.row() for claim in _claims(settings, figures)]
    budget = Budgets.of(settings)
    notes = (
        f"Results are those of the cells that have been measured. `{SHORT}` stands where more time "
        f"may give another result: searches had {budget.search:g} s on parent sets of "
        f"{budget.sets:g} s or more, in the paper an hour. `Run at length` are those of section 7."
    )
    table = FigureTable("claims of the paper", header, rows)
    return Report("12. Claims", notes, [table], dates="in the sections named" if rows else "")


def _claims(settings: RunSettings, figures: Mapping[str, Figures]) -> Iterator[Claim]:
    contests = found_contests(settings, figures)
    if contests:
        yield _beats_k_greedy(contests)
    if found := [figures[c.name] for c in iterations.cells(settings) if c.name in figures]:
        yield _median(found[0])
    if contests:
        yield _iterations(contests)
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
        found = [differences(run, k, "") for _, run in contests]
        wins, losses = wins_and_losses(found)
        holds &= wins > losses and significance(found) < SIGNIFICANT
        parts.append(f"{sign_test(found)} at k = {k}")
    text = "k-MAX beats k-greedy significantly at every treewidth"
    return Claim(2, text, "sign test below 0.05", "; ".join(parts), holds, SHORT)


def _median(run: Figures) -> Claim:
    medians = [run[search]["median"] for search in ("k-max", "k-greedy")]
    text = "the median network of k-MAX scores higher than that of k-greedy"
    measured = "{:,.0f} against {:,.0f}".format(*medians)
    return Claim(3, text, "higher", measured, medians[0] > medians[1])


def _iterations(contests: list[tuple[str, Figures]]) -> Claim:
    middle = statistics.median(
        found[f"k-greedy {k}"]["iterations"] / max(found[f"k-max {k}"]["iterations"], 1)
        for _, found in contests
        for k in TREEWIDTHS
    )
    text = "k-MAX makes two orders of magnitude fewer networks in the same time"
    measured = (
        f"{middle:.1f} networks of k-greedy for one of k-MAX (median of section 2): here an "
        "addition visits only the sets that hold the new variable"
    )
    return Claim(3, text, f"median ratio at least {TWO_ORDERS}", measured, middle >= TWO_ORDERS)


def _beats_s2(runs: list[tuple[str, Figures]]) -> Claim:
    found = [against_s2.difference(run, k) for _, run in runs for k in TREEWIDTHS]
    n_above = sum(d > against_s2.MIN_DIFFERENCE for d in found)
    text = "k-MAX has a BIC more than 10 above S2 for every task and treewidth"
    return Claim(4, text, "all", f"{n_above} of {len(found)}", n_above == len(found), SHORT)


def _inference(queries: list[tuple[str, Figures]]) -> Iterator[Claim]:
    learned = [run[f"k-max {k}"] for _, run in queries for k in TREEWIDTHS]
    for column, limit, text in (
        ("marginals", MAX_MARGINALS, "marginals of networks of k-MAX take less than 0.1 s"),
        ("query", MAX_QUERY, "P(e) of five variables takes less than 5 s, also at k = 8"),
    ):
        seconds = [run[column] for run in learned if run[column] is not None]
        n_below = sum(s < limit for s in seconds)
        slowest = max(seconds, default=float("nan"))
        measured = f"{n_below} of {len(learned)} networks; at most {slowest:.3g} s, exact"
        yield Claim(6, text, "all", measured, n_below == len(learned))
    large = [(name, run["known"]) for name, run in queries if run["variables"] >= 1000]
    if large:
        slow = [name for name, known in large if known["marginals by ijgp"] is None]
        text = "on some known networks of 1,000 and more variables IJGP gives no marginals in time"
        measured = f"no answer within the limit on {len(slow)} of {len(large)}"
        yield Claim(6, text, "one or more", measured, bool(slow))


def _beats_chordalysis(pairs: list[tuple[str, Figures, Figures]]) -> Iterator[Claim]:
    for panel, is_network in chordalysis.PANELS.items():
        own = [pair for pair in pairs if ("." not in pair[0]) == is_network]
        for k in (5, 8) if own else ():
            parts, holds, otherwise = [], True, SHORT
            for arities in ARITIES:
                for kind in ("learning", "test"):
                    found = chordalysis.differences(own, k, arities, kind)
                    n_above = sum(d > 0 for d in found)
                    holds &= n_above >= MIN_TASKS * len(found)
                    part = f"{n_above} of {len(found)}"
                    long = chordalysis.differences(own, k, arities, kind, chordalysis.AT_LENGTH)
                    if long:
                        n_below = sum(d <= 0 for d in long)
                        part += f", {n_below} of {len(long)} run at length below"
                        if n_below > (1 - MIN_TASKS) * len(found):
                            otherwise = REFUTED
                    parts.append(f"{part} ({kind} rows, {arities})")
            text = f"k-MAX fits better than Chordalysis at k = {k}: {panel}"
            criterion = f"{MIN_TASKS:.0%} of the tasks (40 of 43), of learning and test rows"
            yield Claim(7, text, criterion, "; ".join(parts), holds, otherwise)


def _queries(queries: list[tuple[str, Figures]]) -> Iterator[Claim]:
    models = ("chordalysis", "k-max 8")
    errors = [[run[m]["mae"] for m in models] for _, run in queries]
    errors = [pair for pair in errors if None not in pair]
    if errors:
        means = [statistics.fmean(pair[i] for pair in errors) for i in (0, 1)]
        text = "the error of P(e) at k = 8 is comparable to that of Chordalysis"
        measured = f"mean {means[1]:.2e} against {means[0]:.2e}"
        yield Claim(8, text, "at most 1.2 times", measured, means[1] <= 1.2 * means[0])
    times = [[run[m]["query"] for m in models] for _, run in queries]
    times = [pair for pair in times if None not in pair]
    if times:
        means = [1000 * statistics.fmean(pair[i] for pair in times) for i in (0, 1)]
        text = "P(e) is on average faster at k = 8 than in networks of Chordalysis"
        measured = f"mean of medians {means[1]:.3g} ms against {means[0]:.3g} ms"
        yield Claim(8, text, "mean over networks", measured, means[1] < means[0])


def _imputation(runs: list[Figures], effort: float) -> Iterator[Claim]:
    def mean(method: str) -> float:
        return statistics.fmean(run[method]["accuracy"] for run in runs)

    within = f"mean accuracy at least that of mRF less {MAX_LOSS:g}"
    text = "SEM-kMAX imputes as accurately as mRF"
    measured = f"mean {mean('sem'):.4f} against {mean('forest'):.4f}, so far {len(runs)} runs"
    yield Claim(9, text, within, measured, mean("sem") >= mean("forest") - MAX_LOSS)
    middle = statistics.median(imputation.ratio(run, "sem", "fill_cpu") for run in runs)
    text = f"with {effort:g} s per variable (published: 1) it takes a tenth of the time of mRF"
    measured = f"{middle:.2f} of it (median): forests of scikit-learn on machines of today"
    yield Claim(9, text, "median ratio at most 0.1", measured, middle <= 0.1)
    middle = statistics.median(imputation.ratio(run, "tenth", "fill_cpu") for run in runs)
    text = "in a tenth of the time of mRF it is as accurate"
    measured = f"mean {mean('tenth'):.4f} against {mean('forest'):.4f}, in {middle:.2f} of the time"
    yield Claim(9, text, within, measured, mean("tenth") >= mean("forest") - MAX_LOSS)


def _efforts(found: Mapping[tuple[str, float], Figures]) -> Iterator[Claim]:
    pairs = ((5, 1), (10, 1), (0.5, 0.1))
    ratios = {pair: values for pair in pairs if (values := effort.ratios(found, *pair))}
    medians = {pair: statistics.median(values) for pair, values in ratios.items()}
    for pair in ((5, 1), (0.5, 0.1)):
        if pair in medians:
            text = f"SEM_{pair[0]} is more accurate than SEM_{pair[1]}"
            measured = f"median ratio {medians[pair]:.4f}, so far {len(ratios[pair])} sets"
            criterion = f"median ratio above {MIN_RATIO}"
            yield Claim(10, text, criterion, measured, medians[pair] > MIN_RATIO)
    if (10, 1) in medians and (5, 1) in medians:
        measured = f"median ratios to SEM_1 {medians[10, 1]:.4f} and {medians[5, 1]:.4f}"
        measured += f", so far {len(ratios[10, 1])} and {len(ratios[5, 1])} sets"
        holds = abs(medians[10, 1] - medians[5, 1]) < MAX_LOSS
        text = "SEM_10 is hardly better than SEM_5"
        yield Claim(10, text, f"difference below {MAX_LOSS:g}", measured, holds)


def _growth(settings: RunSettings, figures: Mapping[str, Figures]) -> Iterator[Claim]:
    for what in ("variables", "rows"):
        runs = complexity.growth(settings, figures, what)
        if len(runs) > 1:
            slope = complexity.exponent(runs, what)
            text = f"the time is at most linear in the number of {what}"
            criterion = f"exponent at most {complexity.MAX_EXPONENT}, for a given effort"
            measured = f"exponent {slope:.2f}, mostly by construction: effort is time per variable"
            yield Claim(11, text, criterion, measured, slope <= complexity.MAX_EXPONENT)
    threads = figures.get(complexity.cells(settings)[-1].name)
    if threads and len(threads["threads"]) > 1:
        n = threads["threads"][-1]
        ups = {step: threads[step][0] / threads[step][-1] for step in complexity.STEPS}
        measured = ", ".join(f"{step} {up:.1f}" for step, up in ups.items())
        text = "all three steps run on several threads"
        criterion = f"speed-up of {MIN_SPEED_UP * n:g} by {n} threads"
        yield Claim(11, text, criterion, measured, min(ups.values()) >= MIN_SPEED_UP * n)
