"""`baytree evaluate`: fit of a network to a table."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from typing import TYPE_CHECKING, Any

from baytree.cli.models import read_model_with_probabilities
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

    from baytree import BayesianNetwork

_EXAMPLES = """\
examples:
  baytree evaluate model.bif test.csv
  baytree evaluate network.json incomplete.parquet -j -1 --json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "evaluate",
        summary="measure the fit of a network to a table",
        description="Print the mean log-likelihood of the rows of a table, the BIC of the\n"
        "structure on it, and the treewidth. Missing cells are summed out; the\n"
        "BIC is not defined with them.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model", "table", "--missing-values", "--n-jobs", *REPORT_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Print the figures."""
    network = read_model_with_probabilities(options.model)
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
    print_json(figures) if options.json else print("\n".join(_lines(**figures)))
    return True


def _bic(network: BayesianNetwork, table: pd.DataFrame) -> float | None:
    with contextlib.suppress(MissingCellError):
        return network.bic(table)
    return None


def _lines(
    n_rows: int,
    mean_log_likelihood: float | None,
    n_impossible_rows: int,
    bic: float | None,
    treewidth: int,
) -> list[str]:
    mean = -math.inf if mean_log_likelihood is None else mean_log_likelihood
    lines = [f"{pluralize(n_rows, 'row')}, mean log-likelihood {mean:.6f}"]
    if n_impossible_rows:
        lines.append(f"{pluralize(n_impossible_rows, 'row')} of probability zero")
    lines.append("BIC not defined: cells are missing" if bic is None else f"BIC {bic:,.3f}")
    return [*lines, f"treewidth {treewidth}"]
