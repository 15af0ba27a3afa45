"""`baytree score`: the best parent sets of every variable of a table, into a file."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
from pathlib import Path

import baytree as bt
from baytree.cli.options import (
    add_common_options,
    add_table_options,
    positive_number,
    whole_number,
)
from baytree.cli.startup import leaving_at_ctrl_c
from baytree.formats.compressed_names import refuse_unknown_compression
from baytree.formats.missing_words import DEFAULT_MISSING_VALUES

# As in baytree.scoring, which help must not wait for: it loads pandas.
SCORES = ("bic", "aic", "bdeu", "k2", "log-likelihood")

_EXAMPLES = """\
examples:
  baytree score data.csv --max-parents 5 --time 60 -o cache.jkl
  baytree score holes.csv.gz --missing available --max-parent-sets 10000 -o cache.jkl.xz
  baytree score data.parquet --require smoker cancer --forbid cancer age -o cache.jkl --json
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the options of this command."""
    parser = commands.add_parser(
        "score",
        help="find the best parent sets of every variable",
        description="Find the best parent sets of every variable of a table and write them to\n"
        "a file in the .jkl form. Ctrl-C writes what was found so far.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_table_options(parser)
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        metavar="FILE",
        help="cache to write: .jkl, or .jkl.gz and .jkl.xz for a compressed one",
    )
    _add_score_options(parser)
    _add_search_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run, misuse=parser.error)


def _add_score_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--score",
        choices=SCORES,
        default="bic",
        metavar="NAME",
        help="bic (default), aic, bdeu, k2 or log-likelihood",
    )
    parser.add_argument(
        "--equivalent-sample-size",
        type=positive_number,
        metavar="X",
        help="weight of the prior, in rows; with --score bdeu only (default: 1)",
    )
    parser.add_argument(
        "--missing",
        choices=("error", "available"),
        default="error",
        metavar="POLICY",
        help="with missing cells: error (default) or available, which takes the gain of parents "
        "from the rows that have the family complete",
    )


def _add_search_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-parents",
        type=whole_number(1),
        default=5,
        metavar="N",
        help="largest number of parents in a set (default: 5)",
    )
    parser.add_argument("--time", type=positive_number, metavar="SECONDS", help="time limit")
    parser.add_argument(
        "--max-parent-sets",
        type=whole_number(1),
        metavar="N",
        help="families to score for each variable, at most; unlike a time limit "
        "it gives the same result every time",
    )
    for name, verb in (("--require", "must"), ("--forbid", "must not")):
        parser.add_argument(
            name,
            nargs=2,
            action="append",
            default=[],
            metavar=("PARENT", "CHILD"),
            help=f"an arc that {verb} be there; may be repeated",
        )


def run(options: argparse.Namespace) -> bool:
    """Score, write and summarise; return whether it ran to its end."""
    _refuse_idle_prior(options)
    output = options.output.resolve()  # a link stays, and the file it leads to is replaced
    _check_writable(output, Path(options.table))
    with leaving_at_ctrl_c():
        score_parent_sets = bt.score_parent_sets  # loads pandas and more
    cache = score_parent_sets(
        options.table,
        max_parents=options.max_parents,
        score=options.score,
        missing=options.missing,
        equivalent_sample_size=options.equivalent_sample_size or 1.0,
        required_arcs=[tuple(arc) for arc in options.require],
        forbidden_arcs=[tuple(arc) for arc in options.forbid],
        time_limit=options.time,
        max_parent_sets=options.max_parent_sets,
        continuous=options.continuous,
        missing_values=options.missing_value or DEFAULT_MISSING_VALUES,
        n_jobs=options.jobs,
        random_state=options.seed,
        verbose=0 if options.quiet else 1,
    )
    cache.write_jkl(output)
    summary = cache.summary()
    if options.json:
        print(json.dumps({**dataclasses.asdict(summary), "output": str(options.output)}))
    elif not options.quiet:
        print(f"{summary}\nwritten to {options.output}")
    return not cache.interrupted


def _check_writable(output: Path, table: Path) -> None:
    """Fail before the work is done, not after."""
    if output.name == "-":
        raise ValueError("A cache cannot go to standard output. Give --output the name of a file.")
    refuse_unknown_compression(output)
    folder = output.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{output} cannot be written: {folder} is not a folder to write to.")
    if output.exists() and not output.is_file():
        raise ValueError(f"{output} cannot be written: it is there and not an ordinary file.")
    if output == table.resolve():
        raise ValueError(f"{output} is the table itself. Give --output another name.")


def _refuse_idle_prior(options: argparse.Namespace) -> None:
    """End with the usage if a prior was given to a score that has none."""
    if options.equivalent_sample_size is not None and options.score != "bdeu":
        options.misuse(
            f"argument --equivalent-sample-size: only bdeu has this prior, not {options.score}"
        )
