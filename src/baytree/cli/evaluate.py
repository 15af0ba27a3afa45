"""`baytree evaluate`: how well a network fits a table."""

from __future__ import annotations

import argparse
import math

import baytree as bt
from baytree._counted_nouns import counted
from baytree.cli.options import (
    add_jobs_option,
    add_missing_value_option,
    add_model_option,
    add_report_options,
    add_table_argument,
)
from baytree.cli.results import print_json
from baytree.cli.startup import LeavingAtCtrlC

_EXAMPLES = """\
examples:
  baytree evaluate model.bif test.csv
  baytree evaluate network.json holes.parquet --jobs -1 --json
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the options of this command."""
    parser = commands.add_parser(
        "evaluate",
        help="say how well a network fits a table",
        description="Print the mean log-likelihood of the rows of a table, the BIC of the\n"
        "structure on it, and the treewidth. Missing cells are summed out; there\n"
        "is no BIC with them.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_option(parser)
    add_table_argument(parser)
    add_missing_value_option(parser)
    add_jobs_option(parser)
    add_report_options(parser, "print the figures as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Evaluate and print."""
    with LeavingAtCtrlC():
        read_network = bt.read_network  # loads pandas and more
        from baytree._network_tables import network_table
    network = read_network(options.model)
    table = network_table(network, options.table, missing_values=options.missing_value)
    rows = network.log_likelihood(table, n_jobs=options.jobs)
    mean = float(rows.mean())
    n_impossible = int((rows == -math.inf).sum())
    bic = None if table.isna().any(axis=None) else network.bic(table)
    if options.json:
        figures = {
            "n_rows": len(rows),
            "mean_log_likelihood": mean if math.isfinite(mean) else None,
            "n_impossible_rows": n_impossible,
            "bic": bic,
            "treewidth": network.treewidth,
        }
        print_json(figures)
        return True
    print(f"{counted(len(rows), 'row')}, mean log-likelihood {mean:.6f}")
    if n_impossible:
        print(f"{counted(n_impossible, 'row')} of probability zero")
    print("BIC not defined: cells are missing" if bic is None else f"BIC {bic:,.3f}")
    print(f"treewidth {network.treewidth}")
    return True
