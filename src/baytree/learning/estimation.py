"""Probabilities of a structure, estimated from codes: counts, or EM where cells are missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import InterruptedWarning
from baytree.messages.arguments import integer_at_least, is_number
from baytree.messages.quoting import shortened
from baytree.messages.user_warnings import warn_user
from baytree.networks.cpts import Cpt
from baytree.networks.row_calls import call_rows
from baytree.runtime.limits import run_control
from baytree.tables.encoding import StateCodes

MAX_EM_ITERATIONS = 100
TOLERANCE = 1e-5


@dataclass(frozen=True)
class EstimationSettings:
    """How probabilities are estimated, checked."""

    equivalent_sample_size: float = 1.0
    max_em_iterations: int = MAX_EM_ITERATIONS
    tolerance: float = TOLERANCE
    n_jobs: int | None = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be used."""
        not_negative("equivalent_sample_size", self.equivalent_sample_size)
        integer_at_least("max_em_iterations", self.max_em_iterations, 1)
        not_negative("tolerance", self.tolerance)


@dataclass(frozen=True, eq=False)
class EstimatedTables:
    """Tables of all variables, and how EM got there if it had to."""

    cpts: Sequence[Cpt]
    objectives: Sequence[float]
    has_converged: bool


def estimated_tables(
    codes: StateCodes,
    weights: npt.NDArray[np.float64] | None,
    *,
    arities: Sequence[int],
    parents: Sequence[Sequence[int]],
    elimination_order: Sequence[int],
    settings: EstimationSettings,
) -> EstimatedTables:
    """Return the tables; Ctrl-C keeps those of the last iteration, with a warning."""
    control = run_control(math.inf, None)
    found = call_rows(
        _core.estimate_network,
        codes,
        arities=list(arities),
        parents=[sorted(members) for members in parents],
        elimination_order=list(elimination_order),
        weights=weights,
        equivalent_sample_size=float(settings.equivalent_sample_size),
        max_iterations=int(settings.max_em_iterations),
        tolerance=float(settings.tolerance),
        initial=None,
        n_jobs=settings.n_jobs,
        control=control,
    )
    if control.is_interrupted:
        if not found.objectives:  # not even counts are whole
            raise KeyboardInterrupt
        message = "Interrupted: the probabilities of the last whole iteration are returned."
        warn_user(message, InterruptedWarning)
    return EstimatedTables(cpts_of(found, arities), found.objectives, found.has_converged)


def cpts_of(network: _core.EstimatedNetwork, arities: Sequence[int]) -> list[Cpt]:
    """Return the tables of a network, one row for each joint state of the parents."""
    return [table.reshape(-1, arity) for table, arity in zip(network.tables, arities, strict=True)]


def not_negative(argument: str, value: object) -> float:
    """Return a finite number of at least 0."""
    if not is_number(value) or not 0 <= value < math.inf:
        raise ValueError(
            f"{argument} must be a finite number of at least 0; got {shortened(value)}."
        )
    return float(value)
