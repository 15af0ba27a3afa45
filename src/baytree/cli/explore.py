"""`baytree explore`: a network in the browser."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
import webbrowser
from pathlib import Path

import baytree as bt
from baytree.cli.options import add_model_option, add_quiet_options, whole_number
from baytree.cli.startup import leaving_at_ctrl_c

_EXAMPLES = """\
examples:
  baytree explore model.bif
  baytree explore model.bif --table rows.csv --port 8080 --no-browser
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the options of this command."""
    parser = commands.add_parser(
        "explore",
        help="look at a network in the browser",
        description="Show a network in the browser: click states to observe them, and see what\n"
        "follows for all variables. No request leaves this machine. Ctrl-C ends it.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_option(parser)
    parser.add_argument(
        "--table",
        type=Path,
        metavar="TABLE",
        help="table whose rows can be loaded; their gaps are filled",
    )
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
    add_quiet_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Serve the page until Ctrl-C; return False, for that is how it ends."""
    with leaving_at_ctrl_c():
        _refuse_without_server()
        from baytree.explorer.exploration import Exploration
        from baytree.explorer.server import serve
        from baytree.explorer.table_rows import table_codes
    network = bt.read_network(options.model)
    codes = None if options.table is None else table_codes(network, options.table)
    exploration = Exploration(network, codes, title=Path(options.model).name)
    exploration.prepare()

    def announce(address: str) -> None:
        print(address, flush=True)
        if not options.quiet:
            print("baytree: note: Ctrl-C ends the explorer", file=sys.stderr)
        if not options.no_browser:
            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it
        serve(exploration, port=options.port, when_ready=announce)
    return False


def _refuse_without_server() -> None:
    """Say which packages the explorer needs, if they are not there."""
    lacking = [name for name in ("starlette", "uvicorn") if importlib.util.find_spec(name) is None]
    if lacking:
        raise ImportError(
            f"The explorer needs {' and '.join(lacking)}. Install it with: "
            "pip install 'baytree[explore]'"
        )
