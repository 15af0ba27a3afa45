"""Isolated variables in structural EM.

A search takes filled cells for observations. The filled cells of a variable that is mostly missing
repeat what the network knew of other variables, or mark the rows where it is missing, so that the
search is misled. A network in which this variable has no arcs may then be far better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.learning.constraints import PositionalConstraints
from baytree.learning.search_problem import SearchProblem
from baytree.learning.searches import FoundStructure
from baytree.tables.weighted_rows import WeightedRows


def missing_fractions(rows: WeightedRows) -> npt.NDArray[np.float64]:
    """Return the weighted fraction of missing cells of every variable."""
    return np.asarray(np.average(rows.codes < 0, axis=0, weights=rows.weights))


def most_missing(rows: WeightedRows) -> list[int]:
    """Return the variables with missing cells, those with the most of them first."""
    ordered = np.argsort(-missing_fractions(rows), kind="stable").tolist()
    return [variable for variable in ordered if rows.n_missing[variable]]


def linked_variables(found: FoundStructure) -> set[int]:
    """Return the variables with arcs."""
    families = [{child, *parents} for child, parents in enumerate(found.parents) if parents]
    return set().union(*families)


def isolate(
    found: FoundStructure, variables: frozenset[int], constraints: PositionalConstraints
) -> FoundStructure:
    """Return a structure without the arcs of some variables, but for those that are required."""
    parents = [
        _kept_parents(child, members, variables, constraints)
        for child, members in enumerate(found.parents)
    ]
    return replace(found, parents=parents, is_proven=False, score_bound=math.inf)


def _kept_parents(
    child: int,
    parents: tuple[int, ...],
    variables: frozenset[int],
    constraints: PositionalConstraints,
) -> tuple[int, ...]:
    wrong = parents if child in variables else variables.intersection(parents)
    return tuple(p for p in parents if p in constraints.required[child] or p not in wrong)


def isolation_gains(
    scorer: _core.FamilyScorer,
    found: FoundStructure,
    variables: Iterable[int],
    constraints: PositionalConstraints,
) -> dict[int, float]:
    """Return how much higher the families of a structure score once each variable is isolated."""
    gains = dict.fromkeys(variables, 0.0)
    for child, parents in enumerate(found.parents):
        for variable in (child, *parents):
            if variable in gains:
                kept = _kept_parents(child, parents, frozenset({variable}), constraints)
                if kept != parents:
                    gains[variable] += scorer.score(child, kept) - scorer.score(child, parents)
    return gains


def forbid_arcs(problem: SearchProblem, variables: frozenset[int]) -> SearchProblem:
    """Return a problem that forbids the arcs of some variables, but for those that are required."""
    constraints, n_variables = problem.constraints, len(problem.variables)
    forbidden = []
    for child, before in enumerate(constraints.forbidden):
        others = range(n_variables) if child in variables else {*variables, *before}
        allowed = {child, *constraints.required[child]}
        forbidden.append(tuple(sorted(set(others) - allowed)))
    return replace(problem, constraints=replace(constraints, forbidden=forbidden))
