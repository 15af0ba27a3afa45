"""Names in messages."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from baytree._arguments import shortened


def quoted(names: Sequence[Hashable], limit: int = 10) -> str:
    """Return names as a list to read, cut after `limit` of them."""
    text = ", ".join(shortened(name) for name in names[:limit])
    return f"{text} and {len(names) - limit:,} more" if len(names) > limit else text
