"""`baytree score`: search the best parent sets of every variable of a table."""

from __future__ import annotations

import argparse
from pathlib import Path

import baytree as bt
from baytree.cli.options import (
    ARC_OPTIONS,
    LEARNING_OPTIONS,
    Commands,
    add_command,
    add_option,
    add_options,
    refuse_idle_options,
    whole_number,
)
from baytree.cli.results import check_output, print_json
from baytree.cli.startup import LeavingAtCtrlC
from baytree.messages.file_names import check_cache_suffix
from baytree.vocabulary import DEFAULT_MISSING_VALUES, MISSING_POLICIES

_EXAMPLES = """\
examples:
  baytree score data.csv --max-parents 5 -t 60 -o cache.jkl
  baytree score incomplete.csv.gz --missing available --max-parent-sets 10000 -o cache.jkl.xz
  baytree score data.parquet --required smoker cancer --forbidden cancer age -o cache.jkl --json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "score",
        summary="search the best parent sets of every variable",
        description="Search the best parent sets of every variable of a table and write them to\n"
        "a file in the .jkl format. Ctrl-C writes the sets found so far.",
        examples=_EXAMPLES,
    )
    add_options(parser, "table", "--missing-values", "--n-bins")
    add_option(
        parser, "--output", help="cache to write: .jkl, or .jkl.gz or .jkl.xz to compress it"
    )
    add_options(parser, "--criterion")
    add_option(
        parser,
        "--equivalent-sample-size",
        help="weight of the prior of the criterion bdeu, in rows (default: {default})",
    )
    parser.add_argument(
        "--missing",
        choices=MISSING_POLICIES,
        default="error",
        metavar="POLICY",
        help="missing cells: error (default) or available, which computes the gain of parents "
        "on the rows in which the family is complete",
    )
    add_option(
        parser,
        "--max-parents",
        default=5,
        help="largest number of parents in a set (default: {default})",
    )
    add_options(parser, "--time-limit")
    parser.add_argument(
        "--max-parent-sets",
        type=whole_number(1),
        metavar="N",
        help="largest number of families to score per variable; unlike a time limit, reproducible",
    )
    add_options(parser, *ARC_OPTIONS, *LEARNING_OPTIONS)
    parser.set_defaults(run=run, equivalent_sample_size=None)


def run(options: argparse.Namespace) -> bool:
    """Score, write and summarise; return True if it was completed."""
    if options.criterion != "bdeu":
        refuse_idle_options(
            options,
            ["equivalent_sample_size"],
            f"--criterion {options.criterion} has no prior; bdeu has",
        )
    check_output(options.output, Path(options.table), check_suffix=check_cache_suffix)
    with LeavingAtCtrlC():
        score_parent_sets = bt.score_parent_sets  # loads pandas and more
    cache = score_parent_sets(
        options.table,
        max_parents=options.max_parents,
        criterion=options.criterion,
        missing=options.missing,
        equivalent_sample_size=options.equivalent_sample_size or 1.0,
        constraints=bt.ArcConstraints(options.required, options.forbidden, options.tiers),
        time_limit=options.time_limit,
        max_parent_sets=options.max_parent_sets,
        n_bins=options.n_bins,
        missing_values=options.missing_values or DEFAULT_MISSING_VALUES,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=0 if options.quiet else 1,
    )
    cache.write(options.output)
    summary = cache.summary()
    if options.json:
        print_json({**vars(summary), "output": str(options.output)})
    elif not options.quiet:
        print(f"{summary}\nwritten to {options.output}")
    return not cache.is_interrupted
