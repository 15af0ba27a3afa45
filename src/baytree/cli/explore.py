"""`baytree explore`: a network in the browser."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from baytree.cli.model_reading import read_model
from baytree.cli.option_values import refuse_idle_options, whole_number
from baytree.cli.options import (
    Commands,
    add_command,
    add_missing_value_option,
    add_model_option,
    add_report_options,
)
from baytree.cli.results import print_json
from baytree.cli.startup import LeavingAtCtrlC
from baytree.exceptions import InferenceTooLargeError

_EXAMPLES = """\
examples:
  baytree explore model.bif
  baytree explore model.bif --table rows.csv --port 8080 --no-browser
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "explore",
        summary="look at a network in the browser",
        description="Show a network in the browser: click states to observe them, and see what\n"
        "follows for all variables. No request leaves this machine. Ctrl-C ends it.",
        examples=_EXAMPLES,
    )
    add_model_option(parser)
    parser.add_argument(
        "--table",
        type=Path,
        metavar="TABLE",
        help="table whose rows can be loaded; their gaps are filled",
    )
    add_missing_value_option(parser)
    parser.add_argument(
        "--port",
        type=whole_number(0, 65535),
        default=0,
        metavar="N",
        help="port to listen on; 0 for any that is free (default: 0)",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, but open no browser"
    )
    add_report_options(parser, "print the address as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Serve the page until Ctrl-C; return False, for that is how it ends."""
    if options.table is None:
        refuse_idle_options(options, ["missing_value"], "only with --table, which it is about")
    with LeavingAtCtrlC():
        _refuse_without_server()
        import webbrowser

        from baytree.explorer.exploration import Exploration
        from baytree.explorer.server import serve
        from baytree.networks.row_files import network_codes
    network = read_model(options.model)
    codes = None
    if options.table is not None:
        codes = network_codes(network, options.table, missing_values=options.missing_value)
    exploration = Exploration(network, codes, title=Path(options.model).name)
    try:
        exploration.prepare()
    except InferenceTooLargeError:
        raise InferenceTooLargeError(
            "The explorer needs exact answers, and those of this network do not fit into memory: "
            f"its treewidth is {network.treewidth:,}. Learn a network of smaller treewidth, or ask "
            "for one variable at a time with baytree query --engine ijgp."
        ) from None

    def announce(address: str) -> None:
        print_json({"address": address}) if options.json else print(address)
        sys.stdout.flush()
        if not options.quiet:
            print("baytree: note: Ctrl-C ends the explorer", file=sys.stderr)
        if not options.no_browser:
            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it
        serve(exploration, port=options.port, when_ready=announce)
    return False


def _refuse_without_server() -> None:
    """Say which packages the explorer needs, if they are not there."""
    from importlib.util import find_spec  # help must not wait for it

    lacking = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if lacking:
        raise ImportError(
            f"The explorer needs {' and '.join(lacking)}. Install it with: "
            "pip install 'baytree[explore]'"
        )
