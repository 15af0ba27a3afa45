"""`baytree search`: search for the best structure among the parent sets of a cache."""

from __future__ import annotations

import argparse
import time
from collections.abc import Hashable, Iterable
from pathlib import Path

import baytree as bt
from baytree.cli.models import read_initial_network
from baytree.cli.options import (
    ARC_OPTIONS,
    LEARNING_OPTIONS,
    SEARCH_OPTIONS,
    Commands,
    add_command,
    add_option,
    add_options,
    refuse_idle_options,
)
from baytree.cli.results import check_output, print_summary
from baytree.cli.startup import LeavingAtCtrlC
from baytree.messages.file_names import check_structure_suffix, network_suffix
from baytree.vocabulary import CACHE_SEARCHES, DEFAULT_MISSING_VALUES

_TABLE_OPTIONS = ("missing_values", "n_bins", "equivalent_sample_size")

_EXAMPLES = """\
examples:
  baytree search cache.jkl -k 5 -t 60 -o network.json
  baytree search cache.jkl --table data.csv -t 60 -o network.bif
  baytree search cache.jkl.xz --search k-max --max-iterations 1000 -o network.json --json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "search",
        summary="find the best structure among given parent sets",
        description="Find the best structure of bounded treewidth among the parent sets of a\n"
        "cache, and write it to a file: as a structure alone (.json), or with probabilities\n"
        "from a table (--table). Ctrl-C writes the best found so far.",
        examples=_EXAMPLES,
    )
    parser.add_argument(
        "cache", metavar="CACHE", type=Path, help="cache to read: .jkl, .jkl.gz or .jkl.xz"
    )
    add_options(parser, "--output")
    _add_table_options(parser)
    for name in SEARCH_OPTIONS:
        changes = {"choices": CACHE_SEARCHES} if name == "--search" else {}
        add_option(parser, name, **changes)
    parser.add_argument(
        "--compat",
        choices=("blip",),
        metavar="PROGRAM",
        help="blip: at most K - 1 parents in k-max, k-greedy, s2 and s2+, as in BLIP",
    )
    add_options(parser, *ARC_OPTIONS, *LEARNING_OPTIONS)
    parser.set_defaults(**dict.fromkeys(_TABLE_OPTIONS), run=run)


def _add_table_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--table",
        type=Path,
        metavar="TABLE",
        help="table to estimate the probabilities from: the one that was scored",
    )
    add_options(parser, "--missing-values", "--n-bins", "--equivalent-sample-size")


def run(options: argparse.Namespace) -> bool:
    """Search, write and summarise; return True if it was completed."""
    if options.table is None:
        refuse_idle_options(options, _TABLE_OPTIONS, "only with --table")
    check_suffix = check_structure_suffix if options.table is None else network_suffix
    check_output(options.output, options.cache, options.table, check_suffix=check_suffix)
    with LeavingAtCtrlC():
        search_structure = bt.search_structure  # loads pandas and more
    started = time.monotonic()
    cache = bt.ParentSetCache.read(options.cache)
    left = None if options.time_limit is None else options.time_limit - (time.monotonic() - started)
    result = search_structure(
        cache,
        max_treewidth=options.max_treewidth,
        search=options.search,
        compat=options.compat,
        constraints=_constraints(cache, options),
        initial_network=read_initial_network(options.initial_network),
        time_limit=None if left is None else max(left, 0.001),
        max_iterations=options.max_iterations,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=0 if options.quiet else 1,
    )
    network = result.network if options.table is None else _with_probabilities(result, options)
    network.write(options.output)
    print_summary(
        network,
        options,
        search=options.search,
        n_iterations=result.n_iterations,
        seconds=time.monotonic() - started,
        is_interrupted=result.is_interrupted,
        is_proven=result.is_proven,
        score_bound=result.score_bound,
    )
    return not result.is_interrupted


def _with_probabilities(result: bt.SearchResult, options: argparse.Namespace) -> bt.BayesianNetwork:
    return bt.fit_parameters(
        result,
        options.table,
        equivalent_sample_size=options.equivalent_sample_size or 1.0,
        n_bins=options.n_bins or "auto",
        missing_values=options.missing_values or DEFAULT_MISSING_VALUES,
        n_jobs=options.n_jobs,
    )


def _named(cache: bt.ParentSetCache, words: Iterable[str]) -> list[Hashable]:
    """Return the variables with these names as text: those of a cache may be integers."""
    names = {str(name): name for name in cache.variables}
    return [names.get(word, word) for word in words]


def _arcs(cache: bt.ParentSetCache, pairs: Iterable[list[str]]) -> list[tuple[Hashable, Hashable]]:
    return [(parent, child) for parent, child in (_named(cache, pair) for pair in pairs)]


def _constraints(cache: bt.ParentSetCache, options: argparse.Namespace) -> bt.ArcConstraints:
    return bt.ArcConstraints(
        required=_arcs(cache, options.required),
        forbidden=_arcs(cache, options.forbidden),
        tiers=None if options.tiers is None else [_named(cache, tier) for tier in options.tiers],
        max_parents=options.max_parents,
    )
