"""Small tables as HTML for notebooks: one piece, without scripts or files from elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from html import escape

MOST_ROWS = 50

_MOST_NAMES = 8
_LONGEST_NAME = 60

# Colours are those of the page, so that it reads on light and on dark ones.
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
    """Return a table of escaped cells that a click unfolds, and how many rows were left out."""
    head = "".join(f'<th style="{_HEAD}">{escape(word)}</th>' for word in heads)
    body = "".join(_row(cells) for cells in rows)
    more = f'<p style="opacity:0.7;margin:4px 0">and {n_left:,} more</p>' if n_left else ""
    return (
        f"<details><summary>{escape(summary)}</summary>{_TABLE}"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</details>"
    )


def facts_table(facts: Iterable[tuple[str, str]]) -> str:
    """Return a table of words and what they are here, none of it escaped before."""
    rows = "".join(_row((escape(word), escape(value))) for word, value in facts)
    return f"{_TABLE}<tbody>{rows}</tbody></table>"


def listed(names: Sequence[Hashable]) -> str:
    """Return some names, escaped, and how many more there are."""
    shown = ", ".join(text(name) for name in names[:_MOST_NAMES])
    n_left = len(names) - _MOST_NAMES
    return f"{shown} and {n_left:,} more" if n_left > 0 else shown


def text(name: Hashable) -> str:
    """Return a name, escaped and not too long."""
    words = str(name)
    return escape(words if len(words) <= _LONGEST_NAME else f"{words[: _LONGEST_NAME - 3]}...")


def _row(cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>"
