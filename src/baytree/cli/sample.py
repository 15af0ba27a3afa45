"""`baytree sample`: draw rows from a network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from baytree.cli.models import TypedLabels, read_model_with_probabilities
from baytree.cli.options import (
    EVIDENCE_OPTIONS,
    LEARNING_OPTIONS,
    Commands,
    add_command,
    add_option,
    add_options,
    any_of,
    whole_number,
)
from baytree.cli.results import check_output, print_json
from baytree.messages.quoting import pluralize
from baytree.vocabulary import WRITTEN_TABLE_SUFFIXES

if TYPE_CHECKING:
    import pandas as pd

_SUFFIXES = (*WRITTEN_TABLE_SUFFIXES, ".csv.xz", ".tsv.xz")

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
        help=f"table to write: {any_of(_SUFFIXES)} (default: CSV to stdout)",
        required=False,
    )
    add_options(parser, *EVIDENCE_OPTIONS, *LEARNING_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Draw the rows and write them."""
    if options.output is not None:
        check_output(options.output, Path(options.model), check_suffix=_check_suffix)
    network = read_model_with_probabilities(options.model)
    evidence = TypedLabels(network).evidence(options.evidence, options.likelihood)
    rows = network.sample(options.n, evidence, options.random_state, n_jobs=options.n_jobs)
    if options.output is None and options.json:
        records = rows.astype(object).to_dict("records")
        print_json([{str(name): state for name, state in row.items()} for row in records])
    elif options.output is None:
        rows.to_csv(sys.stdout, index=False)
    else:
        _write(rows, options.output)
        _print_summary(rows, options)
    return True


def _print_summary(rows: pd.DataFrame, options: argparse.Namespace) -> None:
    n_rows, n_variables = rows.shape
    if options.json:
        print_json({"n_rows": n_rows, "n_variables": n_variables, "output": str(options.output)})
    elif not options.quiet:
        sizes = f"{pluralize(n_rows, 'row')} of {pluralize(n_variables, 'variable')}"
        print(f"{sizes}\nwritten to {options.output}")


def _check_suffix(path: Path) -> None:
    if not path.name.lower().endswith(_SUFFIXES):
        raise ValueError(f"{path}: the name of a table must end in {any_of(_SUFFIXES)}.")


def _write(rows: pd.DataFrame, path: Path) -> None:
    from baytree.runtime.atomic_files import replaced_file  # help must not wait for it

    separator = "\t" if ".tsv" in [suffix.lower() for suffix in path.suffixes] else ","
    with replaced_file(path) as file:
        if path.suffix.lower() == ".parquet":
            rows.to_parquet(file, index=False)
        else:
            rows.to_csv(file, index=False, sep=separator)
