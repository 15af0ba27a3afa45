"""`baytree learn`: learn a network of bounded treewidth from a table."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import baytree as bt
from baytree.cli.learned_mixtures import (
    add_mixture_options,
    is_mixture_wanted,
    learn_mixture,
)
from baytree.cli.models import read_initial_network
from baytree.cli.options import (
    ARC_OPTIONS,
    EM_OPTIONS,
    LEARNER_SETTINGS,
    LEARNING_OPTIONS,
    SEARCH_OPTIONS,
    Commands,
    add_command,
    add_option,
    add_options,
    any_of,
    comma_separated_text,
    fraction,
    given_settings,
    refuse_idle_options,
    whole_number_or_none,
)
from baytree.cli.results import check_output, print_summary, refuse_equal_outputs
from baytree.cli.startup import LeavingAtCtrlC
from baytree.messages.file_names import network_suffix
from baytree.runtime.atomic_files import replaced_file
from baytree.vocabulary import EDGE_RULES, EDGE_TESTS

if TYPE_CHECKING:
    import pandas as pd

_EDGE_OPTIONS = ("rule", "alpha", "budget_share", "phantom_state", "rounded_p_values", "edges")

# Options that mean nothing for a mixture.
_NETWORK_OPTIONS = (
    *_EDGE_OPTIONS,
    *(
        name
        for name in LEARNER_SETTINGS
        if name not in ("n_bins", "ignore", "max_iterations", "max_clique_states")
    ),
    "max_parents",
    "initial_network",
    "required",
    "forbidden",
    "tiers",
    "preset",
)
SETTINGS = LEARNER_SETTINGS | {
    name: name for name in ("max_treewidth", "time_limit", "missing_values")
}

_EXAMPLES = """\
examples:
  baytree learn data.csv -k 5 -t 60 -o network.json
  baytree learn data.parquet -j -1 --random-state 0 --max-iterations 1000000 -o network.json.gz
  baytree learn data.csv --search hill-climb --tiers age,sex --tiers smoker,cancer -o network.json
  baytree learn data.csv --initial-network network.json -t 600 -o better.json
  baytree learn incomplete.csv --preset sem-kmax --effort 5 -o network.json
  baytree learn data.csv --n-components auto -t 600 -o mixture.json
  baytree learn data.csv --search chordalysis -k none --edges edges.csv -o network.json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "learn",
        summary="learn a network of bounded treewidth from a table",
        description="Learn the structure of a network of bounded treewidth from a table, or a\n"
        "mixture of networks, and write it to a file. Ctrl-C writes the best found so far.",
        examples=_EXAMPLES,
    )
    add_options(parser, "table", "--missing-values", "--ignore", "--n-bins", "--output")
    add_option(
        parser,
        "--max-treewidth",
        type=whole_number_or_none(0),
        help="largest treewidth; 0 for a mixture alone, none, with chordalysis, for no bound "
        "(default: {default})",
    )
    add_options(parser, *[name for name in SEARCH_OPTIONS if name != "--max-treewidth"])
    add_mixture_options(parser)
    _add_edge_options(parser)
    add_options(parser, "--max-clique-states", "--criterion", "--equivalent-sample-size")
    add_options(parser, *ARC_OPTIONS, "--preset", *EM_OPTIONS, *LEARNING_OPTIONS)
    parser.set_defaults(**dict.fromkeys(SETTINGS), run=run)


def _add_edge_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("selection of edges (--search chordalysis)")
    group.add_argument(
        "--rule",
        choices=EDGE_RULES,
        metavar="NAME",
        help=f"what an edge must pass: {any_of(EDGE_RULES)} (default: smt)",
    )
    group.add_argument(
        "--alpha",
        type=fraction,
        metavar="X",
        help=f"familywise error rate of the rule {any_of(EDGE_TESTS)} (default: 0.05)",
    )
    group.add_argument(
        "--budget-share",
        type=fraction,
        metavar="X",
        help="fraction of the budget that an edge costs by the rule budget-share (default: 0.01)",
    )
    group.add_argument(
        "--phantom-state",
        action="store_true",
        default=None,
        help="one more state per variable in the degrees of freedom, as in the authors' program",
    )
    group.add_argument(
        "--rounded-p-values",
        action="store_true",
        default=None,
        help="p values in multiples of 2**-53, as in the authors' program",
    )
    group.add_argument(
        "--edges",
        type=Path,
        metavar="FILE",
        help="CSV file to write the edges and their tests to, in the order of selection",
    )


def _check_edge_options(options: argparse.Namespace) -> None:
    """Refuse options that the search or its rule does not use, and files that clash."""
    if options.search != "chordalysis":
        refuse_idle_options(options, _EDGE_OPTIONS, "only with --search chordalysis")
    rule = options.rule or "smt"
    if rule not in EDGE_TESTS:
        refuse_idle_options(options, ("alpha",), f"only with --rule {any_of(EDGE_TESTS)}")
    if rule != "budget-share":
        refuse_idle_options(options, ("budget_share",), "only with --rule budget-share")
    if options.edges is not None:
        check_output(options.edges, Path(options.table))
        refuse_equal_outputs([options.output, options.edges])


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of the learner that were given."""
    settings = given_settings(options, SETTINGS)
    given = {name: getattr(options, name) for name in _EDGE_OPTIONS if name != "edges"}
    given = {name: value for name, value in given.items() if value is not None}
    return settings | ({"search": bt.Chordalysis(**given)} if given else {})


def _write_edges(path: Path, edges: pd.DataFrame) -> None:
    """Write the table of edges; the names of a separator are a row of CSV in one cell."""
    separators = edges["separator"].map(comma_separated_text)
    with replaced_file(path) as stream:
        stream.write(edges.assign(separator=separators).to_csv(index=False).encode())


def run(options: argparse.Namespace) -> bool:
    """Learn, write and summarise; return True if it was completed."""
    if is_mixture_wanted(options):
        return learn_mixture(options, _NETWORK_OPTIONS)
    if options.max_treewidth == 0:
        options.misuse("argument -k/--max-treewidth: must be at least 1; got 0")
    check_output(options.output, Path(options.table), check_suffix=network_suffix)
    _check_edge_options(options)
    with LeavingAtCtrlC():
        network_learner = bt.NetworkLearner  # loads pandas and more
    started = time.monotonic()
    learner = network_learner.preset(options.preset) if options.preset else network_learner()
    learner.set_params(
        constraints=bt.ArcConstraints(
            options.required, options.forbidden, options.tiers, options.max_parents
        ),
        initial_network=read_initial_network(options.initial_network),
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=0 if options.quiet else 1,
        **_settings(options),
    ).fit(options.table)
    learner.network_.write(options.output)
    if options.edges is not None:
        _write_edges(options.edges, learner.p_values_)
    print_summary(
        learner.network_,
        options,
        search=options.search or str(learner.search),
        n_iterations=learner.n_iterations_,
        seconds=time.monotonic() - started,
        is_interrupted=learner.is_interrupted_,
        is_proven=learner.is_proven_,
        score_bound=learner.score_bound_,
        n_em_iterations=max(len(learner.em_history_) - 1, 0),  # the first row is the start
    )
    return not learner.is_interrupted_
