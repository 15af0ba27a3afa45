"""`baytree convert`: a network from one file format to another."""

from __future__ import annotations

import argparse
from pathlib import Path

from baytree.cli.model_reading import read_model
from baytree.cli.network_summaries import print_size
from baytree.cli.options import (
    NETWORK_ENDINGS,
    Commands,
    add_command,
    add_model_option,
    add_report_options,
)
from baytree.cli.outputs import checked_network_output

_EXAMPLES = """\
examples:
  baytree convert model.bif model.xdsl
  baytree convert model.bif.gz -o network.json --json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "convert",
        summary="write a network in another format",
        description="Read a network and write it in another format; the endings of the names\n"
        "say which.",
        examples=_EXAMPLES,
    )
    add_model_option(parser)
    parser.add_argument(
        "written",
        nargs="?",
        type=Path,
        metavar="FILE",
        help=f"network to write: {NETWORK_ENDINGS}; .gz or .xz behind it compresses",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the same, as other commands have it"
    )
    add_report_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Read and write."""
    if (options.written is None) == (options.output is None):
        options.misuse("give one file to write: baytree convert MODEL FILE")
    options.output = options.output or options.written
    output = checked_network_output(options.output, Path(options.model))
    network = read_model(options.model)
    network.write(output)
    print_size(network, options)
    return True
