"""Problems of structure search: settings, limits and constraints, all of them checked."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from baytree import _core
from baytree.learning.chordalysis import Chordalysis, check_chordalysis
from baytree.learning.constraints import (
    ArcConstraints,
    CliqueLimits,
    InitialNetwork,
    PositionalConstraints,
    bound_parents,
    check_constraints,
    check_initial_network,
    check_within_limits,
    proven_order,
)
from baytree.messages.arguments import (
    integer_at_least,
    one_of,
    positive_number,
    quoted_words,
    verbosity,
)
from baytree.runtime.limits import deadline_after, thread_count
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.vocabulary import SEARCHES

CacheSearchName: TypeAlias = Literal[
    "anneal", "hill-climb", "chow-liu", "k-max", "k-greedy", "s2", "s2+", "exact"
]
SearchName: TypeAlias = Literal[CacheSearchName, "chordalysis"]

K_TREE_SEARCHES = ("k-max", "k-greedy", "s2", "s2+")  # choose among the sets of a cache
LOCAL_SEARCHES = ("anneal", "hill-climb")  # they begin with a network
ENDING_SEARCHES = ("chow-liu", "hill-climb", "exact")  # end by themselves
MAX_VARIABLES = {
    "exact": _core.max_exact_search_variables,
    "s2+": _core.max_best_k_tree_variables,
}
N_RESTARTS = 1000  # of k-tree searches without a budget
NO_BOUND = 2**31  # on the treewidth


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a search, checked as far as possible without variables."""

    search: SearchName
    max_treewidth: int
    max_parents: int
    max_clique_states: float
    max_iterations: int | None
    deadline: float
    n_threads: int
    seed: int
    is_verbose: bool
    chordalysis: Chordalysis | None = None  # of the search of this name
    keeps_scores: bool = False  # of all iterations, for k-tree searches


@dataclass(frozen=True)
class SearchProblem:
    """A search over given variables; everything is checked."""

    settings: SearchSettings
    variables: Sequence[Hashable]
    constraints: PositionalConstraints
    arities: Sequence[int]
    start: tuple[list[list[int]], list[int]] | None  # parents, and an elimination order or []
    likely_parents: _core.LikelyParents | None = None  # candidates; None for all variables
    search_seconds: float | None = None  # most for a search that parent sets came before
    tries_again: bool = True  # in a hill climb, changes that did not fit at first

    def limits(self) -> _core.StructureLimits:
        """Return the limits of a structure."""
        n_others = max(len(self.variables) - 1, 1)
        return _core.StructureLimits(
            max_treewidth=min(self.settings.max_treewidth, n_others),
            max_parents=min(self.settings.max_parents, n_others),
            max_clique_states=self.settings.max_clique_states,
            arities=list(self.arities),
        )

    def clique_limits(self) -> CliqueLimits:
        """Return the limits of a single clique."""
        settings = self.settings
        return CliqueLimits(settings.max_treewidth, settings.max_clique_states, self.arities)

    def budget(self) -> _core.SearchBudget:
        """Return the budget besides time."""
        n_iterations = self.settings.max_iterations
        if n_iterations is None and math.isinf(self.settings.deadline):
            n_iterations = N_RESTARTS if self.settings.search in K_TREE_SEARCHES else None
        return _core.SearchBudget(
            max_iterations=n_iterations,
            seed=self.settings.seed,
            n_threads=self.settings.n_threads,
            keeps_scores=self.settings.keeps_scores,
        )


def check_settings(
    *,
    search: SearchName | Chordalysis,
    max_treewidth: int | None,
    constraints: ArcConstraints | None,
    max_clique_states: float = math.inf,
    time_limit: float | None,
    max_iterations: int | None,
    n_jobs: int | None,
    random_state: Seed,
    verbose: int,
    started: float,
) -> SearchSettings:
    """Return the settings; refuse those that cannot be used."""
    chordalysis = check_chordalysis(search)
    name: SearchName = "chordalysis"
    if not isinstance(search, Chordalysis):
        one_of("search", search, SEARCHES)
        name = search
    width = _check_width(max_treewidth, name, chordalysis)
    n_iterations = max_iterations
    if max_iterations is not None:
        n_iterations = min(integer_at_least("max_iterations", max_iterations, 1), 2**62)
    return SearchSettings(
        search=name,
        max_treewidth=width,
        max_parents=bound_parents(width, constraints),
        max_clique_states=positive_number("max_clique_states", max_clique_states),
        max_iterations=n_iterations,
        deadline=deadline_after(started, time_limit),
        n_threads=thread_count(n_jobs),
        seed=drawn_seed(random_state),
        is_verbose=verbosity(verbose) > 0,
        chordalysis=chordalysis,
    )


def _check_width(
    max_treewidth: int | None, search: SearchName, chordalysis: Chordalysis | None
) -> int:
    """Return the bound on the treewidth; None is no bound, which few searches can do without."""
    if max_treewidth is not None:
        return integer_at_least("max_treewidth", max_treewidth, 1)
    if chordalysis is None:
        raise ValueError(
            'max_treewidth=None, which is no bound, is for search="chordalysis"; '
            f'got search="{search}". Pass an integer.'
        )
    if chordalysis.rule == "kl":
        raise ValueError(
            'rule="kl" adds edges until max_treewidth stops it; got None. Pass an integer, or use '
            'rule="smt".'
        )
    return NO_BOUND


def check_problem(
    settings: SearchSettings,
    variables: Sequence[Hashable],
    *,
    constraints: ArcConstraints | None,
    initial_network: InitialNetwork | None,
    arities: Sequence[int] = (),
) -> SearchProblem:
    """Return the problem; refuse what no search can do."""
    _check_abilities(settings.search, len(variables), initial_network)
    checked = check_constraints(
        constraints,
        variables,
        max_parents=settings.max_parents,
        bound="max_parents" if settings.max_parents < settings.max_treewidth else "max_treewidth",
    )
    problem = SearchProblem(settings, variables, checked, arities, start=None)
    _check_obedience(problem)
    _check_arities(problem)
    match settings.search:
        case "exact":  # finds out for certain whether the arcs fit
            _check_cost(problem)
        case "chow-liu":
            _check_branching(problem)
        case _:
            _check_fit("The required arcs", checked.required, problem)
    if initial_network is None:
        return problem
    parents = check_initial_network(initial_network, variables, checked, settings.max_parents)
    order = proven_order(initial_network, variables, problem.clique_limits())
    if order is None:
        _check_fit("The arcs of initial_network", parents, problem)
    return replace(problem, start=(parents, order or []))


def _check_abilities(search: SearchName, n_variables: int, initial_network: object) -> None:
    """Refuse what this search cannot do."""
    if n_variables > (limit := MAX_VARIABLES.get(search, n_variables)):
        raise ValueError(
            f'search="{search}" takes at most {limit} variables; got {n_variables:,}. '
            'Use search="anneal".'
        )
    if initial_network is not None and search not in LOCAL_SEARCHES:
        raise ValueError(
            f'search="{search}" takes no initial_network. Use one of '
            f"{quoted_words(LOCAL_SEARCHES)}, or leave it out."
        )


def _check_obedience(problem: SearchProblem) -> None:
    """Refuse constraints that the search cannot obey."""
    search = problem.settings.search
    unable = (*K_TREE_SEARCHES, "chordalysis")
    if search in unable and any(problem.constraints.required):
        able = quoted_words([name for name in SEARCHES if name not in unable])
        raise ValueError(
            f'search="{search}" cannot obey required arcs. Use one of {able}, or leave them out.'
        )
    if search == "chordalysis":
        _check_directions(problem)


def _check_directions(problem: SearchProblem) -> None:
    """Refuse constraints that allow an arc in one direction alone."""
    variables, forbidden = problem.variables, problem.constraints.forbidden
    if len({*problem.constraints.tiers}) > 1:
        raise ValueError(
            'search="chordalysis" selects edges without a direction, so it cannot obey tiers. Use '
            'search="anneal", or leave them out.'
        )
    for child, parents in enumerate(forbidden):
        for parent in parents:
            if child not in forbidden[parent]:
                raise ValueError(
                    'search="chordalysis" selects edges without a direction; forbidden has the arc '
                    f"from {variables[parent]!r} to {variables[child]!r}, but not the reverse. "
                    'Forbid both, or use search="anneal".'
                )


def _check_cost(problem: SearchProblem) -> None:
    """Refuse an exact search that would never end."""
    n_variables, settings = len(problem.variables), problem.settings
    if not _core.can_search_exactly(n_variables, problem.limits()):
        raise ValueError(
            f'search="exact" would take too long for {n_variables} variables at max_treewidth '
            f'{settings.max_treewidth}. Lower it, or use search="anneal".'
        )


def _check_branching(problem: SearchProblem) -> None:
    for child, parents in enumerate(problem.constraints.required):
        if len(parents) > 1:
            raise ValueError(
                'search="chow-liu" gives a variable one parent at most; required gives '
                f'{problem.variables[child]!r} {len(parents)}. Use search="anneal".'
            )
    _check_fit("The required arcs", problem.constraints.required, problem)


def _check_arities(problem: SearchProblem) -> None:
    limit = problem.settings.max_clique_states
    for position, arity in enumerate(problem.arities):
        if arity > limit:
            raise ValueError(
                f"Variable {problem.variables[position]!r} has {arity:,} states, more than "
                f"max_clique_states ({limit:,.0f}). Drop it, group its states, or raise the limit."
            )


def _check_fit(arcs: str, parents: Sequence[Sequence[int]], problem: SearchProblem) -> None:
    check_within_limits(arcs, problem.variables, parents, problem.clique_limits())
