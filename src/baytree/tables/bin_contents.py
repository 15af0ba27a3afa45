"""Contents of bins: a summary of the numbers in each bin, from which numbers are drawn again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from baytree.tables.columns import Array, StateCodes

Floats = npt.NDArray[np.float64]

MAX_GROUPS = 16  # per bin, besides values that take a large part of the bin
MAX_DECIMALS = 9
MAX_COUNT = 2**53


class NumberGroup(NamedTuple):
    """Neighbouring numbers of a bin: how many they are, their range, mean and standard deviation.

    A bin of few distinct numbers has a group for each.
    """

    n: float
    low: float
    high: float
    mean: float
    sd: float

    def is_sound(self, lowest: float, highest: float) -> bool:
        """Test whether numbers within bounds can have this summary."""
        is_within = lowest <= self.low <= self.mean <= self.high <= highest
        return (
            is_within
            and 0 < self.n <= MAX_COUNT
            and 0 <= self.sd / 2 <= self.high / 2 - self.low / 2
        )


class Tally(NamedTuple):
    """Distinct numbers in increasing order, and how many rows hold each."""

    numbers: Floats
    counts: Array

    @classmethod
    def of(cls, numbers: Array, weights: Floats | None = None) -> Tally:
        """Count numbers, by the weights of their rows; those of weight 0 do not occur."""
        numbers = numbers.astype(np.float64, copy=False)
        if weights is None:
            return cls(*np.unique(numbers, return_counts=True))
        distinct, place = np.unique(numbers[weights > 0], return_inverse=True)
        return cls(distinct, np.bincount(place, weights[weights > 0]))

    def between(self, edges: Floats) -> Iterator[Tally]:
        """Yield the part of each bin."""
        inner = np.searchsorted(self.numbers, edges[1:-1], side="right").tolist()
        for start, stop in pairwise((0, *inner, len(self.numbers))):
            yield Tally(self.numbers[start:stop], self.counts[start:stop])


@dataclass(frozen=True)
class BinContents:
    """Groups of the numbers in every bin of a variable.

    All numbers are multiples of 10 ** -n_decimals; without `n_decimals` they have all digits.
    """

    groups: tuple[tuple[NumberGroup, ...], ...]
    n_decimals: int | None = None

    @cached_property
    def means(self) -> Floats:
        """Mean of the numbers in every bin."""
        return np.array([_weighted_mean(own) for own in self.groups])

    def draw(self, codes: StateCodes, random: np.random.RandomState) -> Floats:
        """Return a number drawn from each bin; NaN for code -1.

        The mean and the standard deviation of draws are those of the numbers in the bin.
        """
        drawn = np.full(len(codes), np.nan)
        is_drawn = codes >= 0
        keys = codes[is_drawn] + random.random_sample(int(is_drawn.sum()))
        group = np.searchsorted(self._keys, keys, side="right")
        drawn[is_drawn] = self.draw_of_groups(group, random)
        return drawn

    def of_bins(self, probabilities: Floats) -> Floats:
        """Return the probabilities of groups for those of bins, a row per distribution."""
        sizes = [of.stop - of.start for of in self.groups_of_bins]
        return np.repeat(probabilities, sizes, axis=1) * self.shares

    def quantiles(self, probabilities: Floats, level: float | Floats) -> Floats:
        """Return a quantile of each distribution over groups, a row each; one level or one each.

        Of uniform levels, the numbers are those of `draw`, but rounded to the nearest.
        """
        cumulative = np.cumsum(probabilities, axis=1)
        total = cumulative[:, -1]
        target = np.clip(level * total, np.finfo(np.float64).tiny, total)
        group = (cumulative < target[:, np.newaxis]).sum(axis=1)
        rows = np.arange(len(group))
        share = 1 - (cumulative[rows, group] - target) / probabilities[rows, group]
        return self._within_group(group, np.clip(share, 0, 1))

    def _within_group(self, group: Array, share: Floats) -> Floats:
        low, high = self._flat[group, 1], self._flat[group, 2]
        numbers, is_wide = low.copy(), high > low
        a, b = (own[group[is_wide]] for own in self._beta_parameters)
        part = betaincinv(a, b, share[is_wide])
        numbers[is_wide] = low[is_wide] * (1 - part) + high[is_wide] * part
        if self.n_decimals is not None:
            with np.errstate(over="ignore"):
                steps = np.round(_shifted(numbers, self.n_decimals))
                numbers = np.round(_shifted(steps, -self.n_decimals), self.n_decimals)
        clipped: Floats = np.clip(numbers, low, high)
        return clipped

    @cached_property
    def _flat(self) -> Floats:
        """All groups as rows: n, low, high, mean, sd."""
        return np.array([group for own in self.groups for group in own]).reshape(-1, 5)

    @cached_property
    def _keys(self) -> Floats:
        """Bin of every group plus the fraction of its numbers up to that group."""
        keys = []
        for position, own in enumerate(self.groups):
            shares = np.cumsum([group.n for group in own])
            keys.append(position + shares / shares[-1])
            keys[-1][-1] = position + 1
        return np.concatenate([*keys, np.empty(0)])

    @property
    def group_means(self) -> Floats:
        """Means of all groups, bin by bin."""
        return np.asarray(self._flat[:, 3])

    @cached_property
    def groups_of_bins(self) -> list[slice]:
        """Positions of the groups of every bin."""
        ends = np.cumsum([0, *map(len, self.groups)]).tolist()
        return [slice(first, end) for first, end in pairwise(ends)]

    @cached_property
    def shares(self) -> Floats:
        """Fractions of the numbers of a bin that are in each of its groups."""
        n = self._flat[:, 0]
        return np.concatenate(
            [*(n[own] / n[own].sum() for own in self.groups_of_bins), np.empty(0)]
        )

    def draw_of_groups(self, group: Array, random: np.random.RandomState) -> Floats:
        """Return numbers drawn from groups: of the beta distribution with their two moments."""
        low, high = self._flat[group, 1], self._flat[group, 2]
        a, b = self._beta_parameters
        fractions = random.beta(a[group], b[group])
        drawn = low * (1 - fractions) + high * fractions  # the difference could overflow
        return np.clip(self._rounded(drawn, random), low, high)

    @cached_property
    def _beta_parameters(self) -> tuple[Floats, Floats]:
        """Parameters of beta distributions that have the means and deviations of the groups."""
        _, low, high, mean, sd = self._flat.T / 2  # halves: a difference could overflow
        width = np.where(high > low, high - low, 1.0)
        mean = np.clip((mean - low) / width, 1e-9, 1 - 1e-9)
        variance = np.clip((sd / width) ** 2, 1e-12, 0.999 * mean * (1 - mean))
        size = mean * (1 - mean) / variance - 1
        return mean * size, (1 - mean) * size

    def _rounded(self, drawn: Floats, random: np.random.RandomState) -> Floats:
        """Round up or down at random, which keeps the mean."""
        if self.n_decimals is None:
            return drawn
        with np.errstate(over="ignore"):  # infinite ones are clipped
            steps = np.floor(_shifted(drawn, self.n_decimals) + random.random_sample(len(drawn)))
            return np.round(_shifted(steps, -self.n_decimals), self.n_decimals)


def summarize_bins(tally: Tally, edges: Floats) -> BinContents:
    """Return the contents of bins, given the numbers and the edges."""
    groups = tuple(
        tuple(_groups(own)) if len(own.numbers) else (spread_group(low, high, low / 2 + high / 2),)
        for own, (low, high) in zip(tally.between(edges), pairwise(edges.tolist()), strict=True)
    )
    return BinContents(groups, _n_decimals(tally.numbers))


def spread_group(low: float, high: float, mean: float) -> NumberGroup:
    """Return a group of unknown numbers: the flattest with this range and mean."""
    width = high / 2 - low / 2
    below = (mean / 2 - low / 2) / width if width > 0 else 0.0
    return NumberGroup(1.0, low, high, mean, 2 * width * (max(below * (1 - below), 0) / 3) ** 0.5)


def _groups(tally: Tally) -> list[NumberGroup]:
    """Return groups of numbers: of about equal counts, and one per frequent number."""
    distinct, counts = tally
    group = _group_of(counts)
    n = np.bincount(group, counts)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    low, high = distinct[first], distinct[np.r_[first[1:], len(distinct)] - 1]
    scale = np.abs(distinct).max() or 1.0  # squares could overflow
    scaled, shares = distinct / scale, counts / n[group]
    mean = np.bincount(group, shares * scaled)
    variance = np.bincount(group, shares * (scaled - mean[group]) ** 2)
    means = np.clip(mean * scale, low, high)
    columns = (n, low, high, means, np.where(high > low, np.sqrt(variance) * scale, 0.0))
    return [NumberGroup(*row) for row in np.column_stack(columns).tolist()]


def _group_of(counts: Array) -> Array:
    """Return the group of every distinct number, in increasing order from 0."""
    if len(counts) <= MAX_GROUPS:
        return np.arange(len(counts))
    total = counts.sum()
    quantile = ((np.cumsum(counts) - counts / 2) * MAX_GROUPS / total).astype(np.intp)
    is_frequent = counts * MAX_GROUPS >= total
    is_first = np.diff(quantile, prepend=-1) > 0
    is_first |= is_frequent | np.r_[False, is_frequent[:-1]]
    return np.cumsum(is_first) - 1


def _weighted_mean(groups: Sequence[NumberGroup]) -> float:
    total = sum(group.n for group in groups)
    return sum(group.n / total * group.mean for group in groups)


def _n_decimals(numbers: Floats) -> int | None:
    """Return the fewest decimals that write all numbers; below 0 for multiples of 10."""
    if not numbers.any() or np.abs(numbers).max() > 2**53:
        return 0 if (numbers == np.floor(numbers)).all() else None
    for n_decimals in range(-MAX_DECIMALS, MAX_DECIMALS + 1):
        if (np.round(numbers, n_decimals) == numbers).all():
            return n_decimals
    return None


def _shifted(numbers: Floats, n_decimals: int) -> Floats:
    """Move the decimal point to the right."""
    power = 10.0 ** abs(n_decimals)
    return numbers * power if n_decimals > 0 else numbers / power
