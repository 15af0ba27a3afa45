"""`baytree predict`: predict a variable in every row of a table."""

from __future__ import annotations

import argparse
from pathlib import Path

from baytree.cli.models import TypedLabels, read_model_with_probabilities
from baytree.cli.options import REPORT_OPTIONS, Commands, add_command, add_option, add_options
from baytree.cli.results import check_output
from baytree.cli.written_tables import (
    TABLE_FORMATS,
    check_table_suffix,
    show_table,
    write_table,
)
from baytree.vocabulary import UNKNOWN_POLICIES

_EXAMPLES = """\
examples:
  baytree predict model.json rows.csv --target income
  baytree predict model.json rows.csv --target income -o income.csv --probabilities chances.csv
  baytree predict model.bif rows.parquet --target lung --json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "predict",
        summary="predict a variable in every row of a table",
        description="Write the most probable state of a variable, or the mean of a number, given\n"
        "the other cells of each row. Missing cells and absent columns are summed out.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model", "table")
    parser.add_argument(
        "--target", required=True, metavar="NAME", help="variable to predict; its column is ignored"
    )
    add_option(
        parser,
        "--output",
        required=False,
        help=f"table to write: {TABLE_FORMATS} (default: CSV to stdout)",
    )
    parser.add_argument(
        "--probabilities",
        type=Path,
        metavar="FILE",
        help="write the probability of every state as a table, a column for each",
    )
    parser.add_argument(
        "--handle-unknown",
        choices=UNKNOWN_POLICIES,
        default="missing",
        metavar="POLICY",
        help="states that the network does not know: missing (default) or error",
    )
    add_options(parser, "--missing-values", "--n-jobs", *REPORT_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Predict the rows and write them."""
    for path in (options.output, options.probabilities):
        if path is not None:
            sources = (Path(options.model), Path(options.table))
            check_output(path, *sources, check_suffix=check_table_suffix)
    network = read_model_with_probabilities(options.model)
    target = TypedLabels(network).variable(options.target)
    table = network.read_table(options.table, missing_values=options.missing_values)
    settings = {"handle_unknown": options.handle_unknown, "n_jobs": options.n_jobs}
    if options.probabilities is not None:
        write_table(
            network.predict_proba(table, target, **settings).rename(columns=str),
            options.probabilities,
        )
    show_table(network.predict(table, target, **settings).to_frame(), options)
    return True
