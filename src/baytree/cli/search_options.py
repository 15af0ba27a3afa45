"""Options of the commands that search for a structure: how, for how long, and with which limits."""

from __future__ import annotations

import argparse
from pathlib import Path

from baytree.cli.option_values import positive_number, whole_number
from baytree.vocabulary import SEARCHES


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add all of them that a command has which does nothing but search."""
    add_treewidth_option(parser, default=5)
    add_search_option(parser, default="anneal")
    add_time_option(parser, "time limit for all of it")
    add_size_options(parser)
    parser.add_argument(
        "--start", type=Path, metavar="FILE", help="network that anneal or hill-climb starts from"
    )


def add_treewidth_option(parser: argparse.ArgumentParser, *, default: int) -> None:
    """Add the bound of the treewidth."""
    parser.add_argument(
        "--treewidth",
        type=whole_number(1),
        default=default,
        metavar="K",
        help=f"largest treewidth (default: {default})",
    )


def add_search_option(parser: argparse.ArgumentParser, *, default: str) -> None:
    """Add which search to use."""
    parser.add_argument(
        "--search",
        choices=SEARCHES,
        default=default,
        metavar="NAME",
        help=f"{', '.join(SEARCHES[:-1])} or {SEARCHES[-1]} (default: {default})",
    )


def add_time_option(parser: argparse.ArgumentParser, help: str) -> None:
    """Add a limit of time."""
    parser.add_argument("--time", type=positive_number, metavar="SECONDS", help=help)


def add_size_options(parser: argparse.ArgumentParser) -> None:
    """Add the limits of a search other than time."""
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


def add_clique_states_option(parser: argparse.ArgumentParser) -> None:
    """Add the bound of joint states."""
    parser.add_argument(
        "--max-clique-states",
        type=positive_number,
        default=1_000_000,
        metavar="N",
        help="largest number of joint states of the variables in a bag (default: 1000000)",
    )
