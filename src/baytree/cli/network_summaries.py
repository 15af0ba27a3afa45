"""What commands say about a network that they have found and written."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from baytree.cli.results import print_json
from baytree.messages.plurals import counted

if TYPE_CHECKING:
    from baytree import BayesianNetwork


def print_size(network: BayesianNetwork, options: argparse.Namespace) -> None:
    """Print how large a network is that was written, for people or as JSON."""
    if options.json:
        size = {
            "n_variables": len(network.variables),
            "n_arcs": len(network.arcs),
            "treewidth": network.treewidth,
            "output": str(options.output),
        }
        print_json(size)
    elif not options.quiet:
        print(f"{network}\nwritten to {options.output}")


def print_summary(
    network: BayesianNetwork,
    options: argparse.Namespace,
    *,
    n_iterations: int,
    seconds: float,
    interrupted: bool,
) -> None:
    """Print a summary for people or as JSON, as the options say."""
    n_variables, n_arcs = len(network.variables), len(network.arcs)
    if options.json:
        summary = {
            "n_variables": n_variables,
            "n_arcs": n_arcs,
            "treewidth": network.treewidth,
            "score": network.score,
            "search": options.search,
            "n_iterations": n_iterations,
            "seconds": round(seconds, 3),
            "interrupted": interrupted,
            "output": str(options.output),
        }
        print_json(summary)
    elif not options.quiet:
        print(
            f"{counted(n_variables, 'variable')}, {counted(n_arcs, 'arc')}, "
            f"treewidth {network.treewidth}, score {network.score:,.3f}\n"
            f"{counted(n_iterations, 'iteration')} of {options.search} in {seconds:.1f} s"
            f"{', interrupted' if interrupted else ''}\n"
            f"written to {options.output}"
        )
