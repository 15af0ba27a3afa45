"""`baytree learn`: a network of bounded treewidth from a table, into a file."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import baytree as bt
from baytree.cli.network_summaries import print_summary
from baytree.cli.options import (
    Commands,
    add_arc_options,
    add_command,
    add_common_options,
    add_continuous_option,
    add_criterion_option,
    add_missing_value_option,
    add_network_output_option,
    add_prior_option,
    add_table_argument,
)
from baytree.cli.outputs import checked_network_output
from baytree.cli.search_options import add_clique_states_option, add_search_options
from baytree.cli.startup import LeavingAtCtrlC
from baytree.tables.missing_words import DEFAULT_MISSING_VALUES

_EXAMPLES = """\
examples:
  baytree learn data.csv --treewidth 5 --time 60 -o network.json
  baytree learn data.parquet --jobs -1 --seed 0 --max-iterations 1000000 -o network.json.gz
  baytree learn data.csv --search hill-climb --tier age,sex --tier smoker,cancer -o network.json
  baytree learn data.csv --start network.json --time 600 -o better.json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "learn",
        summary="learn a network of bounded treewidth from a table",
        description="Learn the structure of a network of bounded treewidth from a table, and\n"
        "write it to a file. Ctrl-C writes the best found so far.",
        examples=_EXAMPLES,
    )
    add_table_argument(parser)
    add_missing_value_option(parser)
    add_continuous_option(parser)
    add_network_output_option(parser)
    add_search_options(parser)
    add_clique_states_option(parser)
    add_criterion_option(parser)
    add_prior_option(parser, "of the probabilities, and of the criterion bdeu,")
    add_arc_options(parser)
    add_common_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Learn, write and summarise; return whether it ran to its end."""
    output = checked_network_output(options.output, Path(options.table))
    with LeavingAtCtrlC():
        network_learner = bt.NetworkLearner  # loads pandas and more
    started = time.monotonic()
    learner = network_learner(
        options.treewidth,
        search=options.search,
        criterion=options.criterion,
        time_limit=options.time,
        max_iterations=options.max_iterations,
        max_parents=options.max_parents,
        max_clique_states=options.max_clique_states,
        required_arcs=[tuple(arc) for arc in options.require],
        forbidden_arcs=[tuple(arc) for arc in options.forbid],
        tiers=options.tier,
        start=None if options.start is None else bt.BayesianNetwork.read(options.start),
        equivalent_sample_size=options.equivalent_sample_size,
        continuous=options.continuous,
        missing_values=options.missing_value or DEFAULT_MISSING_VALUES,
        n_jobs=options.jobs,
        random_state=options.seed,
        verbose=0 if options.quiet else 1,
    ).fit(options.table)
    learner.network_.write(output)
    print_summary(
        learner.network_,
        options,
        n_iterations=learner.n_iterations_,
        seconds=time.monotonic() - started,
        interrupted=learner.interrupted_,
    )
    return not learner.interrupted_
