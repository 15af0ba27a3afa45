"""Options that several commands share, and the readers of their values."""

from __future__ import annotations

import argparse
import contextlib
import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from baytree.vocabulary import (
    CONTINUOUS_POLICIES,
    CRITERIA,
    DEFAULT_MISSING_VALUES,
    NETWORK_SUFFIXES,
    SEARCHES,
)

NETWORK_FORMATS = f"{', '.join(NETWORK_SUFFIXES[:-1])} or {NETWORK_SUFFIXES[-1]}"
_BYTES_OF_UNIT = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001


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
        help=f"network to read: {NETWORK_FORMATS}; with the suffix .gz or .xz if compressed",
    )


def add_table_argument(
    parser: argparse.ArgumentParser, endings: str = ".csv, .tsv or .dat (also .gz), or .parquet"
) -> None:
    """Add the table to read."""
    parser.add_argument(
        "table",
        metavar="TABLE",
        help=f"table to read: {endings}; a CSV file is delimited by commas, or by the semicolons "
        "or tabs of its first line",
    )


def add_missing_values_option(parser: argparse.ArgumentParser, files: str = "a CSV file") -> None:
    """Add the words for missing cells of the table."""
    parser.add_argument(
        "--missing-values",
        action="append",
        metavar="WORD",
        help=f"a word for a missing cell in {files}, instead of the default ones; may be "
        f"repeated (default: {' '.join(DEFAULT_MISSING_VALUES)}). An empty cell is always missing",
    )


def add_continuous_option(parser: argparse.ArgumentParser) -> None:
    """Add the policy on numeric variables."""
    parser.add_argument(
        "--continuous",
        choices=CONTINUOUS_POLICIES,
        default="bin",
        metavar="POLICY",
        help="numeric variables: bin (default) or error",
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
        help=f"weight of the prior {what}, in rows (default: {default:g})",
    )


def add_output_option(parser: argparse.ArgumentParser, help: str, *, required: bool = True) -> None:
    """Add the file to write."""
    parser.add_argument("-o", "--output", required=required, type=Path, metavar="FILE", help=help)


def add_network_output_option(parser: argparse.ArgumentParser) -> None:
    """Add the file of a network, in any format."""
    add_output_option(
        parser, f"network to write: {NETWORK_FORMATS}; the suffix .gz or .xz compresses it"
    )


def add_arc_options(parser: argparse.ArgumentParser) -> None:
    """Add the constraints on arcs."""
    for name, verb in (("--required", "must"), ("--forbidden", "must not")):
        parser.add_argument(
            name,
            nargs=2,
            action="append",
            default=[],
            metavar=("PARENT", "CHILD"),
            help=f"an arc that the network {verb} have; may be repeated",
        )
    parser.add_argument(
        "--tiers",
        type=comma_separated,
        action="append",
        metavar="NAME,NAME",
        help="the variables of one tier; repeated for each tier, the earliest first. No arc leads "
        "to an earlier tier, and every variable is in one of them",
    )


def add_evidence_options(parser: argparse.ArgumentParser) -> None:
    """Add the evidence."""
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


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of structure search alone."""
    add_treewidth_option(parser, default=5)
    add_search_option(parser, default="anneal")
    add_time_option(parser, "time limit of the whole command")
    add_size_options(parser)
    parser.add_argument(
        "--initial-network",
        type=Path,
        metavar="FILE",
        help="network that anneal or hill-climb starts from",
    )


def add_treewidth_option(parser: argparse.ArgumentParser, *, default: int) -> None:
    """Add the bound of the treewidth."""
    parser.add_argument(
        "-k",
        "--max-treewidth",
        type=whole_number(1),
        default=default,
        metavar="K",
        help=f"largest treewidth (default: {default})",
    )


def add_search_option(parser: argparse.ArgumentParser, *, default: str) -> None:
    """Add the search algorithm."""
    parser.add_argument(
        "--search",
        choices=SEARCHES,
        default=default,
        metavar="NAME",
        help=f"{', '.join(SEARCHES[:-1])} or {SEARCHES[-1]} (default: {default})",
    )


def add_time_option(parser: argparse.ArgumentParser, help: str) -> None:
    """Add a time limit."""
    parser.add_argument("-t", "--time-limit", type=positive_number, metavar="SECONDS", help=help)


def add_size_options(parser: argparse.ArgumentParser) -> None:
    """Add the limits of a search other than time."""
    parser.add_argument(
        "--max-iterations",
        type=whole_number(1),
        metavar="N",
        help="largest number of iterations; unlike a time limit, reproducible for a seed",
    )
    parser.add_argument(
        "--max-parents",
        type=whole_number(1),
        metavar="N",
        help="largest number of parents of a variable (default: the treewidth)",
    )


def add_clique_states_option(parser: argparse.ArgumentParser) -> None:
    """Add the bound of joint states."""
    parser.add_argument(
        "--max-clique-states",
        type=positive_number,
        default=1_000_000,
        metavar="N",
        help="largest number of joint states of a clique (default: 1000000)",
    )


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that learns."""
    add_jobs_option(parser)
    add_seed_option(parser)
    add_report_options(parser)


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    """Add the number of threads."""
    parser.add_argument(
        "-j",
        "--n-jobs",
        type=thread_count,
        default=1,
        metavar="N",
        help="number of threads; -1 for all processors (default: 1)",
    )


def add_seed_option(parser: argparse.ArgumentParser) -> None:
    """Add the seed."""
    parser.add_argument(
        "--random-state",
        type=whole_number(0, 2**32 - 1),
        metavar="N",
        help="seed of all random choices",
    )


def add_report_options(
    parser: argparse.ArgumentParser, json_help: str = "print the summary as JSON"
) -> None:
    """Add the options on output to the terminal."""
    parser.add_argument("--json", action="store_true", help=json_help)
    parser.add_argument(
        "--quiet", action="store_true", help="no progress bar, no notes, no summary"
    )
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")


def refuse_idle_options(options: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """End with the usage if one of these was given; they are None by default."""
    for name in names:
        if getattr(options, name) is not None:
            options.misuse(f"argument --{name.replace('_', '-')}: {reason}")


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers that refuses those out of bounds."""

    def read(text: str) -> int:
        number = _integer(text)
        if number < least or (most is not None and number > most):
            bounds = f"at least {least}" if most is None else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"must be {bounds}; got {text}")
        return number

    return read


def positive_number(text: str) -> float:
    """Return the number that a word spells; refuse 0, negative ones, NaN and infinity."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number; got {text!r}") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number; got {text}")
    return number


def byte_count(text: str) -> int:
    """Return the number of bytes that a word spells: 500000, 500K, 8G."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if unit not in _BYTES_OF_UNIT or not number.isdecimal() or not int(number):
        raise argparse.ArgumentTypeError(
            f"must be a whole number of bytes, or one with K, M, G or T behind it; got {text!r}"
        )
    return int(number) * _BYTES_OF_UNIT[unit]


def assignment(form: str) -> Callable[[str], str]:
    """Return a reader of words of a form; whether there is such a name is seen later."""

    def read(text: str) -> str:
        if "=" not in text:
            raise argparse.ArgumentTypeError(f"must be {form}; got {text!r}")
        return text

    return read


def comma_separated(text: str) -> list[str]:
    """Return names between commas; a name that holds a comma stands in double quotes."""
    return next(csv.reader([text], skipinitialspace=True), [])


def thread_count(text: str) -> int:
    """Return a number of threads: positive, or -1 for all processors."""
    number = _integer(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must be positive, or -1 for all processors; got 0")
    return number


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        problem = f"must be a whole number; got {text!r}{_spelling(text)}"
        raise argparse.ArgumentTypeError(problem) from None


def _spelling(text: str) -> str:
    """Return how to write a whole number that was given as 1e6 or 5.0."""
    with contextlib.suppress(ValueError):
        if (number := float(text)).is_integer() and abs(number) < 1e18:
            return f". Write {number:.0f}"
    return ""
