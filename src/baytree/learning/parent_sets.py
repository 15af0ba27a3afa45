"""ParentSetCache: scored candidate parent sets of every variable."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import UnknownVariableError
from baytree.learning import jkl
from baytree.messages.arguments import is_number
from baytree.messages.html_tables import MAX_ROWS, framed, listed, text, unfolded
from baytree.messages.quoting import pluralize, shortened
from baytree.messages.suggestions import closest_name
from baytree.networks.arcs import check_known

Scores: TypeAlias = npt.NDArray[np.float64]
Members: TypeAlias = npt.NDArray[np.uint32]


class ScoredParentSets(NamedTuple):
    """Parent sets of one variable, best first.

    Attributes
    ----------
    scores : ndarray of float
        Score of every parent set.
    parent_sets : list of tuple
        Names of the parents, in the order of the scores.

    Examples
    --------
    >>> import numpy as np
    >>> ScoredParentSets(np.array([-3.5]), [("rain",)]).parent_sets
    [('rain',)]
    """

    scores: Scores
    parent_sets: list[tuple[Hashable, ...]]


@dataclass(frozen=True)
class CacheSummary:
    """Size and origin of a cache.

    Attributes
    ----------
    n_variables, n_parent_sets : int
        Size of the cache.
    largest_parent_set : int
        Number of parents in the largest set.
    best_score : float
        Sum of the best scores of the variables: an upper bound for networks of these sets.
    n_evaluated : int or None
        Number of scored families; None for a cache from elsewhere.
    n_complete : int or None
        Variables with every parent set scored or ruled out; None for a cache from elsewhere.
    is_interrupted : bool
        Whether Ctrl-C ended the scoring.

    Examples
    --------
    >>> CacheSummary(1, 1, 0, -2.0, None, None, False).best_score
    -2.0
    """

    n_variables: int
    n_parent_sets: int
    largest_parent_set: int
    best_score: float
    n_evaluated: int | None
    n_complete: int | None
    is_interrupted: bool

    def __str__(self) -> str:
        """Return the summary in words."""
        text = (
            f"{pluralize(self.n_parent_sets, 'parent set')} of "
            f"{pluralize(self.n_variables, 'variable')}, "
            f"up to {pluralize(self.largest_parent_set, 'parent')}; "
            f"sum of best scores {self.best_score:,.3f}"
        )
        if self.n_evaluated is not None:
            text += (
                f"\n{pluralize(self.n_evaluated, 'family', 'families')} scored, "
                f"{self.n_complete:,} of {pluralize(self.n_variables, 'variable')} "
                "searched to the end"
            )
        return text + ("\ninterrupted" if self.is_interrupted else "")


class ParentSetCache:
    """Scored candidate parent sets of every variable, best first.

    Usually made by `score_parent_sets` or `ParentSetCache.read`; immutable. The length is the
    number of parent sets. Every variable has the empty set, unless arcs into the variable were
    required (then all its sets hold those parents) or the sets are from elsewhere.

    Parameters
    ----------
    parent_sets : mapping of variables to (scores, parent sets)
        Scores of every variable, and as many parent sets, each of them an iterable of names. Any
        order will do; `cache[variable]` of another cache is such a pair.

    Attributes
    ----------
    variables : tuple
        Names of the variables.
    is_interrupted : bool
        Whether Ctrl-C ended the scoring, so that sets are missing.

    Raises
    ------
    UnknownVariableError
        If a parent is not a variable.
    ValueError
        If a variable has no set, a set twice or itself among its parents, if a score is not a
        finite number, or if scores and sets differ in number.

    See Also
    --------
    score_parent_sets : Make a cache from a table.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> cache = bt.score_parent_sets(table, max_parents=1)
    >>> cache["wet"].parent_sets
    [('rain',), ()]
    >>> len(cache)
    4
    >>> bt.ParentSetCache({"rain": ([-9.5], [()]), "wet": ([-8.5, -7.5], [(), ("rain",)])})
    ParentSetCache(3 parent sets of 2 variables)
    """

    __iter__ = None  # neither its variables nor its sets are what `for` would obviously mean

    def __init__(
        self, parent_sets: Mapping[Hashable, tuple[Sequence[float], Sequence[Iterable[Hashable]]]]
    ) -> None:
        if not isinstance(parent_sets, Mapping) or not parent_sets:
            raise ValueError(
                "parent_sets must be a dict of variables with a pair (scores, parent sets) each; "
                f"got {shortened(parent_sets)}."
            )
        positions = {name: position for position, name in enumerate(parent_sets)}
        arrays = [_arrays(child, pair, positions) for child, pair in parent_sets.items()]
        self._store(_core.ParentSetCache(arrays), [*parent_sets])

    @classmethod
    def _from_core(
        cls,
        core: _core.ParentSetCache,
        variables: Sequence[Hashable],
        *,
        n_evaluated: Sequence[int] | None = None,
        is_complete: Sequence[int] | None = None,
        is_interrupted: bool = False,
    ) -> Self:
        cache = cls.__new__(cls)
        cache._store(core, variables, n_evaluated, is_complete, is_interrupted)
        return cache

    def _store(
        self,
        core: _core.ParentSetCache,
        variables: Sequence[Hashable],
        n_evaluated: Sequence[int] | None = None,
        is_complete: Sequence[int] | None = None,
        is_interrupted: bool = False,
    ) -> None:
        self._core = core
        self._n_evaluated = n_evaluated
        self._is_complete = is_complete
        self._variables = tuple(variables)
        self._positions = {name: position for position, name in enumerate(self._variables)}
        self._is_interrupted = is_interrupted

    @property
    def variables(self) -> tuple[Hashable, ...]:
        """Names of the variables."""
        return self._variables

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the scoring, so that sets are missing."""
        return self._is_interrupted

    def __len__(self) -> int:
        """Return the number of parent sets of all variables together."""
        return self._core.n_parent_sets

    def __getitem__(self, variable: Hashable) -> ScoredParentSets:
        """Return scores and parent sets of a variable, given by name or by number, best first."""
        position = self._position(variable)
        names = self.variables
        parent_sets = [
            tuple(names[parent] for parent in parents)
            for parents in self._core.parent_sets(position)
        ]
        return ScoredParentSets(self._core.scores(position), parent_sets)

    def _position(self, variable: Hashable) -> int:
        if isinstance(variable, Hashable) and variable in self._positions:
            return self._positions[variable]
        if isinstance(variable, (int, np.integer)) and 0 <= variable < len(self.variables):
            return int(variable)
        raise UnknownVariableError(
            f"There is no variable {variable!r} in the cache. Give a name from cache.variables or "
            f"a number below {len(self.variables)}.{closest_name(variable, self.variables)}"
        )

    def summary(self) -> CacheSummary:
        """Return the size and the origin of the cache.

        Returns
        -------
        CacheSummary
            Prints as a sentence or two; `dataclasses.asdict` makes it a dict.

        Examples
        --------
        >>> import numpy as np
        >>> import baytree as bt
        >>> cache = bt.score_parent_sets(np.eye(4, dtype=int), max_parents=1)
        >>> cache.summary().n_variables
        4
        """
        return CacheSummary(
            n_variables=len(self.variables),
            n_parent_sets=len(self),
            largest_parent_set=self._core.largest_parent_set,
            best_score=self._core.sum_of_best_scores,
            n_evaluated=None if self._n_evaluated is None else sum(self._n_evaluated),
            n_complete=None if self._is_complete is None else sum(self._is_complete),
            is_interrupted=self.is_interrupted,
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the cache as text in the .jkl form, in place of a file of that name.

        Parameters
        ----------
        path : str or path
            File to write; compressed if its name ends in .gz or .xz.

        Raises
        ------
        ValueError
            If the name ends in another compression, such as .zip, or two variables have the same
            name as text; nothing is written then.

        Notes
        -----
        Names of variables are comments in the file. Names that are neither text nor integers become
        text. Scores keep all their digits.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> import baytree as bt
        >>> cache = bt.score_parent_sets(np.eye(4, dtype=int), max_parents=1)
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name) / "cache.jkl.gz"
        >>> cache.write(path)
        >>> len(bt.ParentSetCache.read(path)) == len(cache)
        True
        >>> folder.cleanup()
        """
        jkl.write_jkl(path, self._core, self.variables)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        r"""Return the cache in a file of the .jkl form.

        Parameters
        ----------
        path : str or path
            File to read; .gz and .xz are decompressed.

        Returns
        -------
        ParentSetCache
            Variables are named "x0", "x1", ... unless the file names them all.

        Raises
        ------
        FileFormatError
            If the file is broken; the message names the line.
        ValueError
            If the name ends in another compression, such as .zip.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name) / "cache.jkl"
        >>> _ = path.write_text("1\n0 1\n-2.5 0\n")
        >>> ParentSetCache.read(path)[0].scores
        array([-2.5])
        >>> folder.cleanup()
        """
        return cls._from_core(*jkl.read_jkl(path))

    def __getstate__(self) -> dict[str, Any]:
        """Return the flat arrays of the core and where they come from."""
        arrays = [self._core.arrays(position) for position in range(len(self.variables))]
        return self.__dict__ | {"_core": arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Hand the arrays to the core."""
        self.__dict__.update(state | {"_core": _core.ParentSetCache(state["_core"])})

    def __repr__(self) -> str:
        """Return the numbers of sets and of variables in words."""
        state = ", interrupted" if self.is_interrupted else ""
        sets = pluralize(len(self), "parent set")
        return f"ParentSetCache({sets} of {pluralize(len(self.variables), 'variable')}{state})"

    def _repr_html_(self) -> str:
        """Return the summary and the best sets for notebooks."""
        return _cache_html(self)


def _arrays(
    child: Hashable, pair: Any, positions: Mapping[Hashable, int]
) -> tuple[Scores, Members, Members]:
    """Return the scores, the parents and the starts of the sets of a variable, best first."""
    is_pair = isinstance(pair, Sequence) and len(pair) == 2 and not isinstance(pair, str)
    if not is_pair or not all(isinstance(items, Iterable) for items in pair):
        raise ValueError(
            f"Variable {child!r} must have a pair of lists (scores, parent sets); got "
            f"{shortened(pair)}."
        )
    scores, parent_sets = [*pair[0]], [_members(child, names, positions) for names in pair[1]]
    if not parent_sets or len(scores) != len(parent_sets):
        raise ValueError(
            f"Variable {child!r} must have as many scores as parent sets, at least one; got "
            f"{len(scores):,} and {len(parent_sets):,}."
        )
    for score in scores:
        if not is_number(score) or not math.isfinite(score):
            raise ValueError(
                f"Scores must be finite numbers; variable {child!r} has {shortened(score)}."
            )
    if len({*parent_sets}) < len(parent_sets):
        raise ValueError(f"Variable {child!r} has a parent set twice. Leave one of the two.")
    order = np.argsort(-np.array(scores, dtype=np.float64), kind="stable").tolist()
    ordered = [parent_sets[place] for place in order]
    return (
        np.array([scores[place] for place in order], dtype=np.float64),
        np.array([parent for members in ordered for parent in members], dtype=np.uint32),
        np.cumsum([0, *map(len, ordered)], dtype=np.uint32),
    )


def _members(
    child: Hashable, names: Iterable[Hashable], positions: Mapping[Hashable, int]
) -> tuple[int, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ValueError(f"A parent set must hold names; {child!r} has {shortened(names)}.")
    parents = [*names]
    for name in parents:
        check_known(name, positions, f"A parent set of {child!r}")
    if child in parents:
        raise ValueError(f"Variable {child!r} cannot be its own parent.")
    return tuple(sorted({positions[name] for name in parents}))


def _cache_html(cache: ParentSetCache) -> str:
    """Return the summary as a heading, and the best parent set of each variable to unfold."""
    shown = cache.variables[:MAX_ROWS]
    rows = (_cells(cache, position, name) for position, name in enumerate(shown))
    heads = ["variable", "sets", "best score", "best parents"]
    table = unfolded("variables", heads, rows, len(cache.variables) - len(shown))
    return framed("ParentSetCache", str(cache.summary()).replace("\n", "; "), table)


def _cells(cache: ParentSetCache, position: int, name: Hashable) -> list[str]:
    scores = cache._core.scores(position)
    parents = [cache.variables[parent] for parent in cache._core.parent_sets(position)[0]]
    return [text(name), f"{len(scores):,}", f"{scores[0]:,.3f}", listed(parents)]
