"""Small tables as HTML for notebooks, without scripts or external files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from html import escape

MAX_ROWS = 50

_MAX_NAMES = 8
_MAX_NAME_LENGTH = 60

# Colours are inherited, for light and dark pages.
_CELL = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"
_HEAD = f"{_CELL};border-bottom:1px solid currentColor;font-weight:600"
_TABLE = (
    '<table style="border-collapse:collapse;font-size:inherit;color:inherit;'
    'background:transparent">'
)


def framed(title: str, note: str, content: str) -> str:
    """Return a heading with a note beside it, and HTML below."""
    return (
        '<div style="font-family:system-ui,sans-serif;font-size:0.9em;color:inherit">'
        f"<strong>{escape(title)}</strong> "
        f'<span style="opacity:0.8">{escape(note)}</span>{content}</div>'
    )


def unfolded(summary: str, heads: Sequence[str], rows: Iterable[Iterable[str]], n_left: int) -> str:
    """Return a table of escaped cells that a click unfolds, and the number of omitted rows."""
    head = "".join(f'<th style="{_HEAD}">{escape(word)}</th>' for word in heads)
    body = "".join(_row(cells) for cells in rows)
    more = f'<p style="opacity:0.7;margin:4px 0">and {n_left:,} more</p>' if n_left else ""
    return (
        f"<details><summary>{escape(summary)}</summary>{_TABLE}"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</details>"
    )


def facts_table(facts: Iterable[tuple[str, str]]) -> str:
    """Return a table of facts and their values, which are escaped here."""
    rows = "".join(_row((escape(word), escape(value))) for word, value in facts)
    return f"{_TABLE}<tbody>{rows}</tbody></table>"


def listed(names: Sequence[Hashable]) -> str:
    """Return the first names, escaped, and the number of the others."""
    shown = ", ".join(text(name) for name in names[:_MAX_NAMES])
    n_left = len(names) - _MAX_NAMES
    return f"{shown} and {n_left:,} more" if n_left > 0 else shown


def text(name: Hashable) -> str:
    """Return a name, escaped and shortened."""
    words = str(name)
    return escape(
        words if len(words) <= _MAX_NAME_LENGTH else f"{words[: _MAX_NAME_LENGTH - 3]}..."
    )


def _row(cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>"
