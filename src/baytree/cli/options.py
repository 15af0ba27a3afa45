"""Options that several commands share, so that they are called and explained alike."""

from __future__ import annotations

import argparse
import contextlib
import csv
from collections.abc import Callable
from pathlib import Path

from baytree.formats.missing_words import DEFAULT_MISSING_VALUES

# As in baytree's modules, which help must not wait for: they load pandas.
SCORES = ("bic", "aic", "bdeu", "k2", "log-likelihood")
SEARCHES = ("anneal", "hill-climb", "chow-liu", "k-max", "k-greedy", "s2", "s2+", "exact")


def add_model_option(parser: argparse.ArgumentParser) -> None:
    """Add the network to read."""
    parser.add_argument("model", metavar="MODEL", help="network to read; its ending is the format")


def add_table_argument(parser: argparse.ArgumentParser) -> None:
    """Add the table to read."""
    parser.add_argument(
        "table", metavar="TABLE", help="table to read: .csv, .tsv or .dat (also .gz), or .parquet"
    )


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add the table to read and how to read it."""
    add_table_argument(parser)
    parser.add_argument(
        "--missing-value",
        action="append",
        metavar="WORD",
        help="a word that means missing in a CSV file, beside the empty cell; may "
        f"be repeated (default: {' '.join(DEFAULT_MISSING_VALUES)})",
    )
    parser.add_argument(
        "--continuous",
        choices=("bin", "error"),
        default="bin",
        metavar="POLICY",
        help="with numeric variables: bin (default) or error",
    )


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """Add which score, and its prior."""
    parser.add_argument(
        "--score",
        choices=SCORES,
        default="bic",
        metavar="NAME",
        help="bic (default), aic, bdeu, k2 or log-likelihood",
    )
    parser.add_argument(
        "--equivalent-sample-size",
        type=positive_number,
        metavar="X",
        help="weight of the prior, in rows; with --score bdeu only (default: 1)",
    )


def refuse_idle_prior(options: argparse.Namespace) -> None:
    """End with the usage if a prior was given to a score that has none."""
    if options.equivalent_sample_size is not None and options.score != "bdeu":
        options.misuse(
            f"argument --equivalent-sample-size: only bdeu has this prior, not {options.score}"
        )


def add_output_option(parser: argparse.ArgumentParser, what: str, ending: str) -> None:
    """Add where the result goes."""
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        metavar="FILE",
        help=f"{what} to write: {ending}, or {ending}.gz and {ending}.xz for a compressed one",
    )


def add_network_output_option(parser: argparse.ArgumentParser) -> None:
    """Add where a network goes, in any format."""
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        metavar="FILE",
        help="network to write; its ending is the format, .gz or .xz behind it compresses",
    )


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add how to search for a structure, and for how long."""
    parser.add_argument(
        "--treewidth",
        type=whole_number(1),
        default=5,
        metavar="K",
        help="largest treewidth (default: 5)",
    )
    parser.add_argument(
        "--search",
        choices=SEARCHES,
        default="anneal",
        metavar="NAME",
        help=f"{SEARCHES[0]} (default), {', '.join(SEARCHES[1:-1])} or {SEARCHES[-1]}",
    )
    parser.add_argument(
        "--time", type=positive_number, metavar="SECONDS", help="time limit for all of it"
    )
    parser.add_argument(
        "--max-iterations",
        type=whole_number(1),
        metavar="N",
        help="iterations at most; unlike a time limit it gives the same result for a seed",
    )
    parser.add_argument(
        "--max-parents",
        type=whole_number(1),
        metavar="N",
        help="largest number of parents of a variable (default: the treewidth)",
    )
    parser.add_argument(
        "--start", type=Path, metavar="FILE", help="network that anneal or hill-climb starts from"
    )


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
        type=_names,
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
        metavar="NAME=STATE",
        help="an observed state; may be repeated",
    )
    parser.add_argument(
        "--likelihood",
        action="append",
        default=[],
        metavar="NAME=STATE:X,STATE:X",
        help="virtual evidence: a likelihood for each state of a variable; may be repeated",
    )


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add what every command that searches has."""
    add_jobs_option(parser)
    add_seed_option(parser)
    add_report_options(parser, "print the summary as JSON")


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    """Add the number of threads."""
    parser.add_argument(
        "--jobs",
        type=_thread_count,
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


def add_report_options(parser: argparse.ArgumentParser, json_help: str) -> None:
    """Add how results are printed, and what else is said."""
    parser.add_argument("--json", action="store_true", help=json_help)
    add_quiet_options(parser)


def add_quiet_options(parser: argparse.ArgumentParser) -> None:
    """Add what every command has."""
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no notes")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")


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


def _names(text: str) -> list[str]:
    """Return names between commas; a name that holds a comma stands in double quotes."""
    return next(csv.reader([text], skipinitialspace=True), [])


def _thread_count(text: str) -> int:
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
