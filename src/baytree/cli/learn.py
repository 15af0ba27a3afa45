"""`baytree learn`: learn a network of bounded treewidth from a table."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import baytree as bt
from baytree.cli.models import read_initial_network
from baytree.cli.options import (
    ARC_OPTIONS,
    EM_OPTIONS,
    LEARNER_SETTINGS,
    LEARNING_OPTIONS,
    SEARCH_OPTIONS,
    Commands,
    add_command,
    add_options,
    given_settings,
)
from baytree.cli.results import check_output, print_summary
from baytree.cli.startup import LeavingAtCtrlC
from baytree.messages.file_names import network_suffix

SETTINGS = LEARNER_SETTINGS | {
    name: name for name in ("max_treewidth", "time_limit", "missing_values")
}
_EXAMPLES = """\
examples:
  baytree learn data.csv -k 5 -t 60 -o network.json
  baytree learn data.parquet -j -1 --random-state 0 --max-iterations 1000000 -o network.json.gz
  baytree learn data.csv --search hill-climb --tiers age,sex --tiers smoker,cancer -o network.json
  baytree learn data.csv --initial-network network.json -t 600 -o better.json
  baytree learn incomplete.csv --preset sem-kmax --effort 5 -o network.json
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
    add_options(parser, "table", "--missing-values", "--ignore", "--n-bins", "--output")
    add_options(parser, *SEARCH_OPTIONS)
    add_options(parser, "--max-clique-states", "--criterion", "--equivalent-sample-size")
    add_options(parser, *ARC_OPTIONS, "--preset", *EM_OPTIONS, *LEARNING_OPTIONS)
    parser.set_defaults(**dict.fromkeys(SETTINGS), run=run)


def run(options: argparse.Namespace) -> bool:
    """Learn, write and summarise; return True if it was completed."""
    check_output(options.output, Path(options.table), check_suffix=network_suffix)
    with LeavingAtCtrlC():
        network_learner = bt.NetworkLearner  # loads pandas and more
    started = time.monotonic()
    learner = network_learner.preset(options.preset) if options.preset else network_learner()
    learner.set_params(
        constraints=bt.ArcConstraints(
            options.required, options.forbidden, options.tiers, options.max_parents
        ),
        initial_network=read_initial_network(options.initial_network),
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=0 if options.quiet else 1,
        **given_settings(options, SETTINGS),
    ).fit(options.table)
    learner.network_.write(options.output)
    print_summary(
        learner.network_,
        options,
        search=learner.search,
        n_iterations=learner.n_iterations_,
        seconds=time.monotonic() - started,
        is_interrupted=learner.is_interrupted_,
        n_em_iterations=max(len(learner.em_history_) - 1, 0),  # the first row is the start
    )
    return not learner.is_interrupted_
