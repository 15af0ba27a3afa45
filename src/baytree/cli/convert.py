"""`baytree convert`: write a network in another file format."""

from __future__ import annotations

import argparse
from pathlib import Path

from baytree.cli.models import read_network
from baytree.cli.options import (
    NETWORK_FORMATS,
    REPORT_OPTIONS,
    Commands,
    add_command,
    add_option,
    add_options,
)
from baytree.cli.results import check_output, print_size
from baytree.messages.file_names import network_suffix

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
        description="Read a network and write it in another format, by the suffix of the file.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model")
    parser.add_argument(
        "written",
        nargs="?",
        type=Path,
        metavar="FILE",
        help=f"network to write: {NETWORK_FORMATS}; the suffix .gz or .xz compresses it",
    )
    add_option(parser, "--output", required=False, help="the same as FILE")
    add_options(parser, *REPORT_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Read and write."""
    if (options.written is None) == (options.output is None):
        options.misuse("give one file to write: baytree convert MODEL FILE")
    options.output = options.output or options.written
    check_output(options.output, Path(options.model), check_suffix=network_suffix)
    network = read_network(options.model)
    network.write(options.output)
    print_size(network, options)
    return True
