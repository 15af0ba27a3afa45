"""Structural EM: learning from tables with missing cells.

In turn, the network at hand fills the missing cells, and a network is learned from the filled table
([k-max], [structural-em]). The searches are those of complete tables.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baytree import _core
from baytree.exceptions import InterruptedWarning, RejectedNetworksWarning, TimeLimitWarning
from baytree.learning.em_settings import (
    StructuralEM,
    initial_structure,
    n_larger_sets,
    n_search_iterations,
    search_seconds,
    update_seconds,
)
from baytree.learning.incomplete_rows import (
    EmResult,
    EmStoppedError,
    IncompleteRows,
    as_history,
)
from baytree.learning.isolation import (
    forbid_arcs,
    isolate,
    isolation_gains,
    linked_variables,
    missing_fractions,
    most_missing,
)
from baytree.learning.parameters import MAX_EM_ITERATIONS
from baytree.learning.search_problem import (
    K_TREE_SEARCHES,
    LOCAL_SEARCHES,
    SearchProblem,
    SearchSettings,
)
from baytree.learning.searches import FoundStructure, family_scorer, search_table
from baytree.messages.quoting import pluralize
from baytree.messages.user_warnings import warn_user
from baytree.runtime.progress import part_of, search_line
from baytree.tables.weighted_rows import WeightedRows

TIME_FRACTION = 0.2  # of the time left, for a search that is not the last
SCORE_TOLERANCE = 1e-9  # relative; scores that differ by less differ by rounding alone

N_INITIAL_ITERATIONS = 10  # of EM for the probabilities of the initial structure
MAX_ORDINARY_FRACTION = 0.5  # of missing cells in a variable that no warning names
# Searches that do not use filled cells, for each that does, and the least part of a search.
UNFILLED_FRACTION = 0.75
MIN_SEARCH_SHARE = 0.25
# Evaluations of its network for which the last search leaves time, if there is so much.
N_RESERVED_EVALUATIONS = 3
MIN_RESERVED_FRACTION = 0.05  # of the time left


def structural_em(
    problem: SearchProblem,
    rows: IncompleteRows,
    rule: Mapping[str, Any],
    *,
    em: StructuralEM,
    started: float,
) -> EmResult:
    """Return the network of the highest penalised log-likelihood that EM passes through.

    Hard EM returns the last one, which has the highest score on the table that it filled.
    """
    return _Iterations(problem, rows, rule, em, started).run()


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A network that EM passes through."""

    found: FoundStructure
    network: _core.EstimatedNetwork
    log_likelihood: float = -math.inf
    criterion: float = -math.inf  # the log-likelihood less a penalty
    is_start: bool = False  # has arcs that no search chose

    @property
    def ceiling(self) -> float:
        """Criterion after as many iterations of EM again, if each gained as much as the last."""
        if self.network.has_converged:
            return self.criterion
        *_, before, last = (-math.inf, *self.network.objectives)
        return self.criterion + len(self.network.objectives) * (last - before)


class _Iterations:
    def __init__(
        self,
        problem: SearchProblem,
        rows: IncompleteRows,
        rule: Mapping[str, Any],
        em: StructuralEM,
        started: float,
    ) -> None:
        self._problem = problem
        self._rows = rows
        self._rule = rule
        self._em = em
        self._started = started
        self._history: list[tuple[float, ...]] = []
        self._completed: WeightedRows | None = None
        self._scored: tuple[_core.FamilyScorer, WeightedRows] | None = None
        self._evaluation_seconds = 0.0
        self._start_score = math.nan
        self._likely_parents: _core.LikelyParents | None = None
        self._n_updates = 0  # of the structure, by searches or without arcs of some variables
        self._rejected_width = 0  # largest treewidth of a network that a search found in vain
        self._isolated: frozenset[int] = frozenset()
        self._linked: set[int] = set()  # variables with arcs in a network so far
        self._is_interrupted = False
        self._has_warned = False  # of the interruption
        self._best = self._start()  # Ctrl-C before there is one is KeyboardInterrupt
        self._current = self._best

    def run(self) -> EmResult:
        """Repeat the two steps while the network improves, then finish its parameters."""
        try:
            self._evaluate_start()
            self._repeat()
            self._finish_parameters()
        except (EmStoppedError, TimeoutError):  # the latter of an exact search without a network
            pass  # the result is the best network so far
        except KeyboardInterrupt:  # between two calls of the core, or from a search without result
            self._is_interrupted = True
        self._warn()
        return self._result()

    def _start(self) -> _Candidate:
        found = initial_structure(
            self._problem,
            self._rows.observed,
            self._rule,
            self._em.em_init,
            self._started,
        )
        self._likely_parents = found.likely_parents
        network = self._rows.count_parameters(found, self._rows.observed.codes, min_prior=1.0)
        if self._rows.is_interrupted:
            raise KeyboardInterrupt
        # Its score is not yet that of a filled table.
        return _Candidate(replace(found, score=math.nan), network, is_start=True)

    def _evaluate_start(self) -> None:
        found = self._best.found
        self._stop_if_interrupted(found)
        self._linked |= linked_variables(found)
        with self._progress("probabilities of the start"):
            network = self._best.network
            if not self._is_hard:
                network = self._initial_em(found, network)
            self._best = self._current = replace(self._evaluated(found, network), is_start=True)
        self._record(self._best, n_cells=0, n_arcs=sum(map(len, found.parents)), score=math.nan)

    def _initial_em(
        self, found: FoundStructure, first: _core.EstimatedNetwork
    ) -> _core.EstimatedNetwork:
        """Return the probabilities of a structure, from those of observed families."""
        n_iterations = max(self._em.max_em_iterations, N_INITIAL_ITERATIONS)
        return self._rows.run_em(found, first, n_iterations, evaluates_last=True)

    def _repeat(self) -> None:
        """Iterate while the network improves; the last search takes the time left, if limited."""
        self._improve()
        if not self._is_hard:
            self._leave_poor_optimum()
        if self._uses_up_time:
            self._current = self._best
            self._iterate(is_last=True)

    def _improve(self) -> None:
        """Iterate from the best network while it improves and updates are left."""
        self._current = self._best
        while self._has_updates_left and self._iterate():
            pass

    @property
    def _is_hard(self) -> bool:
        """Whether filled cells are taken for observations throughout, by the probabilities too."""
        return self._em.max_em_iterations == 0

    @property
    def _has_updates_left(self) -> bool:
        limit = self._em.max_structure_updates
        return limit is None or self._n_updates < limit - self._uses_up_time

    def _leave_poor_optimum(self) -> None:
        """Try searches without filled cells, and networks without variables that mislead.

        The latter come first where they are likely: searches of observed cells are misled, too.
        """
        is_misled = self._best.is_start or (
            missing_fractions(self._rows.observed).max() > MAX_ORDINARY_FRACTION
        )
        steps = [self._search_unfilled, self._isolate_misleading]
        for step in reversed(steps) if is_misled else steps:
            step()

    def _search_unfilled(self) -> None:
        """Search the observed cells, and while that is better, cells drawn from their posteriors.

        Filled cells agree with the network that filled them, so that EM may end in a poor optimum.
        """
        n_searches = UNFILLED_FRACTION * max(self._n_updates, 1) * (self._em.effort is None)
        rows = self._rows.observed
        while n_searches >= MIN_SEARCH_SHARE and self._has_updates_left:
            if not self._is_improved_by(rows, min(n_searches, 1.0)):
                break
            n_searches -= 1.0
            rows = self._rows.drawn_rows(self._best.network, self._best.found, self._next_seed)

    def _is_improved_by(self, rows: WeightedRows, share: float) -> bool:
        """Search rows for a share of the usual iterations; return whether the best network did."""
        problem, best = self._next_problem(self._best.found, is_last=False), self._best
        settings = problem.settings
        if settings.max_iterations is not None:
            n_iterations = math.ceil(share * settings.max_iterations)
            settings = replace(settings, max_iterations=n_iterations)
        kind = "observed" if any(rows.n_missing) else "drawn"
        with part_of(f"EM iteration {len(self._history)}, {kind} cells", self._deadline):
            scorer = family_scorer(rows, self._rule, settings)
            found = self._searched(replace(problem, settings=settings), scorer)
        found = replace(found, is_proven=False, score_bound=math.inf)
        if _n_changed_arcs(best.found, found) == 0:
            return False
        self._best, candidate = self._converged(best, self._with_structure(found))
        if candidate.criterion > self._best.criterion:
            self._best, self._completed = candidate, None
        return self._best is candidate

    def _isolate_misleading(self) -> None:
        """Isolate variables whose filled cells mislead the searches: together, or else singly."""
        suspects = self._suspects() if self._has_updates_left else []
        for variables in dict.fromkeys([frozenset(suspects), *(frozenset({v}) for v in suspects)]):
            if self._has_updates_left and not variables <= self._isolated:
                self._try_without(variables | self._isolated)

    def _suspects(self) -> list[int]:
        """Return the variables that score higher without arcs, by the rows where they are observed.

        If searches did not improve on the start, the variable with the most missing cells is one.
        """
        incomplete = [v for v in most_missing(self._rows.observed) if v in self._linked]
        settings = replace(self._problem.settings, search="chow-liu")  # needs few scores
        scorer = family_scorer(self._rows.observed, self._rule, settings)
        constraints = self._problem.constraints
        gains = isolation_gains(scorer, self._best.found, incomplete, constraints)
        if self._best.is_start and self._rejected_width > 0 and incomplete:
            gains[incomplete[0]] = math.inf
        return sorted((v for v in incomplete if gains[v] > 0), key=lambda v: -gains[v])

    def _try_without(self, variables: frozenset[int]) -> None:
        """Search on with some variables isolated, and keep them isolated if that is better."""
        problem, best, isolated = self._problem, self._best, self._isolated
        self._problem, self._isolated = forbid_arcs(problem, variables), variables
        self._completed = None
        try:
            self._best = self._without_arcs(best, variables)
            if best.is_start or self._best.ceiling > best.criterion:
                self._improve()
            if self._best is not best:
                self._best, best = self._converged(self._best, best)
        except TimeoutError:  # of an exact search
            pass
        finally:
            if self._best.criterion <= best.criterion:
                self._problem, self._best, self._isolated = problem, best, isolated

    def _without_arcs(self, candidate: _Candidate, variables: frozenset[int]) -> _Candidate:
        """Return the network without the arcs of some variables."""
        found = isolate(candidate.found, variables, self._problem.constraints)
        n_arcs = _n_changed_arcs(candidate.found, found)
        if n_arcs == 0:
            return candidate
        self._n_updates += 1
        return replace(self._with_structure(found), is_start=candidate.is_start)

    def _with_structure(self, found: FoundStructure) -> _Candidate:
        """Return a network with the probabilities of EM, which starts from observed families."""
        if self._scored is not None:
            found = replace(found, score=_total_score(self._scored[0], found))
        with self._progress("probabilities"):
            first = self._rows.count_parameters(found, self._rows.observed.codes, min_prior=1.0)
            candidate = self._evaluated(found, self._initial_em(found, first))
        n_arcs = _n_changed_arcs(self._best.found, found)
        self._record(candidate, n_cells=0, n_arcs=n_arcs, score=found.score)
        return candidate

    @property
    def _uses_up_time(self) -> bool:
        given = self._problem.settings
        has_time_alone = math.isfinite(given.deadline) and given.max_iterations is None
        is_endless = given.search in ("anneal", *K_TREE_SEARCHES)
        return has_time_alone and is_endless and self._em.effort is None

    def _iterate(self, *, is_last: bool = False) -> bool:
        """Fill the missing cells and learn again; return whether the structure got better."""
        before, iteration = self._current, f"EM iteration {len(self._history)}"
        with self._progress(f"{iteration}, filling missing cells"):
            completed = self._rows.completed_rows(before.network, before.found)
        n_cells = self._n_changed_cells(completed)
        if n_cells == 0 and not is_last and not self._is_hard:
            return False
        self._completed = completed
        with part_of(f"{iteration}, {pluralize(n_cells, 'cell')} changed", self._deadline):
            found = self._search(completed, before.found, is_last)
            n_arcs = _n_changed_arcs(before.found, found)
            with self._progress("probabilities"):
                if n_arcs > 0 or self._is_hard:
                    self._current = self._with_probabilities(found, completed)
                    self._best, self._current = self._converged(self._best, self._current)
                else:
                    self._current = replace(before, found=found)
        self._record(self._current, n_cells=n_cells, n_arcs=n_arcs, score=found.score)
        is_better = self._is_hard or self._current.criterion >= self._best.criterion
        if is_better:
            self._best = self._current
        else:
            self._rejected_width = max(self._rejected_width, found.decomposition.width)
        return is_better and n_arcs > 0

    def _converged(self, *candidates: _Candidate) -> list[_Candidate]:
        """Return two networks with probabilities that settle which one is better."""
        lower, higher = sorted(candidates, key=lambda candidate: candidate.criterion)
        if self._is_hard or lower.ceiling <= higher.criterion:
            return list(candidates)
        return [self._with_em(candidate) for candidate in candidates]

    def _with_em(self, candidate: _Candidate) -> _Candidate:
        """Return a network with probabilities that EM does not improve any more."""
        if candidate.network.has_converged:
            return candidate
        network = self._rows.run_em(
            candidate.found, candidate.network, MAX_EM_ITERATIONS, evaluates_last=True
        )
        return replace(self._evaluated(candidate.found, network), is_start=candidate.is_start)

    def _with_probabilities(self, found: FoundStructure, completed: WeightedRows) -> _Candidate:
        """Return the network of a structure that was found in a filled table."""
        n_iterations = self._em.max_em_iterations
        network = self._rows.learn_parameters(
            found, completed.codes, n_iterations, evaluates_last=True
        )
        return self._evaluated(found, network)

    def _progress(self, description: str) -> contextlib.AbstractContextManager[object]:
        """Return a line of progress."""
        return search_line(description, self._deadline, shown=self._problem.settings.is_verbose)

    @property
    def _deadline(self) -> float:
        return self._problem.settings.deadline

    def _n_changed_cells(self, completed: WeightedRows) -> int:
        if self._completed is None:
            return self._rows.n_missing
        return int(np.count_nonzero(completed.codes != self._completed.codes))

    def _search(
        self, completed: WeightedRows, before: FoundStructure, is_last: bool
    ) -> FoundStructure:
        """Return the best structure of a filled table; the one before if the search found none."""
        problem = self._next_problem(before, is_last)
        scorer = self._scorer_of(completed, problem.settings, is_last)
        score_before = _total_score(scorer, before)
        if math.isnan(self._start_score):
            self._start_score = score_before
        found = self._searched(problem, scorer, is_last)
        if found.likely_parents is not None:
            self._likely_parents = found.likely_parents
        is_better = found.score > score_before + SCORE_TOLERANCE * abs(score_before)
        is_kept = is_better or list(found.parents) == list(before.parents)
        return found if is_kept else _kept(before, found, score_before)

    def _searched(
        self, problem: SearchProblem, scorer: _core.FamilyScorer, is_last: bool = False
    ) -> FoundStructure:
        """Return the best structure of any rows."""
        n_sets = None if is_last else n_larger_sets(self._em)
        found = search_table(problem, scorer, self._started, n_larger_sets=n_sets, is_quiet=True)
        self._stop_if_interrupted(found)
        self._n_updates += 1
        self._linked |= linked_variables(found)
        return found

    @property
    def _next_seed(self) -> int:
        return (self._problem.settings.seed + len(self._history)) % 2**31

    def _scorer_of(
        self, completed: WeightedRows, settings: SearchSettings, is_last: bool
    ) -> _core.FamilyScorer:
        """Return a scorer of a filled table; families without a changed cell keep their scores."""
        if self._scored is None or is_last:  # the last search is longer, and keeps more scores
            scorer = family_scorer(completed, self._rule, settings)
        else:
            before, rows = self._scored
            changed = np.flatnonzero((completed.codes != rows.codes).any(axis=0))
            scorer = _core.FamilyScorer(
                completed.dataset(settings.n_threads),
                before=before,
                changed=changed.tolist(),
                n_threads=settings.n_threads,
            )
        self._scored = (scorer, completed)
        return scorer

    def _stop_if_interrupted(self, found: FoundStructure) -> None:
        if found.is_interrupted:
            self._is_interrupted = self._has_warned = True
            raise EmStoppedError

    def _next_problem(self, before: FoundStructure, is_last: bool) -> SearchProblem:
        given = self._problem.settings
        settings = replace(
            given,
            seed=self._next_seed,
            deadline=self._search_deadline(is_last),
            max_iterations=(
                given.max_iterations if is_last else n_search_iterations(self._em, self._problem)
            ),
        )
        parents = [sorted(members) for members in before.parents]
        has_start = given.search in LOCAL_SEARCHES
        return replace(
            self._problem,
            settings=settings,
            search_seconds=search_seconds(self._em, self._problem),
            start=(parents, list(before.elimination_order)) if has_start else None,
            likely_parents=None if is_last else self._likely_parents,
        )

    def _search_deadline(self, is_last: bool) -> float:
        now = time.monotonic()
        end = self._last_search_end(now)
        seconds = update_seconds(self._em, self._problem)
        if seconds is not None:
            return min(end, now + seconds)
        return end if is_last else now + TIME_FRACTION * (self._deadline - now)

    def _last_search_end(self, now: float) -> float:
        """Return when a search must end for its network to be evaluated in time."""
        if not math.isfinite(self._deadline):
            return math.inf
        left = self._deadline - now
        reserve = N_RESERVED_EVALUATIONS * self._evaluation_seconds
        return self._deadline - min(max(reserve, MIN_RESERVED_FRACTION * left), left / 2)

    def _evaluated(self, found: FoundStructure, network: _core.EstimatedNetwork) -> _Candidate:
        began = time.monotonic()
        log_likelihood = self._rows.log_likelihood(network, found)
        n_passes = max(self._em.max_em_iterations, 1) + 1
        self._evaluation_seconds = n_passes * (time.monotonic() - began)
        criterion = log_likelihood - self._penalty(found)
        return _Candidate(found, network, log_likelihood, criterion)

    def _penalty(self, found: FoundStructure) -> float:
        """Return the penalty of the criterion for a structure; that of BIC if it has a prior."""
        weight = {"aic": 1.0, "log-likelihood": 0.0}.get(
            self._rule["score"], 0.5 * math.log(self._rows.total_weight)
        )
        arities = self._rows.observed.arities.tolist()
        n_free = sum(
            (arities[child] - 1) * math.prod(arities[parent] for parent in parents)
            for child, parents in enumerate(found.parents)
        )
        n_arcs = sum(map(len, found.parents))
        penalty_per_arc = math.log(len(arities)) if self._rule["score"] == "ebic" else 0.0
        return float(weight * n_free + penalty_per_arc * n_arcs)

    def _record(self, candidate: _Candidate, *, n_cells: int, n_arcs: int, score: float) -> None:
        seconds = time.monotonic() - self._started
        measures = (score, candidate.log_likelihood, candidate.criterion, seconds)
        self._history.append((len(self._history), n_cells, n_arcs, *measures))

    def _finish_parameters(self) -> None:
        if not self._is_hard:
            best = self._best
            with self._progress("probabilities of the best network"):
                network = self._rows.run_em(best.found, best.network, MAX_EM_ITERATIONS)
            self._best = replace(best, network=network)

    def _warn(self) -> None:
        self._is_interrupted |= self._rows.is_interrupted
        if self._is_interrupted and not self._has_warned:
            warn_user("Interrupted: the best network found so far is returned.", InterruptedWarning)
        if not self._is_interrupted and len(self._history) < 2 and self._is_late():
            seconds = self._deadline - self._started
            step = "its first search"
            if self._n_updates:
                step = "the network of its first search was evaluated"
            warn_user(
                f"time_limit ended structural EM before {step}: the network is no more than what "
                f"EM starts from. Allow more than {seconds:.2g} seconds.",
                TimeLimitWarning,
            )
        if not self._is_interrupted:
            self._warn_of_rejected_networks()

    def _warn_of_rejected_networks(self) -> None:
        """Warn if the start is returned, and a variable is mostly missing."""
        fractions = missing_fractions(self._rows.observed)
        variable = int(fractions.argmax())
        is_richer = self._rejected_width > self._best.found.decomposition.width
        if self._best.is_start and is_richer and fractions[variable] > MAX_ORDINARY_FRACTION:
            warn_user(
                "Structural EM returns the network that it started from: networks of larger "
                "treewidth were found, but are less likely given the observed cells. Look at "
                f"{self._problem.variables[variable]!r} ({fractions[variable]:.0%} of its cells "
                "are missing): drop it, or merge its states.",
                RejectedNetworksWarning,
            )

    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline

    def _result(self) -> EmResult:
        best = self._best
        found = replace(
            best.found,
            is_interrupted=best.found.is_interrupted or self._is_interrupted,
            is_proven=best.found.is_proven and not self._isolated,
            score_bound=math.inf if self._isolated else best.found.score_bound,
            likely_parents=self._likely_parents,
        )
        if math.isnan(found.score):
            found = replace(found, score=self._known_start_score(found))
        return EmResult(found, self._rows.cpts(best.network), as_history(self._history))

    def _known_start_score(self, found: FoundStructure) -> float:
        """Return the score on the filled table, else on the observed cells alone."""
        if not math.isnan(self._start_score):
            return self._start_score
        scorer = family_scorer(self._rows.observed, self._rule, self._problem.settings)
        return _total_score(scorer, found)


def _total_score(scorer: _core.FamilyScorer, found: FoundStructure) -> float:
    return sum(scorer.score(child, sorted(parents)) for child, parents in enumerate(found.parents))


def _kept(before: FoundStructure, found: FoundStructure, score: float) -> FoundStructure:
    """Return the structure before a search that found no better one, with the search's proof."""
    return replace(
        before,
        score=score,
        is_proven=found.is_proven,
        score_bound=max(found.score_bound, score),
    )


def _n_changed_arcs(before: FoundStructure, after: FoundStructure) -> int:
    pairs = zip(before.parents, after.parents, strict=True)
    return sum(len(set(first) ^ set(second)) for first, second in pairs)
