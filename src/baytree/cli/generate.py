"""`baytree generate`: make a random network."""

from __future__ import annotations

import argparse

import baytree as bt
from baytree.cli.options import (
    REPORT_OPTIONS,
    Commands,
    add_command,
    add_options,
    whole_number,
)
from baytree.cli.results import check_output, print_size
from baytree.cli.startup import LeavingAtCtrlC
from baytree.messages.file_names import network_suffix

_EXAMPLES = """\
examples:
  baytree generate 1000 --random-state 0 -o random.bif.gz
  baytree generate 50 --max-degree 3 --max-states 2 -o random.json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "generate",
        summary="make a random network",
        description="Draw a connected network with random arcs, states and probabilities. Its\n"
        "treewidth grows with its size: with a degree of 3 or more, exact inference is\n"
        "intractable beyond about a hundred variables.",
        examples=_EXAMPLES,
    )
    parser.add_argument(
        "n_variables", type=whole_number(1), metavar="N", help="number of variables"
    )
    parser.add_argument(
        "--max-degree",
        type=whole_number(1),
        default=6,
        metavar="N",
        help="largest number of parents and children of a variable together (default: 6)",
    )
    parser.add_argument(
        "--max-states",
        type=whole_number(2),
        default=3,
        metavar="N",
        help="largest number of states of a variable (default: 3)",
    )
    add_options(parser, "--output", "--random-state", *REPORT_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Draw the network, write it and print its size."""
    check_output(options.output, check_suffix=network_suffix)
    with LeavingAtCtrlC():
        random_network = bt.random_network  # loads pandas and more
    network = random_network(
        options.n_variables,
        max_degree=options.max_degree,
        max_states=options.max_states,
        random_state=options.random_state,
    )
    network.write(options.output)
    print_size(network, options)
    return True
