"""Bins of a numeric variable: edges, medians, labels and contents.

A distribution over bins, such as a posterior, is one of numbers too. Given probabilities of shape
(n_cells, n_bins), `Bins.expected` returns the mean of each cell, and `Bins.quantiles` the median or
another quantile: a draw if the level is uniform. Given codes, `Bins.draw` returns a random number
of each bin. Such numbers fill a table by `OpenedTable.filled(codes, {position: numbers})`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from baytree.tables.bin_contents import BinContents, Floats, Tally, spread_group, summarize_bins
from baytree.tables.columns import Array, StateCodes

BinStrategy: TypeAlias = Literal["quantile", "uniform"]


@dataclass(frozen=True)
class Bins:
    """Bins of one numeric variable; bin i holds edges[i] < x <= edges[i + 1].

    The first bin holds its lower edge too. Numbers outside the edges belong to the outer bins.
    Files of older versions have no contents.
    """

    edges: tuple[float, ...]
    medians: tuple[float, ...]
    contents: BinContents | None = None

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Intervals as text, with the fewest digits that distinguish the edges."""
        return _interval_labels(self.edges)

    def codes(self, numbers: Array) -> StateCodes:
        """Return the bin of every number; -1 for NaN, and for everything if there are no bins."""
        return bin_codes(numbers, self.edges)

    @property
    def means(self) -> Floats:
        """Mean of the observed numbers in every bin; of unknown contents, the median."""
        return self.spread_contents.means

    def draw(self, codes: StateCodes, random: np.random.RandomState) -> Floats:
        """Return a number drawn from each bin, as the observed ones are spread; NaN for -1."""
        return self.spread_contents.draw(codes, random)

    def expected(self, probabilities: Floats) -> Floats:
        """Return the mean of each distribution over the bins, a row each."""
        mean: Floats = probabilities @ self.means
        return mean

    def quantiles(self, probabilities: Floats, level: float | Floats) -> Floats:
        """Return a quantile of each distribution over the bins, such as the median for 0.5.

        There is one level for all of them, or one for each.
        """
        contents = self.spread_contents
        return contents.quantiles(contents.of_bins(probabilities), level)

    @cached_property
    def spread_contents(self) -> BinContents:
        """Contents; unknown ones are as flat as the median of each bin allows."""
        if self.contents is not None:
            return self.contents
        spreads = zip(pairwise(self.edges), self.medians, strict=True)
        return BinContents(
            tuple(
                (spread_group(low, high, min(max(float(median), low), high)),)
                for (low, high), median in spreads
            )
        )


def fit_bins(
    numbers: Array, n_bins: int, strategy: BinStrategy, weights: Floats | None = None
) -> Bins:
    """Return at most `n_bins` bins of finite numbers; no numbers give no bins."""
    tally = Tally.of(numbers, weights)
    return bins_between(tally, fit_edges(tally, n_bins, strategy))


def fit_edges(tally: Tally, n_bins: int, strategy: BinStrategy) -> Floats:
    """Return the edges of at most `n_bins` bins of finite numbers; no numbers give no edges."""
    distinct, counts = tally
    if not len(distinct):
        return np.empty(0)
    if strategy == "quantile":
        cuts = _quantile_cuts(distinct, counts, n_bins)
    else:
        cuts = _uniform_cuts(distinct, n_bins).tolist()
    return np.array([distinct[0], *cuts, distinct[-1]]) + 0.0  # no negative zero


def bins_between(tally: Tally, edges: Floats) -> Bins:
    """Return the bins of finite numbers between edges."""
    if not len(edges):
        return Bins((), (), BinContents(()))
    medians = tuple(_medians(tally, edges))
    return Bins(tuple(edges.tolist()), medians, summarize_bins(tally, edges))


def bin_codes(numbers: Array, edges: Sequence[float] | Floats) -> StateCodes:
    """Return the bin of every number between edges; -1 for NaN, and if there are no edges."""
    if not len(edges):
        return np.full(len(numbers), -1, dtype=np.int32)
    numbers = numbers.astype(np.float64, copy=False)
    codes = np.searchsorted(np.asarray(edges[1:-1]), numbers, side="left").astype(np.int32)
    codes[np.isnan(numbers)] = -1
    return codes


def _quantile_cuts(distinct: Array, counts: Array, n_bins: int) -> list[float]:
    """Cut after the value nearest to an equal share of the rows that are left.

    The share is computed again after each cut, so a value frequent enough for several bins takes
    one, and the remaining rows share the others.
    """
    if len(distinct) <= n_bins:
        return list(distinct[:-1])
    cumulative = np.cumsum(counts)
    cuts: list[float] = []
    first, taken = 0, 0
    for n_left in range(n_bins, 1, -1):
        target = taken + (cumulative[-1] - taken) / n_left
        last = int(np.searchsorted(cumulative, target))
        if last > first and target - cumulative[last - 1] < cumulative[last] - target:
            last -= 1
        if last == len(distinct) - 1:
            break
        cuts.append(distinct[last])
        first, taken = last + 1, cumulative[last]
    return cuts


def _uniform_cuts(distinct: Array, n_bins: int) -> Array:
    """Cut the range into equal widths, at most as many as there are distinct values."""
    n_bins = min(n_bins, len(distinct))
    fractions = np.arange(1, n_bins) / n_bins
    cuts = distinct[0] * (1 - fractions) + distinct[-1] * fractions  # the difference could overflow
    return np.unique(cuts[(cuts >= distinct[0]) & (cuts < distinct[-1])])


def _medians(tally: Tally, edges: Floats) -> list[float]:
    """Return the median of the numbers in each bin, or the middle of a bin that holds none."""
    middles = edges[:-1] / 2 + edges[1:] / 2
    for i, (numbers, counts) in enumerate(tally.between(edges)):
        if len(numbers):
            cumulative = np.cumsum(counts)
            half = cumulative[-1] / 2
            low, high = (np.searchsorted(cumulative, half, side) for side in ("left", "right"))
            middles[i] = _middle(numbers[low], numbers[high])
    return [float(middle) for middle in middles]


def _middle(low: float, high: float) -> float:
    """Return the mean of two numbers, rounded to 15 digits if both have no more."""
    middle = float(low / 2 + high / 2)
    is_short = all(_in_15_digits(number) == number for number in (low, high))
    return _in_15_digits(middle) if is_short else middle


def _in_15_digits(number: float) -> float:
    """Round to 15 significant digits, which every double can represent."""
    return float(f"{number:.15g}")


def _interval_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    texts = _edge_texts(edges)
    return tuple(
        f"{'(' if i else '['}{low}, {high}]" for i, (low, high) in enumerate(pairwise(texts))
    )


def _edge_texts(edges: tuple[float, ...]) -> list[str]:
    """Write the edges with the fewest decimals that are exact to a thousandth of any bin."""
    widths = np.diff(np.unique(edges))
    tolerance = widths.min() / 1000 if len(widths) else 0.0
    for n_decimals in range(0, 10):
        texts = [_fixed(edge, n_decimals) for edge in edges]
        errors = [abs(float(text) - edge) for text, edge in zip(texts, edges, strict=True)]
        if max(errors, default=0.0) <= tolerance and max(map(abs, edges), default=0.0) < 1e15:
            return texts
    return [repr(edge) for edge in edges]


def _fixed(number: float, n_decimals: int) -> str:
    return np.format_float_positional(number, precision=n_decimals, trim="-")
