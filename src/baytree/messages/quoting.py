"""Names and values in messages. Commands load this for their help, so it loads nothing heavy."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def quoted(names: Sequence[Hashable], limit: int = 10) -> str:
    """Return names as a list to read, cut after `limit` of them."""
    text = ", ".join(shortened(name) for name in names[:limit])
    return f"{text} and {len(names) - limit:,} more" if len(names) > limit else text


def shortened(value: object) -> str:
    """Return what came, on one line that is not too long."""
    try:
        text = repr(value) if isinstance(value, str) else " ".join(repr(value).split())
    except ValueError:  # Python refuses to spell integers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:77]}..."
