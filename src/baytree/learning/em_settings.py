"""Structural EM before its first iteration: settings, budgets of searches, initial structure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from baytree.learning.search_problem import K_TREE_SEARCHES, SearchProblem
from baytree.learning.searches import (
    PARENT_SET_FRACTION,
    FoundStructure,
    family_scorer,
    search_history,
    search_table,
)
from baytree.messages.arguments import integer_at_least, one_of, positive_number
from baytree.messages.quoting import shortened
from baytree.networks.decomposition import min_degree_order
from baytree.networks.row_answers import CompletionName
from baytree.runtime.settings import Settings
from baytree.tables.weighted_rows import WeightedRows
from baytree.vocabulary import COMPLETIONS, EM_INITS

EmInit: TypeAlias = Literal["tree", "chain"]

# Budgets where the user sets none. They are small: a longer search would learn the errors of the
# network that filled the table.
STEPS_PER_VARIABLE = 3_000  # of annealing
MIN_STEPS = 100_000
N_RESTARTS_PER_UPDATE = 100  # of the searches of k-trees
N_LARGER_SETS_PER_UPDATE = 1_000  # that they score for each variable


@dataclass
class StructuralEM(Settings):
    """Settings of structural EM, which learns from tables with missing cells.

    In turn, EM fills the missing cells with the network at hand, and learns a network from the
    filled table.

    Parameters
    ----------
    em_init : {"tree", "chain"}, default="tree"
        Structure that EM starts from, unless the learner has an `initial_network`: the best tree
        by the observed cells of each pair of variables, or a chain in random order.
    completion : {"joint", "independent"}, default="joint"
        How the missing cells of a row are filled before each search: with their most probable
        joint states, or each with its most probable state.
    max_structure_updates : int or None, default=10
        Maximum number of searches, and of networks from which the arcs of a variable are taken
        to see whether they are worth it; None for no maximum.
    max_em_iterations : int, default=5
        Iterations of EM for the probabilities after each search. With 0 it is hard EM, which takes
        filled cells for observations: probabilities are counts of the filled table, EM ends when
        the structure stays the same, and its last network is returned.
    effort : float, optional
        Seconds per variable that go to parent sets in every structure update; the search after
        that has a tenth of it. Searches that need no parent sets first have both. 1, 5 and 10 are
        the choices of [k-max]; by default far less is done.

    See Also
    --------
    NetworkLearner : Takes it as `em`.

    Examples
    --------
    >>> import numpy as np
    >>> import baytree as bt
    >>> table = np.array([[0, 0], [0, np.nan], [1, 1], [1, np.nan]] * 10)
    >>> em = bt.StructuralEM(max_structure_updates=3)
    >>> bt.NetworkLearner(em=em, random_state=0).fit(table).parents_
    {'x0': (), 'x1': ('x0',)}
    """

    em_init: EmInit = "tree"
    completion: CompletionName = "joint"
    max_structure_updates: int | None = 10
    max_em_iterations: int = 5
    effort: float | None = None


def check_em(given: StructuralEM | None) -> StructuralEM:
    """Return the settings of EM, the default ones for None; refuse what cannot be used."""
    if given is None:
        return StructuralEM()
    if not isinstance(given, StructuralEM):
        raise ValueError(
            "em must be a StructuralEM object or None, as in em=StructuralEM(max_em_iterations=5); "
            f"got {shortened(given)}."
        )
    one_of("em_init", given.em_init, EM_INITS)
    one_of("completion", given.completion, COMPLETIONS)
    if given.max_structure_updates is not None:
        integer_at_least("max_structure_updates", given.max_structure_updates, 1)
    integer_at_least("max_em_iterations", given.max_em_iterations, 0)
    if given.effort is not None:
        positive_number("effort", given.effort)
    return given


def n_search_iterations(em: StructuralEM, problem: SearchProblem) -> int | None:
    """Return the iterations of a search; None for no limit but its own end or time."""
    settings = problem.settings
    if settings.max_iterations is not None or em.effort is not None:
        return settings.max_iterations
    if settings.search == "anneal":
        return max(STEPS_PER_VARIABLE * len(problem.variables), MIN_STEPS)
    return N_RESTARTS_PER_UPDATE if settings.search in K_TREE_SEARCHES else None


def n_larger_sets(em: StructuralEM) -> int | None:
    """Return the number of larger parent sets that a search scores; None for what time allows."""
    return N_LARGER_SETS_PER_UPDATE if em.effort is None else None


def update_seconds(em: StructuralEM, problem: SearchProblem) -> float | None:
    """Return the time for a search and its parent sets by `effort`; None without effort."""
    if em.effort is None:
        return None
    return em.effort * len(problem.variables) / PARENT_SET_FRACTION


def search_seconds(em: StructuralEM, problem: SearchProblem) -> float | None:
    """Return the time for a search after its parent sets by `effort`; None without effort."""
    seconds = update_seconds(em, problem)
    return None if seconds is None else (1 - PARENT_SET_FRACTION) * seconds


def initial_structure(
    problem: SearchProblem,
    rows: WeightedRows,
    rule: Mapping[str, Any],
    em_init: EmInit,
    started: float,
) -> FoundStructure:
    """Return the initial network, else a tree or a chain, else the required arcs."""
    required = problem.constraints.required
    if problem.start is not None:
        return _given_structure(*problem.start)
    if em_init == "chain" and not any(required):
        return _given_structure(random_chain(problem))
    if em_init == "chain" or any(len(parents) > 1 for parents in required):
        return _given_structure(required)
    settings = replace(problem.settings, search="chow-liu", max_iterations=None)
    scorer = family_scorer(rows, rule, settings)
    return search_table(replace(problem, settings=settings), scorer, started, is_quiet=True)


def random_chain(problem: SearchProblem) -> list[list[int]]:
    """Return a chain of all variables in random order, without arcs that are not allowed."""
    n_variables, constraints = len(problem.variables), problem.constraints
    order = np.random.default_rng(problem.settings.seed).permutation(n_variables).tolist()
    parents: list[list[int]] = [[] for _ in order]
    limits = problem.clique_limits()
    for pair in pairwise(order):
        for parent, child in (pair, pair[::-1]):
            # One parent each: two would have to share a bag, and a chain fits into any treewidth.
            if not parents[child] and constraints.allow(parent, child) and limits.allow(pair):
                parents[child].append(parent)
                break
    return parents


def _given_structure(parents: Sequence[Sequence[int]], order: Sequence[int] = ()) -> FoundStructure:
    """Return a structure that no search found, with the proof of its width."""
    order = order or min_degree_order(parents)
    return FoundStructure(
        score=math.nan,
        parents=[tuple(sorted(members)) for members in parents],
        elimination_order=order,
        n_iterations=0,
        n_accepted=0,
        history=search_history([]),
        is_interrupted=False,
        is_proven=False,
    )
