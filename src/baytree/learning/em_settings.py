"""What structural EM is asked for, and how much its searches do."""

from __future__ import annotations

from dataclasses import dataclass

from baytree.learning.em_starts import InitializationName
from baytree.learning.search_problem import K_TREE_SEARCHES, SearchProblem
from baytree.learning.table_searches import PARENT_SET_SHARE
from baytree.messages.arguments import integer_at_least, one_of, positive_number
from baytree.networks.rows import CompletionName
from baytree.vocabulary import COMPLETIONS, EM_INITS

# The table was filled by a network, whose errors a longer search would learn too. Unless the user
# sets a budget:
STEPS_A_VARIABLE = 3_000  # of annealing
LEAST_STEPS = 100_000
N_RESTARTS = 100  # of the searches of k-trees
LARGER_SETS = 1_000  # that they score for each variable


@dataclass(frozen=True)
class EmSettings:
    """How structural EM goes about it, checked."""

    initialization: InitializationName = "tree"
    completion: CompletionName = "joint"
    max_em_iterations: int = 10
    inner_em_iterations: int = 5
    effort: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be used."""
        one_of("initialization", self.initialization, EM_INITS)
        one_of("completion", self.completion, COMPLETIONS)
        integer_at_least("max_em_iterations", self.max_em_iterations, 1)
        integer_at_least("inner_em_iterations", self.inner_em_iterations, 0)
        if self.effort is not None:
            positive_number("effort", self.effort)

    def n_search_iterations(self, problem: SearchProblem) -> int | None:
        """Return how much a search does; None for as much as it likes, or has time for."""
        given = problem.settings
        if given.max_iterations is not None or self.effort is not None:
            return given.max_iterations
        if given.search == "anneal":
            return max(STEPS_A_VARIABLE * len(problem.variables), LEAST_STEPS)
        return N_RESTARTS if given.search in K_TREE_SEARCHES else None

    @property
    def n_larger_sets(self) -> int | None:
        """Return how many larger parent sets a search scores; None for what time allows."""
        return LARGER_SETS if self.effort is None else None

    def search_seconds(self, problem: SearchProblem) -> float | None:
        """Return what `effort` allows a search and its parent sets; None without effort."""
        if self.effort is None:
            return None
        return self.effort * len(problem.variables) / PARENT_SET_SHARE
