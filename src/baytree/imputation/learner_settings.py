"""The learner of an imputer: its defaults, and what is refused in it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from baytree.imputation.imputed_tables import ImputerVariables
from baytree.imputation.missing_cells import MAX_STATES
from baytree.learning.chordalysis import check_chordalysis
from baytree.learning.constraints import (
    ArcConstraints,
    check_constraints,
    check_reusable,
    given_parents,
)
from baytree.learning.em_settings import StructuralEM
from baytree.learning.learner import NetworkLearner
from baytree.messages.arguments import is_integer, one_of
from baytree.messages.quoting import shortened
from baytree.tables.ignored_columns import check_ignore
from baytree.vocabulary import CRITERIA

# Settings that the imputer has too, for all networks together.
SHARED_SETTINGS = ("time_limit", "missing_values", "n_jobs", "random_state", "verbose")


def default_learner() -> NetworkLearner:
    """Return the learner that None stands for.

    Fewer structure updates restore more cells, and so does a prior of ten rows.
    """
    return NetworkLearner(
        6,
        search="hill-climb",
        criterion="auto",
        equivalent_sample_size=10.0,
        em=StructuralEM(max_structure_updates=3),
    )


def check_learner(learner: NetworkLearner | None) -> None:
    """Refuse what is no learner, and settings that belong to the imputer."""
    if learner is None:
        return
    if not isinstance(learner, NetworkLearner):
        raise ValueError(
            "learner must be a NetworkLearner or None, as in learner=NetworkLearner(search="
            f'"anneal"); got {shortened(learner)}.'
        )
    if check_chordalysis(learner.search) is not None:
        raise ValueError(
            'learner has search="chordalysis", which tests complete rows; an imputer learns from '
            'incomplete ones. Use one of its other searches, such as search="hill-climb".'
        )
    one_of("criterion", learner.criterion, ("auto", *CRITERIA))
    check_ignore(learner.ignore)
    if is_integer(learner.n_bins) and learner.n_bins > MAX_STATES:
        raise ValueError(
            f"learner has n_bins={learner.n_bins:,}; an imputer can have at most {MAX_STATES} bins."
        )
    check_reusable(learner.initial_network)
    defaults = NetworkLearner().get_params(deep=False)
    for name in SHARED_SETTINGS:
        given = getattr(learner, name)
        if not np.array_equal(given, defaults[name]):
            raise ValueError(
                f"learner has {name}={shortened(given)}, which is a setting of the imputer for all "
                f"networks together. Leave it out there, and pass {name} to BayesianNetworkImputer."
            )


def leave_out_empty(learner: NetworkLearner, variables: ImputerVariables) -> None:
    """Take variables without an observed cell out of the constraints and the initial network."""
    names, known = variables.names, set(variables.known.tolist())
    if len(known) == len(names):
        return

    def arcs(parents: Iterable[Iterable[int]]) -> list[tuple[Hashable, Hashable]]:
        return [
            (names[parent], names[child])
            for child, members in enumerate(parents)
            for parent in sorted(members)
            if {parent, child} <= known
        ]

    if learner.initial_network is not None:
        parents = given_parents(learner.initial_network, names, "initial_network")
        learner.initial_network = arcs(parents)
    if learner.constraints is not None:
        checked = check_constraints(learner.constraints, names, max_parents=len(names))
        tiers: dict[int, list[Hashable]] = {tier: [] for tier in sorted(set(checked.tiers))}
        for position, tier in enumerate(checked.tiers):
            tiers[tier] += [names[position]] * (position in known)
        learner.constraints = ArcConstraints(
            arcs(checked.required),
            arcs(checked.forbidden),
            [*tiers.values()] or None,
            learner.constraints.max_parents,
        )
