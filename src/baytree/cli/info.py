"""`baytree info`: size of a network and cost of inference."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from baytree.cli.models import TypedLabels, read_model
from baytree.cli.options import (
    EVIDENCE_OPTIONS,
    REPORT_OPTIONS,
    Commands,
    add_command,
    add_options,
)
from baytree.cli.results import finite, print_json
from baytree.messages.quoting import pluralize

if TYPE_CHECKING:
    from baytree import BayesianNetwork

_EXAMPLES = """\
examples:
  baytree info model.bif
  baytree info model.bif --evidence smoker=yes --json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "info",
        summary="show the size of a network and the cost of inference",
        description="Print the size of a network and the cost of computing all marginals, which\n"
        "evidence reduces. Nothing is computed.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model", *EVIDENCE_OPTIONS, *REPORT_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Print the size and the cost."""
    network = read_model(options.model)
    evidence = TypedLabels(network).evidence(options.evidence, options.likelihood)
    cost = network.inference_cost(evidence) if network.has_probabilities else None
    if options.json:
        figures: dict[str, float | None] = {**_sizes(network)}
        if cost is not None:
            figures["largest_clique"] = cost.clique_variables
            for name in ("clique_states", "table_entries", "n_bytes", "seconds"):
                figures[name] = finite(getattr(cost, name))
        print_json(figures)
        return True
    print("\n".join(_lines(network)))
    print("no probabilities: a structure alone" if cost is None else f"all marginals: {cost}")
    return True


def _lines(network: BayesianNetwork) -> list[str]:
    sizes = _sizes(network)
    lines = [
        f"{pluralize(len(network.variables), 'variable')}, "
        f"{pluralize(len(network.arcs), 'arc')}, at most "
        f"{pluralize(sizes['max_parents'], 'parent')}, treewidth {network.treewidth:,}"
    ]
    if network.has_states:
        least, most = sizes["min_states"], pluralize(sizes["max_states"], "state")
        states = f"{most} each" if least == sizes["max_states"] else f"{least:,} to {most}"
        lines.append(f"{states}, {pluralize(sizes['n_parameters'], 'parameter')}")
    return lines


def _sizes(network: BayesianNetwork) -> dict[str, int]:
    sizes = {
        "n_variables": len(network.variables),
        "n_arcs": len(network.arcs),
        "max_parents": max(len(network.parents(name)) for name in network.variables),
        "treewidth": network.treewidth,
    }
    if not network.has_states:
        return sizes
    arities = [len(network.states(name)) for name in network.variables]
    return sizes | {
        "min_states": min(arities),
        "max_states": max(arities),
        "n_parameters": network.n_parameters,
    }
