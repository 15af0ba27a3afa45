"""The command `baytree`: parses the command line, runs a command, returns an exit code."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, TextIO

from baytree.cli import (
    convert,
    evaluate,
    explore,
    generate,
    impute,
    info,
    learn,
    predict,
    query,
    sample,
    score,
    search,
)
from baytree.cli.startup import INTERRUPTED
from baytree.exceptions import BaytreeError, BaytreeWarning

DONE, FAILED = 0, 1

_COMMANDS = (
    learn,
    impute,
    query,
    predict,
    explore,
    evaluate,
    sample,
    info,
    convert,
    generate,
    score,
    search,
)

_EXAMPLES = """\
examples:
  baytree impute incomplete.csv -o filled.csv
  baytree learn data.csv -k 5 -t 60 -o network.json
  baytree query network.json --evidence smoker=yes --target lung
  baytree explore network.json

baytree COMMAND --help shows the options of a command, with examples. Results go to stdout, notes
to stderr. Exit codes: 0 done, 1 failed, 2 misused, 130 interrupted.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after `baytree`; those of the process by default.

    Returns
    -------
    int
        0 done, 1 failed, 130 interrupted. Misuse ends in SystemExit with code 2. A pipe that was
        closed at the other end is a failure without a message.

    Examples
    --------
    >>> main(["score", "no_such_file.csv", "--output", "cache.jkl"])
    1
    """
    try:
        return _run(_parse(arguments))
    except BrokenPipeError:
        # The reader closed the pipe: nothing may try to write the rest at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_parser()
    if "_ARGCOMPLETE" in os.environ:  # set by the shell function of argcomplete
        _answer_the_shell(parser)
    try:
        options, unknown = parser.parse_known_args(arguments)
        if unknown:  # argparse would show the usage of no command in particular
            is_evidence = hasattr(options, "evidence") and all("=" in word for word in unknown)
            hint = " (repeat --evidence for each)" * is_evidence
            options.misuse(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return options
    except SystemExit:  # help was shown
        _flush_stdout()
        raise


def _answer_the_shell(parser: argparse.ArgumentParser) -> None:
    """Print the completions of an unfinished command line and exit."""
    from argcomplete import autocomplete
    from argcomplete.completers import FilesCompleter

    class FileNames(FilesCompleter):
        def __call__(self, prefix: str, **context: Any) -> list[str]:
            is_file = context["action"].metavar in ("CACHE", "FILE", "MODEL", "TABLE")
            return super().__call__(prefix) if is_file else []

    autocomplete(parser, always_complete_options=False, default_completer=FileNames())


def _run(options: argparse.Namespace) -> int:
    with warnings.catch_warnings():
        _turn_warnings_into_notes(quiet=options.quiet)
        try:
            is_done = options.run(options)
            _flush_stdout()
            return DONE if is_done else INTERRUPTED
        except BrokenPipeError:
            raise
        except KeyboardInterrupt:
            print("baytree: interrupted", file=sys.stderr)
            return INTERRUPTED
        except (BaytreeError, ValueError, OSError, ImportError, MemoryError) as error:
            if options.debug:
                raise
            print(f"baytree: error: {_sentence(error)}", file=sys.stderr)
            return FAILED


def _flush_stdout() -> None:
    """Raise an error in writing now, while it can still be reported."""
    if sys.stdout is not None:  # it was closed from the start
        sys.stdout.flush()


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="baytree",
        description="Bayesian networks of bounded treewidth from categorical tables.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "-V", "--version", action=_ShowVersion, nargs=0, help="show the version and exit"
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(commands)
    for own in commands.choices.values():
        own.set_defaults(misuse=own.error)
    return parser


class _ShowVersion(argparse.Action):
    """Looks up the version only on request: reading the package's metadata is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import baytree

        print(f"baytree {baytree.__version__}")
        parser.exit()


def _turn_warnings_into_notes(*, quiet: bool) -> None:
    shown = set[str]()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        note = str(message)
        if not quiet and note not in shown:
            print(f"baytree: note: {note}", file=sys.stderr)
        shown.add(note)

    warnings.simplefilter("always", BaytreeWarning)  # those of other packages stay hidden
    warnings.showwarning = show


def _sentence(error: BaseException) -> str:
    if isinstance(error, MemoryError) and not isinstance(error, BaytreeError):
        return "out of memory."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, UnicodeEncodeError):
        letters = error.object[error.start : error.end]
        return (
            f"stdout is encoded as {error.encoding}, which cannot hold {letters!a}. Set "
            "PYTHONIOENCODING=utf-8."
        )
    if isinstance(error, FileNotFoundError):  # from pyarrow, which gives the path alone
        return f"{error}: No such file or directory."
    return str(error)
