"""Options that several commands share, so that they are called and explained alike."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from baytree.cli.option_values import (
    assignment,
    comma_separated,
    positive_number,
    thread_count,
    whole_number,
)
from baytree.networks.files.network_endings import ENDINGS
from baytree.tables.missing_words import DEFAULT_MISSING_VALUES
from baytree.vocabulary import CRITERIA

NETWORK_ENDINGS = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(
    commands: Commands, name: str, *, summary: str, description: str, examples: str
) -> argparse.ArgumentParser:
    """Add a command whose help ends in examples, and return its parser."""
    return commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_model_option(parser: argparse.ArgumentParser) -> None:
    """Add the network to read."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help=f"network to read: {NETWORK_ENDINGS}, also with .gz or .xz behind it",
    )


def add_table_argument(
    parser: argparse.ArgumentParser, endings: str = ".csv, .tsv or .dat (also .gz), or .parquet"
) -> None:
    """Add the table to read."""
    parser.add_argument(
        "table",
        metavar="TABLE",
        help=f"table to read: {endings}; the cells of a CSV file stand between commas, or between "
        "the semicolons or tabs of its first line",
    )


def add_missing_value_option(parser: argparse.ArgumentParser, files: str = "a CSV file") -> None:
    """Add what means missing in the table."""
    parser.add_argument(
        "--missing-value",
        action="append",
        metavar="WORD",
        help=f"a word that means missing in {files}, beside the empty cell and in place of the "
        f"default ones; may be repeated (default: {' '.join(DEFAULT_MISSING_VALUES)})",
    )


def add_continuous_option(parser: argparse.ArgumentParser) -> None:
    """Add what to do with numbers."""
    parser.add_argument(
        "--continuous",
        choices=("bin", "error"),
        default="bin",
        metavar="POLICY",
        help="with numeric variables: bin (default) or error",
    )


def add_criterion_option(
    parser: argparse.ArgumentParser, choices: Sequence[str] = CRITERIA, more: str = ""
) -> None:
    """Add the criterion to maximise; the first choice is the default."""
    default, *others = choices
    names = [f"{default} (default)", *others]
    parser.add_argument(
        "--criterion",
        choices=choices,
        default=default,
        metavar="NAME",
        help=f"{', '.join(names[:-1])} or {names[-1]}{more}",
    )


def add_prior_option(parser: argparse.ArgumentParser, what: str, *, default: float = 1.0) -> None:
    """Add the weight of a prior."""
    parser.add_argument(
        "--equivalent-sample-size",
        type=positive_number,
        default=default,
        metavar="X",
        help=f"rows that the prior {what} is worth (default: {default:g})",
    )


def add_output_option(parser: argparse.ArgumentParser, what: str, ending: str) -> None:
    """Add where the result goes."""
    _add_file_to_write(
        parser,
        f"{what} to write: {ending}, or {ending}.gz and {ending}.xz for a compressed one",
    )


def add_network_output_option(parser: argparse.ArgumentParser) -> None:
    """Add where a network goes, in any format."""
    _add_file_to_write(
        parser, f"network to write: {NETWORK_ENDINGS}; .gz or .xz behind it compresses"
    )


def _add_file_to_write(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help=help)


def add_arc_options(parser: argparse.ArgumentParser) -> None:
    """Add the arcs that must or must not be there."""
    for name, verb in (("--require", "must"), ("--forbid", "must not")):
        parser.add_argument(
            name,
            nargs=2,
            action="append",
            default=[],
            metavar=("PARENT", "CHILD"),
            help=f"an arc that {verb} be there; may be repeated",
        )
    parser.add_argument(
        "--tier",
        type=comma_separated,
        action="append",
        metavar="NAME,NAME",
        help="variables that no variable of a later tier may lead to, separated by commas; one "
        "--tier a tier, the earliest first, all variables in one of them",
    )


def add_evidence_options(parser: argparse.ArgumentParser) -> None:
    """Add what is observed."""
    parser.add_argument(
        "--evidence",
        action="append",
        default=[],
        type=assignment("NAME=STATE"),
        metavar="NAME=STATE",
        help="an observed state; may be repeated",
    )
    parser.add_argument(
        "--likelihood",
        action="append",
        default=[],
        type=assignment("NAME=STATE:X,STATE:X"),
        metavar="NAME=STATE:X,STATE:X",
        help="virtual evidence: a likelihood for each state of a variable; may be "
        "repeated. States may hold commas",
    )


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add what every command that searches has."""
    add_jobs_option(parser)
    add_seed_option(parser)
    add_report_options(parser)


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    """Add the number of threads."""
    parser.add_argument(
        "--jobs",
        type=thread_count,
        default=1,
        metavar="N",
        help="threads; -1 for all processors (default: 1)",
    )


def add_seed_option(parser: argparse.ArgumentParser) -> None:
    """Add the seed."""
    parser.add_argument(
        "--seed",
        type=whole_number(0, 2**32 - 1),
        metavar="N",
        help="seed of all random choices",
    )


def add_report_options(
    parser: argparse.ArgumentParser, json_help: str = "print the summary as JSON"
) -> None:
    """Add how results are printed, and what else is said."""
    parser.add_argument("--json", action="store_true", help=json_help)
    add_quiet_options(parser)


def add_quiet_options(parser: argparse.ArgumentParser) -> None:
    """Add what every command has."""
    parser.add_argument(
        "--quiet", action="store_true", help="no progress bar, no notes, no summary"
    )
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
