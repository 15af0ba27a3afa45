"""`baytree evaluate`: fit of a network to a table."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import baytree as bt
from baytree.cli.models import Model, read_model_with_probabilities, read_network
from baytree.cli.options import (
    REPORT_OPTIONS,
    Commands,
    add_command,
    add_options,
)
from baytree.cli.results import finite, print_json
from baytree.exceptions import MissingCellError
from baytree.messages.quoting import pluralize, quoted

if TYPE_CHECKING:
    import pandas as pd

    from baytree import BayesianNetwork, StructureComparison

_COMPARED = (
    "second_bic",
    "delta_bic",
    "log_bayes_factor",
    "posterior_probability",
    "evidence",
    "better",
)

_EXAMPLES = """\
examples:
  baytree evaluate model.bif test.csv
  baytree evaluate network.json incomplete.parquet -j -1 --json
  baytree evaluate network.json test.csv --against other.json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "evaluate",
        summary="measure the fit of a network to a table",
        description="Print the mean log-likelihood of the rows of a table, the BIC of the\n"
        "structure on it, and the treewidth. Missing cells are summed out; the\n"
        "BIC is not defined with them, nor for a mixture. With --against, compare the\n"
        "structure with another one.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model", "table", "--missing-values", "--n-jobs", *REPORT_OPTIONS)
    parser.add_argument(
        "--against",
        metavar="MODEL",
        help="network with another structure: print the difference in BIC, which is the log Bayes "
        "factor, the posterior probability of the first structure, and the class of the evidence",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Print the figures."""
    network = read_model_with_probabilities(options.model)
    if options.against is not None and isinstance(network, bt.NetworkMixture):
        options.misuse("argument --against: compares structures of networks; MODEL is a mixture")
    table = network.read_table(options.table, missing_values=options.missing_values)
    rows = network.log_likelihood(table, n_jobs=options.n_jobs)
    lacking = [name for name in network.variables if name not in table.columns]
    if lacking and not options.quiet:
        note = f"the table lacks {quoted(lacking)}, which the log-likelihood sums out"
        print(f"baytree: note: {note}", file=sys.stderr)
    figures: dict[str, Any] = {
        "n_rows": len(rows),
        "mean_log_likelihood": finite(float(rows.mean())),
        "n_impossible_rows": int((rows == -math.inf).sum()),
        "bic": _bic(network, table),
        "treewidth": network.treewidth,
    }
    reason = "a mixture" if isinstance(network, bt.NetworkMixture) else "cells are missing"
    lines = _fit_lines(figures, reason)
    if options.against is not None and not isinstance(network, bt.NetworkMixture):
        comparison = _comparison(network, read_network(options.against), table)
        figures |= {name: getattr(comparison, name, None) for name in _COMPARED}
        lines += _comparison_lines(comparison)
    print_json(figures) if options.json else print("\n".join(lines))
    return True


def _comparison(
    network: BayesianNetwork, other: BayesianNetwork, table: pd.DataFrame
) -> StructureComparison | None:
    with contextlib.suppress(MissingCellError):
        return bt.compare_structures(network, other, table)
    return None


def _bic(network: Model, table: pd.DataFrame) -> float | None:
    if isinstance(network, bt.NetworkMixture):
        return None
    with contextlib.suppress(MissingCellError):
        return network.bic(table)
    return None


def _fit_lines(figures: Mapping[str, Any], reason_without_bic: str) -> list[str]:
    mean, n_impossible_rows = figures["mean_log_likelihood"], figures["n_impossible_rows"]
    lines = [
        f"{pluralize(figures['n_rows'], 'row')}, "
        f"mean log-likelihood {-math.inf if mean is None else mean:.6f}"
    ]
    if n_impossible_rows:
        lines.append(f"{pluralize(n_impossible_rows, 'row')} of probability zero")
    bic = figures["bic"]
    lines.append(f"BIC not defined: {reason_without_bic}" if bic is None else f"BIC {bic:,.3f}")
    return [*lines, f"treewidth {figures['treewidth']}"]


def _comparison_lines(comparison: StructureComparison | None) -> list[str]:
    if comparison is None:
        return ["no comparison: cells are missing"]
    delta = comparison.delta_bic
    if comparison.better == "neither":
        return ["the structures have the same BIC"]
    better = "this network" if comparison.better == "first" else "the other network"
    return [
        f"BIC of the other network {comparison.second_bic:,.3f}: difference, and log Bayes factor, "
        f"{delta:+,.3f}",
        f"{comparison.evidence} evidence for {better}; posterior probability of this network "
        f"{comparison.posterior_probability:.6f}",
    ]
