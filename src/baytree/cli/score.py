"""`baytree score`: the best parent sets of every variable of a table, into a file."""

from __future__ import annotations

import argparse
from pathlib import Path

import baytree as bt
from baytree.cli.option_values import refuse_idle_options, whole_number
from baytree.cli.options import (
    Commands,
    add_arc_options,
    add_command,
    add_common_options,
    add_continuous_option,
    add_criterion_option,
    add_missing_value_option,
    add_output_option,
    add_prior_option,
    add_table_argument,
)
from baytree.cli.outputs import checked_cache_output
from baytree.cli.results import print_json
from baytree.cli.search_options import add_time_option
from baytree.cli.startup import LeavingAtCtrlC
from baytree.tables.missing_words import DEFAULT_MISSING_VALUES

_EXAMPLES = """\
examples:
  baytree score data.csv --max-parents 5 --time 60 -o cache.jkl
  baytree score holes.csv.gz --missing available --max-parent-sets 10000 -o cache.jkl.xz
  baytree score data.parquet --require smoker cancer --forbid cancer age -o cache.jkl --json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "score",
        summary="find the best parent sets of every variable",
        description="Find the best parent sets of every variable of a table and write them to\n"
        "a file in the .jkl form. Ctrl-C writes what was found so far.",
        examples=_EXAMPLES,
    )
    add_table_argument(parser)
    add_missing_value_option(parser)
    add_continuous_option(parser)
    add_output_option(parser, "cache", ".jkl")
    add_criterion_option(parser)
    add_prior_option(parser, "of the criterion bdeu")
    _add_missing_option(parser)
    _add_search_options(parser)
    add_arc_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run, equivalent_sample_size=None)


def _add_missing_option(parser: argparse.ArgumentParser) -> None:
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
    add_time_option(parser, "time limit")
    parser.add_argument(
        "--max-parent-sets",
        type=whole_number(1),
        metavar="N",
        help="families to score for each variable, at most; unlike a time limit "
        "it gives the same result every time",
    )


def run(options: argparse.Namespace) -> bool:
    """Score, write and summarise; return whether it ran to its end."""
    if options.criterion != "bdeu":
        refuse_idle_options(
            options,
            ["equivalent_sample_size"],
            f"--criterion {options.criterion} has no prior; bdeu has",
        )
    output = checked_cache_output(options.output, Path(options.table))
    with LeavingAtCtrlC():
        score_parent_sets = bt.score_parent_sets  # loads pandas and more
    cache = score_parent_sets(
        options.table,
        max_parents=options.max_parents,
        criterion=options.criterion,
        missing=options.missing,
        equivalent_sample_size=options.equivalent_sample_size or 1.0,
        required_arcs=[tuple(arc) for arc in options.require],
        forbidden_arcs=[tuple(arc) for arc in options.forbid],
        tiers=options.tier,
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
        print_json({**vars(summary), "output": str(options.output)})
    elif not options.quiet:
        print(f"{summary}\nwritten to {options.output}")
    return not cache.interrupted
