"""search_structure: the best structure among the parent sets of a cache, and its result."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree import _core
from baytree.learning.chordalysis import check_chordalysis
from baytree.learning.constraints import ArcConstraints, InitialNetwork
from baytree.learning.parent_sets import ParentSetCache
from baytree.learning.search_problem import (
    K_TREE_SEARCHES,
    CacheSearchName,
    SearchProblem,
    SearchSettings,
    check_problem,
    check_settings,
)
from baytree.learning.searches import search_in_cache, warn_if_hardly_begun, warn_of_open_proof
from baytree.messages.arguments import one_of, quoted_words, true_or_false
from baytree.messages.quoting import pluralize, quoted, shortened
from baytree.networks.decomposition import TreeDecomposition, named_bags
from baytree.networks.network import BayesianNetwork
from baytree.runtime.seeds import Seed
from baytree.vocabulary import CACHE_SEARCHES

Compatibility: TypeAlias = Literal["blip"]


@dataclass(frozen=True, repr=False)
class SearchResult:
    """The best structure of a search, with the history of the search.

    Made by `search_structure`. Two results are equal if their variables, parents, scores and
    decompositions are.

    Attributes
    ----------
    variables : tuple
        Names of the variables.
    parents : tuple of tuple
        Parents of every variable, in the order of the variables.
    score : float
        Sum of the scores of all families.
    decomposition : TreeDecomposition
        Bags that prove the treewidth.
    n_iterations : int
        Number of iterations.
    n_accepted : int
        Number of iterations that changed the current structure; all of them for searches that
        begin anew each time.
    history : DataFrame
        Improvements: columns seconds (since the call), iteration and score. With several threads,
        the way of k-max, k-greedy and s2 differs from run to run; the last score does not.
    iteration_scores : ndarray of float or None
        Scores of the networks of all iterations, in their order, if `keep_scores` asked for them;
        of the first 10,000,000 at most. Without a time limit, the same for any number of threads.
    is_interrupted : bool
        Whether Ctrl-C ended the search.
    is_proven : bool
        Whether the result is proven optimal: "exact" proves that no structure has a higher score,
        "s2+" that no k-tree is more informative, which says little about the structure inside it.
        The other searches prove nothing.
    score_bound : float
        No structure has a higher score; equal to `score` if "exact" came to its end, infinite for
        the other searches.

    See Also
    --------
    search_structure : Makes one.

    Examples
    --------
    >>> chain = TreeDecomposition((("rain", "wet"),), ())
    >>> result = SearchResult(("rain", "wet"), ((), ("rain",)), -7.5, chain)
    >>> result
    SearchResult(2 variables, 1 arc, treewidth 1, score -7.500)
    >>> result.network.parents("wet")
    ('rain',)
    """

    variables: tuple[Hashable, ...]
    parents: tuple[tuple[Hashable, ...], ...]
    score: float
    decomposition: TreeDecomposition
    n_iterations: int = field(default=0, compare=False)
    n_accepted: int = field(default=0, compare=False)
    history: pd.DataFrame = field(default_factory=pd.DataFrame, compare=False)
    is_interrupted: bool = field(default=False, compare=False)
    is_proven: bool = field(default=False, compare=False)
    iteration_scores: npt.NDArray[np.float64] | None = field(default=None, compare=False)
    score_bound: float = field(default=math.inf, compare=False)

    @property
    def treewidth(self) -> int:
        """Width of the decomposition."""
        return self.decomposition.width

    @property
    def network(self) -> BayesianNetwork:
        """The structure as a network without states, to write or to start from."""
        arcs = [
            (parent, child)
            for child, parents in zip(self.variables, self.parents, strict=True)
            for parent in parents
        ]
        return BayesianNetwork(
            self.variables, arcs, decomposition=self.decomposition, score=self.score
        )

    def __repr__(self) -> str:
        """Return the size and the score in words."""
        n_arcs = sum(map(len, self.parents))
        return (
            f"SearchResult({pluralize(len(self.variables), 'variable')}, "
            f"{pluralize(n_arcs, 'arc')}, treewidth {self.treewidth}, "
            f"score {self.score:,.3f}{', interrupted' if self.is_interrupted else ''})"
        )


def search_structure(
    cache: ParentSetCache,
    *,
    max_treewidth: int = 5,
    search: CacheSearchName = "anneal",
    compat: Compatibility | None = None,
    constraints: ArcConstraints | None = None,
    initial_network: InitialNetwork | None = None,
    time_limit: float | None = None,
    max_iterations: int | None = None,
    n_jobs: int | None = 1,
    random_state: Seed = None,
    keep_scores: bool = False,
    verbose: int = 0,
) -> SearchResult:
    """Search for the best structure of bounded treewidth among the parent sets of a cache.

    Only sets in the cache are used, so searches can be compared on equal terms. To learn from a
    table, use `NetworkLearner`, whose default search is not bound to a cache and finds more.

    Parameters
    ----------
    cache : ParentSetCache
        Parent sets with their scores.
    max_treewidth : int, default=5
        Largest treewidth of the structure.
    search : str, default="anneal"
        One of "anneal", "hill-climb", "chow-liu", "k-max", "k-greedy", "s2", "s2+" and "exact", as
        in `NetworkLearner`.
    compat : {"blip"}, optional
        Limit k-max, k-greedy, s2 and s2+ to sets of at most ``max_treewidth - 1`` parents, as the
        program BLIP does, for comparisons with it.
    constraints : ArcConstraints, optional
        Arcs that the structure must have or must not have. The k-tree searches (k-max, k-greedy,
        s2 and s2+) cannot obey required arcs and refuse them.
    initial_network : BayesianNetwork, dict of parents, or iterable of (parent, child), optional
        Structure that anneal or hill-climb starts from. All its families must be in the cache.
    time_limit : float, optional
        Seconds of the whole call. The result depends on the speed of the machine.
    max_iterations : int, optional
        Number of iterations. With a seed, the result is reproducible and does not depend on
        `n_jobs`. Without any budget, k-max, k-greedy, s2 and s2+ do 1000; the others end by
        themselves.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1.
    random_state : int, RandomState instance or None, default=None
        Seed of all random choices; None for a new one every time.
    keep_scores : bool, default=False
        Keep the score of the network of every iteration, as `iteration_scores` of the result: 8
        bytes each. For k-max, k-greedy, s2 and s2+, whose iterations begin anew each time.
    verbose : int, default=0
        Above 0, show progress, as in `NetworkLearner`.

    Returns
    -------
    SearchResult
        The best structure found; after Ctrl-C the best so far, with `is_interrupted` set.

    Raises
    ------
    UnknownVariableError
        If a constraint or the initial network names something that is not a variable.
    TimeoutError
        If the time limit ended an exact search before it had any network that meets the
        constraints.
    ValueError
        If another argument cannot be used, or not with this search; the message names it.

    Warns
    -----
    InterruptedWarning
        If Ctrl-C ended the search. A second Ctrl-C raises KeyboardInterrupt.
    MemoryLimitWarning
        If half of the machine's memory did not suffice for the proof of an exact search.
    TimeLimitWarning
        If the time limit ended the search before its first step, or an exact search before the end
        of its proof.

    See Also
    --------
    score_parent_sets : Makes a cache from a table.
    NetworkLearner : Learns from a table.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> cache = bt.score_parent_sets(table, max_parents=1)
    >>> result = bt.search_structure(cache, max_treewidth=1, search="k-max", max_iterations=10)
    >>> result
    SearchResult(2 variables, 1 arc, treewidth 1, score -33.259)
    >>> result = bt.search_structure(
    ...     cache, search="k-greedy", max_treewidth=1, max_iterations=3, keep_scores=True
    ... )
    >>> len(result.iteration_scores)
    3
    """
    started = time.monotonic()
    if not isinstance(cache, ParentSetCache):
        raise ValueError(
            f"cache must be a ParentSetCache; got {shortened(cache)}. Make one with "
            "score_parent_sets, or learn from a table with NetworkLearner."
        )
    if check_chordalysis(search) is not None:
        raise ValueError(
            'search="chordalysis" tests the rows of a table, which a cache lacks. Use '
            'NetworkLearner(search="chordalysis").'
        )
    one_of("search", search, CACHE_SEARCHES)
    settings = check_settings(
        search=search,
        max_treewidth=max_treewidth,
        constraints=constraints,
        time_limit=time_limit,
        max_iterations=max_iterations,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        started=started,
    )
    if true_or_false("keep_scores", keep_scores):
        settings = _keeping_scores(settings)
    problem = check_problem(
        _compatible(settings, compat),
        cache.variables,
        constraints=constraints,
        initial_network=initial_network,
    )
    _check_families_in_cache(problem, cache)
    called = time.monotonic()
    found = search_in_cache(problem, cache._core, started)
    warn_if_hardly_begun(found, settings, started, called)
    warn_of_open_proof(found, settings, called)
    names = cache.variables
    return SearchResult(
        variables=names,
        parents=tuple(tuple(names[parent] for parent in parents) for parents in found.parents),
        score=found.score,
        decomposition=named_bags(names, found.decomposition),
        n_iterations=found.n_iterations,
        n_accepted=found.n_accepted,
        history=found.history,
        is_interrupted=found.is_interrupted,
        is_proven=found.is_proven,
        iteration_scores=found.iteration_scores,
        score_bound=found.score_bound,
    )


def _keeping_scores(settings: SearchSettings) -> SearchSettings:
    """Return the settings of a search that keeps the scores of its iterations."""
    if settings.search not in K_TREE_SEARCHES:
        raise ValueError(
            f"keep_scores=True is for {quoted_words(K_TREE_SEARCHES)}, whose iterations begin anew "
            f'each time; got search="{settings.search}". Its improvements are in `history`.'
        )
    return replace(settings, keeps_scores=True)


def _compatible(settings: SearchSettings, compat: Compatibility | None) -> SearchSettings:
    """Return the settings within the limits of another program."""
    if compat is None:
        return settings
    one_of("compat", compat, ("blip",))
    if settings.search not in K_TREE_SEARCHES:
        raise ValueError(
            f'compat="blip" is for {quoted_words(K_TREE_SEARCHES)}; got search="{settings.search}".'
        )
    if settings.max_treewidth < 2:
        raise ValueError('compat="blip" leaves no parents at max_treewidth 1. Use at least 2.')
    return replace(settings, max_parents=min(settings.max_parents, settings.max_treewidth - 1))


def _check_families_in_cache(problem: SearchProblem, cache: ParentSetCache) -> None:
    if problem.start is None:
        return
    scores = _core.CachedFamilyScores(cache._core)
    structure, _ = problem.start
    for child, parents in enumerate(structure):
        if math.isinf(scores.score(child, parents)):
            names = [cache.variables[parent] for parent in parents]
            raise ValueError(
                f"initial_network gives variable {cache.variables[child]!r} the parents "
                f"{quoted(names) or 'none'}, a set that the cache lacks. Give it others, or use a "
                "cache that holds the set."
            )
