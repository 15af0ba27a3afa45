"""Structures that structural EM starts from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from baytree.learning.em_settings import EmInit
from baytree.learning.search_problem import SearchProblem
from baytree.learning.searches import FoundStructure, search_history
from baytree.learning.table_searches import family_scorer, search_table
from baytree.networks.decomposition import min_degree_order
from baytree.tables.weighted_rows import WeightedRows


def initial_structure(
    problem: SearchProblem,
    rows: WeightedRows,
    rule: Mapping[str, Any],
    em_init: EmInit,
    started: float,
) -> FoundStructure:
    """Return the initial network, else a tree or a chain; where neither can be, required arcs."""
    required = problem.constraints.required
    if problem.start is not None:
        return _given_structure(problem, *problem.start)
    if em_init == "chain" and not any(required):
        return _given_structure(problem, random_chain(problem))
    if em_init == "chain" or any(len(parents) > 1 for parents in required):
        return _given_structure(problem, required)
    settings = replace(problem.settings, search="chow-liu", max_iterations=None)
    scorer = family_scorer(rows, rule, settings)
    return search_table(replace(problem, settings=settings), scorer, started, is_quiet=True)


def random_chain(problem: SearchProblem) -> list[list[int]]:
    """Return a chain through all variables in random order; arcs that must not be are left out."""
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


def _given_structure(
    problem: SearchProblem, parents: Sequence[Sequence[int]], order: Sequence[int] = ()
) -> FoundStructure:
    """Return arcs that no search found, with the proof of their width."""
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
