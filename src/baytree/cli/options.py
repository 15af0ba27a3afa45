"""Options that several commands share, so that they are called and explained alike."""

from __future__ import annotations

import argparse

from baytree.formats.missing_words import DEFAULT_MISSING_VALUES


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add the table to read and how to read it."""
    parser.add_argument(
        "table", metavar="TABLE", help="table to read: .csv, .tsv or .dat (also .gz), or .parquet"
    )
    parser.add_argument(
        "--missing-value",
        action="append",
        metavar="WORD",
        help="a word that means missing in a CSV file, beside the empty cell; may "
        f"be repeated (default: {' '.join(DEFAULT_MISSING_VALUES)})",
    )
    parser.add_argument(
        "--continuous",
        default="bin",
        metavar="POLICY",
        help="with numeric columns: bin (default) or error",
    )


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add what every command has."""
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="threads; -1 for all processors (default: 1)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of all random choices")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no notes")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
