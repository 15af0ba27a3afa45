"""`baytree convert`: a network from one file format to another."""

from __future__ import annotations

import argparse
from pathlib import Path

import baytree as bt
from baytree.cli.options import add_model_option, add_quiet_options
from baytree.cli.outputs import checked_network_output
from baytree.cli.startup import leaving_at_ctrl_c

_EXAMPLES = """\
examples:
  baytree convert model.bif model.xdsl
  baytree convert model.bif.gz network.json
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the options of this command."""
    parser = commands.add_parser(
        "convert",
        help="write a network in another format",
        description="Read a network and write it in another format; the endings of the names\n"
        "say which.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_option(parser)
    parser.add_argument("output", type=Path, metavar="OUTPUT", help="network to write")
    add_quiet_options(parser)
    parser.set_defaults(run=run, misuse=parser.error)


def run(options: argparse.Namespace) -> bool:
    """Read and write."""
    output = checked_network_output(options.output, Path(options.model))
    with leaving_at_ctrl_c():
        read_network = bt.read_network  # loads pandas and more
    network = read_network(options.model)
    network.write(output)
    if not options.quiet:
        print(f"{network}\nwritten to {output}")
    return True
