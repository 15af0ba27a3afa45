"""A network as HTML for notebooks: one piece, without scripts or files from elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baytree._network_base import NetworkBase

_MOST_ROWS = 50
_MOST_NAMES = 8
_LONGEST_NAME = 60

# Colours are those of the page, so that it reads on light and on dark ones.
_CELL = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"
_HEAD = f"{_CELL};border-bottom:1px solid currentColor;font-weight:600"


def network_html(network: NetworkBase, sizes: Sequence[str]) -> str:
    """Return the sizes as a heading, and a table of the variables that can be unfolded."""
    heads = ["variable", *(["states"] if network.has_states else []), "parents"]
    shown = network.variables[:_MOST_ROWS]
    body = "".join(_row(_cells(network, name)) for name in shown)
    n_left = len(network.variables) - len(shown)
    more = f'<p style="opacity:0.7;margin:4px 0">and {n_left:,} more</p>' if n_left else ""
    head = "".join(f'<th style="{_HEAD}">{word}</th>' for word in heads)
    return (
        '<div style="font-family:system-ui,sans-serif;font-size:0.9em;color:inherit">'
        f"<strong>BayesianNetwork</strong> "
        f'<span style="opacity:0.8">{escape(", ".join(sizes))}</span>'
        "<details><summary>variables</summary>"
        f'<table style="border-collapse:collapse;color:inherit;background:transparent">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
        "</details></div>"
    )


def _cells(network: NetworkBase, name: Hashable) -> list[str]:
    states = [_listed(network.states(name))] if network.has_states else []
    return [_text(name), *states, _listed(network.parents(name))]


def _row(cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>"


def _listed(names: Sequence[Hashable]) -> str:
    shown = ", ".join(_text(name) for name in names[:_MOST_NAMES])
    n_left = len(names) - _MOST_NAMES
    return f"{shown} and {n_left:,} more" if n_left > 0 else shown


def _text(name: Hashable) -> str:
    text = str(name)
    return escape(text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 3]}...")
