"""A cache of parent sets as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from baytree.messages.html_tables import MAX_ROWS, framed, listed, text, unfolded

if TYPE_CHECKING:
    from baytree.learning.parent_sets import ParentSetCache


def cache_html(cache: ParentSetCache) -> str:
    """Return the summary as a heading, and the best parent set of each variable to unfold."""
    shown = cache.variables[:MAX_ROWS]
    rows = (_cells(cache, position, name) for position, name in enumerate(shown))
    heads = ["variable", "sets", "best score", "best parents"]
    table = unfolded("variables", heads, rows, len(cache.variables) - len(shown))
    return framed("ParentSetCache", str(cache.summary()).replace("\n", "; "), table)


def _cells(cache: ParentSetCache, position: int, name: Hashable) -> list[str]:
    scores = cache._core.scores(position)
    best = cache._core.parent_sets(position)[0] if len(scores) else ()
    score = f"{scores[0]:,.3f}" if len(scores) else ""
    parents = listed([cache.variables[parent] for parent in best])
    return [text(name), f"{len(scores):,}", score, parents]
