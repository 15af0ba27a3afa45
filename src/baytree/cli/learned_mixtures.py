"""Mixtures of networks for `baytree learn`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import baytree as bt
from baytree.cli.options import given_settings, refuse_idle_options, whole_number
from baytree.cli.results import check_output, finite, print_json
from baytree.cli.startup import LeavingAtCtrlC
from baytree.messages.file_names import check_mixture_suffix
from baytree.messages.quoting import pluralize

MIXTURE_OPTIONS = ("n_components", "n_mixtures")
_SETTINGS = (
    *MIXTURE_OPTIONS,
    "max_treewidth",
    "time_limit",
    "max_iterations",
    "max_clique_states",
    "n_bins",
    "missing_values",
    "ignore",
)


def add_mixture_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that make a mixture of what is learned."""
    group = parser.add_argument_group("mixtures of networks")
    group.add_argument(
        "--n-components",
        type=_number_or_auto,
        metavar="N",
        help="learn a mixture of networks with N components, or auto: as many as describe the "
        "table best (auto with --n-mixtures)",
    )
    group.add_argument(
        "--n-mixtures",
        type=_number_or_auto,
        metavar="N",
        help="number of mixtures to average, or auto: 16, or 8 where rows have missing cells, "
        "but 1 if the components have a number",
    )


def is_mixture_wanted(options: argparse.Namespace) -> bool:
    """Return True if an option of mixtures was given."""
    return any(getattr(options, name) is not None for name in MIXTURE_OPTIONS)


def learn_mixture(options: argparse.Namespace, idle_options: tuple[str, ...]) -> bool:
    """Learn, write and summarise; return True if it was completed."""
    _refuse(options, idle_options)
    check_output(options.output, Path(options.table), check_suffix=check_mixture_suffix)
    with LeavingAtCtrlC():
        learner_class = bt.MixtureLearner  # loads pandas and more
    started = time.monotonic()
    learner = learner_class(
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=0 if options.quiet else 1,
    )
    learner.set_params(**given_settings(options, {name: name for name in _SETTINGS}))
    mixture = learner.fit(options.table).mixture_
    mixture.write(options.output)
    summary = {
        "n_variables": len(mixture.variables),
        "n_components": mixture.n_components,
        "treewidth": mixture.treewidth,
        "held_out_log_likelihood": finite(learner.held_out_),
        "seconds": round(time.monotonic() - started, 3),
        "is_interrupted": learner.is_interrupted_,
        "output": str(options.output),
    }
    if options.json:
        print_json(summary)
    elif not options.quiet:
        print("\n".join(_lines(summary)))
    return not learner.is_interrupted_


def _refuse(options: argparse.Namespace, idle_options: tuple[str, ...]) -> None:
    """Refuse options of networks; those that may be repeated are empty unless given."""
    reason = "not for a mixture, which --n-components or --n-mixtures ask for"
    given = [name for name in idle_options if getattr(options, name) not in (None, [])]
    refuse_idle_options(options, given, reason)
    if options.max_treewidth == "none":
        options.misuse("argument --max-treewidth: must be a whole number for a mixture; got none")


def _lines(summary: Mapping[str, Any]) -> list[str]:
    sizes = [pluralize(summary[f"n_{name}s"], name) for name in ("variable", "component")]
    held_out = summary["held_out_log_likelihood"]
    end = "" if held_out is None else f", held-out log-likelihood {held_out:,.4f} per row"
    interrupted = ", interrupted" if summary["is_interrupted"] else ""
    return [
        f"{', '.join(sizes)}, treewidth {summary['treewidth']}{end}",
        f"learned in {summary['seconds']:.1f} s{interrupted}",
        f"written to {summary['output']}",
    ]


def _number_or_auto(text: str) -> int | str:
    try:
        return text if text == "auto" else whole_number(1)(text)
    except argparse.ArgumentTypeError:
        message = f"must be auto, or a whole number of at least 1; got {text!r}"
        raise argparse.ArgumentTypeError(message) from None
