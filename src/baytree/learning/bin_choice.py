"""Choice of bins by the data: bins and structure are refined in turn, by description length."""

from __future__ import annotations

import contextlib
import math
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from baytree import _core
from baytree.exceptions import TimeLimitWarning
from baytree.learning.bin_scores import (
    Floats,
    best_joins,
    dependence_gains,
    histogram_gains,
    joint_code,
    partition_cost,
)
from baytree.messages.user_warnings import warn_user
from baytree.runtime.limits import check_deadline, run_control
from baytree.tables.bin_contents import Tally
from baytree.tables.bins import bin_codes, bins_between, fit_edges
from baytree.tables.columns import MAX_EXACT_INTEGER, Array, StateCodes
from baytree.tables.containers import Table, TableView
from baytree.tables.inputs import OpenedTable, open_table
from baytree.tables.variable_encoding import BinNumber

N_FINE_BINS = 32  # among whose edges those of the bins are chosen
MAX_BINS = 12  # bounds the cost of inference in long tables
STARTS = (3, 5, 8, 12)  # bins of equal numbers of rows; the best result counts
# A parameter costs as much as under AIC, whatever the criterion of the network: with log(N) / 2,
# bins are fewer, and networks on them predict hidden cells and new rows worse (docs/faq.md).
PARAMETER_COST = 1.0
N_STRUCTURES = 3
MAX_SWEEPS = 4
MAX_TREEWIDTH = 2
MAX_ROWS = 10_000  # bins of longer tables are chosen by rows at equal distances
MAX_NEIGHBOUR_STATES = 64  # variables of more states take no part in the choice
MANY_VARIABLES = 200  # from here on a tree, one start and one sweep have to do
TIME_FRACTION = 0.25  # of the time left for learning

Families = list[tuple[int, ...]]  # parents of every variable


def open_binned(
    table: Table | TableView,
    n_bins: BinNumber,
    *,
    max_bins: int = MAX_BINS,
    deadline: float = math.inf,
    **options: Any,
) -> OpenedTable:
    """Open a table, with at most `max_bins` chosen by the data if `n_bins` is "auto"."""
    opened = open_table(table, n_bins=n_bins, **options)
    if n_bins != "auto":
        return opened
    return choose_bins(opened, max_bins=max_bins, deadline=deadline)


def choose_bins(
    opened: OpenedTable,
    *,
    target: StateCodes | None = None,
    max_bins: int = MAX_BINS,
    deadline: float = math.inf,
) -> OpenedTable:
    """Return a table whose numeric variables have bins chosen by the data.

    The number of bins of a variable and their edges minimise the description length of the table
    ([mdl-bins]): bins pay for themselves by what they tell about the neighbours of the variable in
    a network. That network is found again with the new bins, and so on. A variable without
    neighbours has the bins of a histogram of minimum description length, since no bins of it tell
    anything about others. Missing cells count in no family; rows count by their weights.

    Parameters
    ----------
    opened : OpenedTable
        A table with any bins.
    target : ndarray of int, optional
        Codes of a variable to predict, which is no column of the table: it counts as a neighbour
        of every other variable.
    max_bins : int, default=12
        Largest number of bins of a variable, at least 2.
    deadline : float, default=inf
        Time of `time.monotonic` until which a network is to be learned. The choice takes a part of
        the time until then; if that is too short, the best bins so far are returned.

    Returns
    -------
    OpenedTable
        The table with other bins and codes; with its own if there was no time for any.

    Warns
    -----
    TimeLimitWarning
        If the deadline came before any bins were chosen.
    """
    fine = _fine_edges(opened.tallies)
    if not fine:
        return opened
    is_wide = len(opened.codes.T) > MANY_VARIABLES
    starts = STARTS[1:2] if is_wide else STARTS
    now = time.monotonic()
    end = now + TIME_FRACTION * (deadline - now)
    refined = []
    with contextlib.suppress(TimeoutError):
        for n_bins in sorted({min(start, max_bins) for start in starts}):
            start = _Refinement.start(opened, fine, target, max_bins, n_bins, end)
            refined.append(start.run(is_wide))
    if not refined:
        warn_user(
            "time_limit ended the choice of bins: numeric variables have bins of equal numbers of "
            "rows. Allow more time, or give n_bins.",
            TimeLimitWarning,
        )
        return opened
    best = max(refined, key=lambda each: each.score)
    tallies = opened.tallies
    return opened.with_bins(
        {position: bins_between(tallies[position], best.edges(position)) for position in fine}
    )


def _fine_edges(tallies: Mapping[int, Tally]) -> dict[int, Floats]:
    """Return edges of fine bins of variables that have several, and exact numbers."""
    fine = {}
    for position, tally in tallies.items():
        if np.abs(tally.numbers).max(initial=0.0) <= MAX_EXACT_INTEGER:
            edges = fit_edges(tally, N_FINE_BINS, "quantile")
            if len(edges) > 2:
                fine[position] = edges
    return fine


def _used_rows(n_rows: int, weights: Floats | None) -> tuple[Array, Floats | None]:
    """Return rows at equal distances, and how often each counts (None: once).

    A row of weight 2 takes the place of two rows.
    """
    if weights is None:
        return np.arange(0, n_rows, -(-n_rows // MAX_ROWS)), None
    ends = np.cumsum(weights)
    if max(n_rows, ends[-1]) <= MAX_ROWS:
        rows = np.flatnonzero(weights)
        return rows, weights[rows]
    places = np.arange(0, ends[-1], np.ceil(ends[-1] / MAX_ROWS))
    rows, counts = np.unique(np.searchsorted(ends, places, side="right"), return_counts=True)
    return rows, counts.astype(np.float64)


@dataclass(eq=False)
class _Refinement:
    """Codes of the variables, and the bins of the numeric ones as joined fine bins."""

    codes: StateCodes
    weights: Floats | None  # of rows
    arities: list[int]
    fine_codes: dict[int, StateCodes]
    fine: Mapping[int, Floats]  # edges
    has_target: bool  # as the last variable
    max_bins: int
    deadline: float  # raises TimeoutError
    starts: dict[int, tuple[int, ...]] = field(default_factory=dict)  # first fine bins of bins
    score: float = -np.inf  # description length, negated, less what does not depend on bins

    @classmethod
    def start(
        cls,
        opened: OpenedTable,
        fine: Mapping[int, Floats],
        target: StateCodes | None,
        max_bins: int,
        n_bins: int,
        deadline: float,
    ) -> _Refinement:
        """Begin with bins of equal numbers of fine bins."""
        rows, weights = _used_rows(len(opened.codes), opened.weights)
        fine_codes = {
            position: bin_codes(opened.numbers[position][rows], edges)
            for position, edges in fine.items()
        }
        codes, arities = np.asfortranarray(opened.codes[rows]), opened.encoding.arities.tolist()
        if target is not None:
            codes = np.asfortranarray(np.column_stack([codes, target[rows].astype(np.int32)]))
            arities.append(int(target[rows].max()) + 1)
        has_target = target is not None
        refinement = cls(codes, weights, arities, fine_codes, fine, has_target, max_bins, deadline)
        for position in fine:
            n_fine = refinement._n_fine(position)
            n_own = min(n_bins, n_fine)
            refinement._join(position, tuple(i * n_fine // n_own for i in range(n_own)))
        return refinement

    def edges(self, position: int) -> Floats:
        """Return the edges of the bins of a variable."""
        return self.fine[position][[*self.starts[position], -1]]

    def _n_fine(self, position: int) -> int:
        return len(self.fine[position]) - 1

    def run(self, is_wide: bool) -> _Refinement:
        """Refine bins and structure in turn."""
        for _ in range(1 if is_wide else N_STRUCTURES):
            families, _ = self._structure(is_wide)
            if not self._refine(families, 1 if is_wide else MAX_SWEEPS):
                break
        families, self.score = self._structure(is_wide)
        self._join_lonely(families)
        for position, starts in self.starts.items():
            self.score -= partition_cost(self._n_fine(position), len(starts))
        return self

    def _refine(self, families: Families, n_sweeps: int) -> bool:
        """Choose bins until they stay; return whether any changed."""
        touching = self._touching(families)
        waiting = deque(position for position in self.fine if touching[position])
        has_changed = False
        for _ in range(n_sweeps * len(waiting)):
            if not waiting:
                break
            check_deadline(self.deadline)
            position = waiting.popleft()
            if self._choose(position, touching[position]):
                has_changed = True
                near = {member for family in touching[position] for member in family}
                waiting += sorted((near & self.fine.keys()) - {*waiting, position})
        return has_changed

    def _touching(self, families: Families) -> dict[int, Families]:
        """Return the families of each numeric variable with others; the child comes first."""
        touching: dict[int, Families] = {position: [] for position in self.fine}
        for child, parents in enumerate(families):
            for member in (child, *parents):
                if parents and member in touching:
                    touching[member].append((child, *parents))
        return touching

    def _choose(self, position: int, families: Iterable[tuple[int, ...]]) -> bool:
        """Choose the bins of a variable, given those of its neighbours."""
        gains = sum(self._family_gains(position, *family) for family in families)
        before = self.starts[position]
        self._join(position, best_joins(np.asarray(gains), self.max_bins))
        return self.starts[position] != before

    def _family_gains(self, position: int, child: int, *parents: int) -> Floats:
        """Return the gains of joins of fine bins for a family, each bin less its parameters."""
        is_child = position == child
        others = list(parents) if is_child else [child]
        given = [] if is_child else [parent for parent in parents if parent != position]
        members = [self.codes[:, member] for member in (*others, *given)]
        fine, n_fine = self.fine_codes[position], self._n_fine(position)
        is_observed = np.logical_and.reduce([column >= 0 for column in (fine, *members)])
        members = [column[is_observed] for column in members]
        gains = dependence_gains(
            fine[is_observed],
            joint_code(members[: len(others)]),
            joint_code(members[len(others) :]),
            n_fine,
            None if self.weights is None else self.weights[is_observed],
        )
        n_parameters = np.prod([float(self.arities[member]) for member in others]) - (not is_child)
        n_parameters *= np.prod([float(self.arities[member]) for member in given])
        return np.asarray(gains - n_parameters * PARAMETER_COST)

    def _join_lonely(self, families: Families) -> None:
        """Give variables without neighbours the bins of a histogram."""
        parents = {parent for family in families for parent in family}
        for position, fine in self.fine_codes.items():
            if not families[position] and position not in parents:
                own = None if self.weights is None else self.weights[fine >= 0]
                counts = np.bincount(fine[fine >= 0], own, self._n_fine(position))
                gains = histogram_gains(counts, self.fine[position])
                self._join(position, best_joins(gains, self.max_bins))

    def _join(self, position: int, starts: tuple[int, ...]) -> None:
        n_fine = self._n_fine(position)
        sizes = [end - start for start, end in pairwise((*starts, n_fine))]
        bin_of = np.r_[np.repeat(np.arange(len(starts)), sizes), -1].astype(np.int32)
        self.starts[position] = starts
        self.codes[:, position] = bin_of[self.fine_codes[position]]
        self.arities[position] = len(starts)

    def _structure(self, is_wide: bool) -> tuple[Families, float]:
        """Return a network that is found quickly, and its score less that of no arcs."""
        used = [
            position
            for position, arity in enumerate(self.arities)
            if arity <= MAX_NEIGHBOUR_STATES and (self.codes[:, position] >= 0).any()
        ]
        has_target = self.has_target and used[-1] == len(self.arities) - 1
        target = len(used) - 1 if has_target else None
        codes = np.asfortranarray(self.codes[:, used])
        arities = [self.arities[position] for position in used]
        control = run_control(self.deadline, None)
        found, score = _search(codes, self.weights, arities, target, is_wide, control)
        if control.is_interrupted:
            raise KeyboardInterrupt
        check_deadline(self.deadline)
        families: Families = [()] * len(self.arities)
        for position, parents in zip(used, found, strict=True):
            families[position] = tuple(sorted(used[parent] for parent in parents))
        return families, score


def _search(
    codes: StateCodes,
    weights: Floats | None,
    arities: list[int],
    target: int | None,
    is_wide: bool,
    control: _core.RunControl,
) -> tuple[Sequence[tuple[int, ...]], float]:
    """Return parents, and the log-likelihood per parameter cost, less that without any arcs."""
    n_variables = len(arities)
    width = min(MAX_TREEWIDTH, max(n_variables - 1, 1))
    required: list[list[int]] = [[] for _ in arities]
    if target is not None:
        required = [[target] * (target != position) for position in range(n_variables)]
    dataset = _core.Dataset(codes, np.array(arities, dtype=np.int32), weights=weights)
    scorer = _core.FamilyScorer(
        dataset, score="aic", equivalent_sample_size=1.0, n_table_entries=2**16
    )
    outcome = _core.search_dags(
        scorer,
        search=_core.DagSearch.chow_liu if is_wide else _core.DagSearch.hill_climb,
        constraints=_core.ArcConstraints(
            required=required, forbidden=[[] for _ in arities], tiers=[]
        ),
        limits=_core.StructureLimits(
            max_treewidth=width,
            max_parents=width,
            max_clique_states=np.inf,
            arities=arities,
        ),
        budget=_core.SearchBudget(max_iterations=None, seed=0, n_threads=1),
        start=None,
        likely_parents=None,
        control=control,
    )
    # What describes a variable by itself is the same for all bins, but for its parameters.
    alone = sum(
        scorer.score(position, []) + (arity - 1) * PARAMETER_COST
        for position, arity in enumerate(arities)
    )
    return outcome.parents, outcome.score - alone
