"""A network as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from baytree.messages.html_tables import MOST_ROWS, framed, listed, text, unfolded

if TYPE_CHECKING:
    from baytree.networks.base import NetworkBase


def network_html(network: NetworkBase, sizes: Sequence[str]) -> str:
    """Return the sizes as a heading, and a table of the variables that can be unfolded."""
    heads = ["variable", *(["states"] if network.has_states else []), "parents"]
    shown = network.variables[:MOST_ROWS]
    rows = (_cells(network, name) for name in shown)
    table = unfolded("variables", heads, rows, len(network.variables) - len(shown))
    return framed("BayesianNetwork", ", ".join(sizes), table)


def _cells(network: NetworkBase, name: Hashable) -> list[str]:
    states = [listed(network.states(name))] if network.has_states else []
    return [text(name), *states, listed(network.parents(name))]
