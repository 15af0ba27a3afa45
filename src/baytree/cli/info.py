"""`baytree info`: size of a network and cost of inference."""

from __future__ import annotations

import argparse

import baytree as bt
from baytree.cli.models import Model, TypedLabels, read_model
from baytree.cli.options import (
    EVIDENCE_OPTIONS,
    REPORT_OPTIONS,
    Commands,
    add_command,
    add_options,
)
from baytree.cli.results import finite, print_json
from baytree.messages.quoting import pluralize

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
        description="Print the size of a network, or of a mixture of networks, and the cost of\n"
        "computing all marginals, which evidence reduces. Nothing is computed.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model", *EVIDENCE_OPTIONS, *REPORT_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Print the size and the cost."""
    network = read_model(options.model)
    evidence = TypedLabels(network).evidence(options.evidence, options.likelihood)
    has_probabilities = isinstance(network, bt.NetworkMixture) or network.has_probabilities
    cost = network.inference_cost(evidence) if has_probabilities else None
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


def _lines(network: Model) -> list[str]:
    sizes = _sizes(network)
    variables, end = (
        pluralize(len(network.variables), "variable"),
        f"treewidth {network.treewidth:,}",
    )
    if isinstance(network, bt.NetworkMixture):
        return [
            f"{variables}, {pluralize(network.n_components, 'component')}, {end}",
            _states(sizes),
        ]
    arcs, parents = pluralize(len(network.arcs), "arc"), pluralize(sizes["max_parents"], "parent")
    lines = [f"{variables}, {arcs}, at most {parents}, {end}"]
    if network.has_states:
        lines.append(f"{_states(sizes)}, {pluralize(sizes['n_parameters'], 'parameter')}")
    return lines


def _states(sizes: dict[str, int]) -> str:
    least, most = sizes["min_states"], pluralize(sizes["max_states"], "state")
    return f"{most} each" if least == sizes["max_states"] else f"{least:,} to {most}"


def _sizes(network: Model) -> dict[str, int]:
    arities = []
    if isinstance(network, bt.NetworkMixture) or network.has_states:
        arities = [len(network.states(name)) for name in network.variables]
    if isinstance(network, bt.NetworkMixture):
        return {
            "n_variables": len(network.variables),
            "n_components": network.n_components,
            "treewidth": network.treewidth,
            "min_states": min(arities),
            "max_states": max(arities),
        }
    sizes = {
        "n_variables": len(network.variables),
        "n_arcs": len(network.arcs),
        "max_parents": max(len(network.parents(name)) for name in network.variables),
        "treewidth": network.treewidth,
    }
    if not network.has_states:
        return sizes
    return sizes | {
        "min_states": min(arities),
        "max_states": max(arities),
        "n_parameters": network.n_parameters,
    }
