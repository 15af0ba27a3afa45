"""A network in words and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from baytree.messages.html_tables import MAX_ROWS, framed, listed, text, unfolded
from baytree.messages.quoting import pluralize

if TYPE_CHECKING:
    from baytree.networks.network import BayesianNetwork


def network_text(network: BayesianNetwork) -> str:
    """Return the class and the sizes of a network."""
    return f"BayesianNetwork({', '.join(_sizes(network))})"


def network_html(network: BayesianNetwork) -> str:
    """Return the sizes as a heading, and a table of the variables that can be unfolded."""
    heads = ["variable", *(["states"] if network.has_states else []), "parents"]
    shown = network.variables[:MAX_ROWS]
    rows = (_cells(network, name) for name in shown)
    table = unfolded("variables", heads, rows, len(network.variables) - len(shown))
    return framed("BayesianNetwork", ", ".join(_sizes(network)), table)


def _cells(network: BayesianNetwork, name: Hashable) -> list[str]:
    states = [listed(network.states(name))] if network.has_states else []
    return [text(name), *states, listed(network.parents(name))]


def _sizes(network: BayesianNetwork) -> list[str]:
    sizes = [
        pluralize(len(network.variables), "variable"),
        pluralize(len(network.arcs), "arc"),
        f"treewidth {network.treewidth:,}",
    ]
    if network.has_probabilities:
        sizes.append(pluralize(network.n_parameters, "parameter"))
    if network.score is not None:
        sizes.append(f"score {network.score:,.3f}")
    return sizes
