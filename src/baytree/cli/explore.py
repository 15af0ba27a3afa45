"""`baytree explore`: show a network in the browser."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from baytree.cli.models import read_model_with_probabilities
from baytree.cli.options import (
    REPORT_OPTIONS,
    Commands,
    add_command,
    add_options,
    refuse_idle_options,
    whole_number,
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
        summary="show a network in the browser",
        description="Show a network or a mixture in the browser: click states to observe them,\n"
        "and see the posteriors of all variables. No request leaves this machine. Ctrl-C ends it.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model")
    parser.add_argument(
        "--table",
        type=Path,
        metavar="TABLE",
        help="table whose rows can be shown; their missing cells are imputed",
    )
    parser.add_argument(
        "--port",
        type=whole_number(0, 65535),
        default=0,
        metavar="N",
        help="port to listen on; 0 for any that is free (default: 0)",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address without opening a browser"
    )
    add_options(parser, "--missing-values", *REPORT_OPTIONS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Serve the page until Ctrl-C; return False, as interrupted."""
    if options.table is None:
        refuse_idle_options(options, ["missing_values"], "only with --table")
    with LeavingAtCtrlC():
        _refuse_without_server()
        import webbrowser

        from baytree.explorer.exploration import Exploration
        from baytree.explorer.server import serve
    network = read_model_with_probabilities(options.model)
    codes = None
    if options.table is not None:
        table = network.read_table(options.table, missing_values=options.missing_values)
        codes = network.state_codes(table)
    exploration = Exploration(network, codes, title=Path(options.model).name)
    try:
        exploration.prepare()
    except InferenceTooLargeError:
        raise InferenceTooLargeError(
            "The explorer needs exact inference, which for this network does not fit into memory: "
            f"its treewidth is {network.treewidth:,}. Learn a network of smaller treewidth, or "
            "query it approximately with baytree query --engine ijgp."
        ) from None

    def announce(address: str) -> None:
        print_json({"address": address}) if options.json else print(address)
        sys.stdout.flush()
        if not options.quiet:
            print("baytree: note: Ctrl-C ends the explorer", file=sys.stderr)
        if not options.no_browser:
            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):  # the usual end
        serve(exploration, port=options.port, when_ready=announce)
    return False


def _refuse_without_server() -> None:
    """Raise if a package that the explorer needs is missing."""
    from importlib.util import find_spec  # help must not wait for it

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"The explorer needs {' and '.join(missing)}. Install it with: "
            "pip install 'baytree[explore]'"
        )
