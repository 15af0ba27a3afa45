"""`baytree demo`: holes in handwritten digits, filled and shown on a page."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from baytree.cli.option_values import whole_number
from baytree.cli.options import Commands, add_command, add_report_options
from baytree.cli.results import print_json
from baytree.cli.startup import LeavingAtCtrlC

_EXAMPLES = """\
examples:
  baytree demo -o shown
  baytree demo --images 600 --seed 1 --json
"""

# As in baytree.digits_demo.digits, which help must not wait for.
_LEAST_IMAGES, _N_IMAGES = 100, 1797


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "demo",
        summary="fill holes in handwritten digits, and show it on a page",
        description="Hide pixels of the handwritten digits that come with scikit-learn, learn\n"
        "networks from what is left, fill the holes, and write a page with pictures\n"
        "and figures. It takes about a minute, and asks nothing of the internet.",
        examples=_EXAMPLES,
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("demo"),
        metavar="FOLDER",
        help="folder for the page and its pictures (default: demo)",
    )
    parser.add_argument(
        "--images",
        type=whole_number(_LEAST_IMAGES, _N_IMAGES),
        default=_N_IMAGES,
        metavar="N",
        help=f"use the first N images, for a quicker look (default: {_N_IMAGES}, all)",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, 2**31 - 1),
        default=0,
        metavar="N",
        help="seed of all random choices, the holes too (default: 0)",
    )
    add_report_options(parser, "print the figures as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Run it all and print what was found."""
    with LeavingAtCtrlC():
        _refuse_without_matplotlib()
        from baytree.digits_demo.demo import PAGE, run_demo
        from baytree.digits_demo.report import report_figures, report_lines
    with _stage_line(shown=not options.quiet) as tell:
        findings = run_demo(options.output, n_images=options.images, seed=options.seed, tell=tell)
    page = options.output / PAGE
    if options.json:
        print_json(report_figures(findings) | {"page": str(page)})
    elif not options.quiet:
        print("\n".join(report_lines(findings, page)))
    return True


@contextlib.contextmanager
def _stage_line(*, shown: bool) -> Iterator[Callable[[str], None]]:
    """Yield what shows the stage on a terminal, and does nothing elsewhere."""
    if not shown or not sys.stderr.isatty():
        yield lambda stage: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda stage: status.update(f"{stage} ...")


def _refuse_without_matplotlib() -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise ImportError(
            "The demo draws with matplotlib, which is not installed. Install it with: "
            "pip install 'baytree[plot]'"
        )
