"""`baytree sample`: draw rows from a network."""

from __future__ import annotations

import argparse
from pathlib import Path

from baytree.cli.models import TypedLabels, read_model_with_probabilities
from baytree.cli.options import (
    EVIDENCE_OPTIONS,
    LEARNING_OPTIONS,
    Commands,
    add_command,
    add_option,
    add_options,
    whole_number,
)
from baytree.cli.results import check_output
from baytree.cli.written_tables import TABLE_FORMATS, check_table_suffix, show_table

_EXAMPLES = """\
examples:
  baytree sample model.bif -n 1000 -o rows.csv
  baytree sample model.bif -n 1000000 --random-state 0 -j -1 -o rows.parquet
  baytree sample model.bif -n 5 --evidence smoker=yes
  baytree sample model.bif -n 5 --json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "sample",
        summary="draw rows from a network",
        description="Draw independent rows from the joint distribution of a network, or from its\n"
        "distribution given evidence.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model")
    parser.add_argument(
        "-n",
        type=whole_number(1),
        required=True,
        metavar="N",
        help="number of rows",
    )
    add_option(
        parser,
        "--output",
        help=f"table to write: {TABLE_FORMATS} (default: CSV to stdout)",
        required=False,
    )
    add_options(parser, *EVIDENCE_OPTIONS, *LEARNING_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Draw the rows and write them."""
    if options.output is not None:
        check_output(options.output, Path(options.model), check_suffix=check_table_suffix)
    network = read_model_with_probabilities(options.model)
    evidence = TypedLabels(network).evidence(options.evidence, options.likelihood)
    rows = network.sample(options.n, evidence, options.random_state, n_jobs=options.n_jobs)
    show_table(rows, options)
    return True
