"""`baytree impute`: fill the missing cells of a table."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import baytree as bt
from baytree.cli.models import read_model_with_probabilities
from baytree.cli.options import (
    EM_OPTIONS,
    LEARNER_SETTINGS,
    LEARNING_OPTIONS,
    Commands,
    add_command,
    add_option,
    add_options,
    any_of,
    given_settings,
    refuse_idle_options,
    whole_number,
)
from baytree.cli.results import check_output, print_json, refuse_equal_outputs
from baytree.cli.startup import LeavingAtCtrlC
from baytree.cli.written_tables import write_table
from baytree.messages.file_names import check_imputer_suffix
from baytree.messages.quoting import pluralize
from baytree.vocabulary import (
    CACHE_SEARCHES,
    COMPLETIONS,
    CRITERIA,
    IMPUTATIONS,
    UNKNOWN_POLICIES,
    WRITTEN_TABLE_SUFFIXES,
)

if TYPE_CHECKING:
    from baytree import BayesianNetworkImputer

MEASURES = ("accuracy", "mode_accuracy", "normalized_rmse", "mean_normalized_rmse")  # of a report
# Settings that a stored imputer brings along: their options are None unless given.
OWN_SETTINGS = (
    "missing_values",
    "max_treewidth",
    "completion",
    "n_networks",
    "regressions",
    "tune",
    "time_limit",
)
NOT_WITH_MODEL = (
    "imputer",
    "probabilities",
    "samples",
    "save",
    "max_treewidth",
    "n_networks",
    "regressions",
    "tune",
    "time_limit",
    "max_parents",
    "random_state",
    "preset",
    *LEARNER_SETTINGS,
)
LEARNING_SETTINGS = (*OWN_SETTINGS, *LEARNER_SETTINGS, "preset")

_EXAMPLES = """\
examples:
  baytree impute incomplete.csv -o filled.csv
  baytree impute incomplete.csv -o filled.csv --samples 5 --probabilities cells.csv --report
  baytree impute incomplete.parquet -o filled.parquet --n-networks 10 -j -1 --save imputer.json
  baytree impute people.csv -o filled.csv --ignore name --missing-values - --missing-values NA
  baytree impute new.csv -o new_filled.csv --imputer imputer.json
  baytree impute new.csv -o new_filled.csv --model mixture.json
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "impute",
        summary="fill the missing cells of a table",
        description="Fill the missing cells of a table with their most probable states given the\n"
        "observed ones. A network is learned from the whole table, which is then filled in\n"
        "chunks. A CSV file is read once. Observed cells stay as they are written.",
        examples=_EXAMPLES,
    )
    add_option(parser, "table", help=f"table to read: {any_of(WRITTEN_TABLE_SUFFIXES)}")
    _add_output_options(parser)
    _add_reading_options(parser)
    _add_learning_options(parser)
    _add_averaging_options(parser)
    add_options(parser, *LEARNING_OPTIONS)
    parser.set_defaults(**dict.fromkeys(LEARNING_SETTINGS), run=run)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    add_option(
        parser,
        "--output",
        help=f"table to write, in the format of TABLE: {any_of(WRITTEN_TABLE_SUFFIXES)}",
    )
    parser.add_argument(
        "--probabilities",
        type=Path,
        metavar="FILE",
        help="write the distribution of every missing cell as CSV: row, variable, state, "
        "probability",
    )
    parser.add_argument(
        "--samples",
        type=whole_number(1),
        metavar="N",
        help="draw N imputed tables as well, into FILE.1.csv, FILE.2.csv, ...",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="hide 5 %% of the observed cells, impute them, and print the fraction of states "
        "that is right and the error of numbers",
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the imputer, as .json")


def _add_reading_options(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "--missing-values", "--ignore", "--n-bins")
    parser.add_argument(
        "--imputer",
        type=Path,
        metavar="FILE",
        help="use an imputer that --save wrote; nothing is learned, except for --report",
    )
    parser.add_argument(
        "--model",
        type=Path,
        metavar="FILE",
        help="fill by a network or a mixture of networks, such as baytree learn writes; nothing is "
        "learned",
    )
    parser.add_argument(
        "--handle-unknown",
        choices=UNKNOWN_POLICIES,
        default="error",
        metavar="POLICY",
        help="states that the imputer does not know: error (default) or missing",
    )


def _add_learning_options(parser: argparse.ArgumentParser) -> None:
    add_option(parser, "--max-treewidth", default=6)
    add_option(parser, "--search", choices=CACHE_SEARCHES, default="hill-climb")
    add_option(parser, "--time-limit", help="time limit of learning")
    add_options(parser, "--max-iterations", "--max-parents", "--max-clique-states")
    add_option(
        parser,
        "--criterion",
        choices=("auto", *CRITERIA),
        default="auto",
        help="criterion to maximise: {choices}; auto is aic, or ebic with at most four rows per "
        "variable (default: {default})",
    )
    add_option(parser, "--equivalent-sample-size", default=10.0)
    add_option(parser, "--preset")
    for name in EM_OPTIONS:
        changes = {"default": 3} if name == "--max-structure-updates" else {}
        add_option(parser, name, **changes)


def _add_averaging_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--completion",
        choices=IMPUTATIONS,
        metavar="NAME",
        help="independent (default): the most probable state of each cell, and the mean of a "
        "number; median: the median of a number; joint: the most probable states of all missing "
        "cells of a row",
    )
    parser.add_argument(
        "--n-networks",
        type=_number_of_networks,
        metavar="N",
        help="number of networks whose posteriors are averaged, or auto: 20 with at most one "
        "row per variable, 10 with at most four, else 5 (default: 5)",
    )
    parser.add_argument(
        "--regressions",
        action=argparse.BooleanOptionalAction,
        help="average with regressions of each variable on all others, weighted by held-out cells "
        "(default: yes)",
    )
    parser.add_argument(
        "--tune",
        action="store_true",
        help="choose the criterion and the prior on held-out cells; slower",
    )


def _number_of_networks(text: str) -> int | str:
    try:
        return text if text == "auto" else whole_number(1)(text)
    except argparse.ArgumentTypeError:
        message = f"must be auto, or a whole number of at least 1; got {text!r}"
        raise argparse.ArgumentTypeError(message) from None


def run(options: argparse.Namespace) -> bool:
    """Learn, fill, write and summarise; return True if it was completed."""
    if options.imputer is not None:
        refuse_idle_options(
            options, LEARNING_SETTINGS, "not with --imputer, which has its own setting"
        )
    if options.model is not None:
        return _impute_by_model(options)
    source = Path(options.table)
    ending = _ending(source)
    outputs = _checked_outputs(options, source, ending)
    with LeavingAtCtrlC():
        imputer_class = bt.BayesianNetworkImputer  # loads pandas and more
        from baytree.runtime.progress import one_clock
    started = time.monotonic()
    with one_clock():
        imputer, filled = _impute(imputer_class, options, source, outputs)
        report = imputer.report(source if options.imputer else None) if options.report else None
    if options.save is not None:  # last, as not every state can be stored
        imputer.write(options.save)
    summary = {
        "n_rows": filled.n_rows,
        "n_missing": filled.n_missing,
        "seconds": round(time.monotonic() - started, 3),
        "is_interrupted": imputer.is_interrupted_,
        "chosen": imputer.chosen_,
        "n_networks": len(imputer.networks_),
        "model_weights": imputer.model_weights_,
        "output": str(options.output),
    }
    if report is not None:
        found = {name: getattr(report, name) for name in MEASURES}
        summary |= {name: None if math.isnan(own) else own for name, own in found.items()}
    _print_summary(summary, report, _models_in_words(imputer), options)
    return not imputer.is_interrupted_


def _impute_by_model(options: argparse.Namespace) -> bool:
    """Fill by the network or mixture of a file, write and summarise; return True."""
    reason = "not with --model, which fills the cells alone"
    refuse_idle_options(options, NOT_WITH_MODEL, reason)
    if options.report:
        options.misuse(f"argument --report: {reason}")
    if options.completion not in (None, *COMPLETIONS):
        options.misuse(f"argument --completion: must be {any_of(COMPLETIONS)} with --model")
    if options.handle_unknown != "error":
        options.misuse("argument --handle-unknown: must be error with --model")
    source = Path(options.table)
    output = _checked_outputs(options, source, _ending(source))[0]
    check_output(output, options.model)
    model = read_model_with_probabilities(options.model)
    started = time.monotonic()
    table = model.read_table(source, missing_values=options.missing_values)
    completion: Any = options.completion or "independent"
    filled = model.impute(table, completion=completion, n_jobs=options.n_jobs)
    write_table(filled, output)
    known = [name for name in table.columns if name in model.variables]
    summary = {
        "n_rows": len(table),
        "n_missing": int(table[known].isna().to_numpy().sum()),
        "seconds": round(time.monotonic() - started, 3),
        "output": str(output),
    }
    if options.json:
        print_json(summary)
    elif not options.quiet:
        print(
            f"{summary['n_missing']:,} missing cells of {summary['n_rows']:,} rows filled in "
            f"{summary['seconds']:.1f} s by {model}\nwritten to {output}"
        )
    return True


def _impute(
    imputer_class: type[BayesianNetworkImputer],
    options: argparse.Namespace,
    source: Path,
    outputs: Sequence[Path],
) -> tuple[BayesianNetworkImputer, Any]:
    if options.imputer is None:
        imputer = _new_imputer(imputer_class, options)
        impute_file = imputer.fit_transform_file
    else:
        imputer = _read_imputer(imputer_class, options)
        impute_file = imputer.transform_file
    filled = impute_file(
        source, outputs[0], samples=outputs[1:], probabilities=options.probabilities
    )
    return imputer, filled


def _read_imputer(
    imputer_class: type[BayesianNetworkImputer], options: argparse.Namespace
) -> BayesianNetworkImputer:
    imputer = imputer_class.read(options.imputer)
    imputer.set_params(handle_unknown=options.handle_unknown, n_jobs=options.n_jobs)
    if options.random_state is not None:
        imputer.set_params(random_state=options.random_state)
    return imputer


def _new_imputer(
    imputer_class: type[BayesianNetworkImputer], options: argparse.Namespace
) -> BayesianNetworkImputer:
    imputer = imputer_class.preset(options.preset) if options.preset else imputer_class()
    own = {name: name for name in OWN_SETTINGS}
    of_learner = {name: f"learner__{setting}" for name, setting in LEARNER_SETTINGS.items()}
    if options.max_parents is not None:
        constraints = bt.ArcConstraints(max_parents=options.max_parents)
        imputer.set_params(learner__constraints=constraints)
    return imputer.set_params(
        handle_unknown=options.handle_unknown,
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        verbose=0 if options.quiet else 1,
        **given_settings(options, own | of_learner),
    )


def _ending(path: Path) -> str:
    ending = next(
        (e for e in reversed(WRITTEN_TABLE_SUFFIXES) if path.name.lower().endswith(e)), None
    )
    if ending is None:
        known = ", ".join(WRITTEN_TABLE_SUFFIXES)
        raise ValueError(f"{path}: the name of a table to impute must end in {known}.")
    return ending


def _checked_outputs(options: argparse.Namespace, source: Path, ending: str) -> list[Path]:
    """Return the files of the filled table and of the samples, all of which can be written."""
    output: Path = options.output
    kinds = {e.removesuffix(".gz") for e in (ending, _ending(output))}
    if len(kinds) > 1:
        raise ValueError(f"{output} must end as the table does, in {ending}.")
    own = _ending(output)
    base = output.name[: -len(own)]
    samples = [output.with_name(f"{base}.{i + 1}{own}") for i in range(options.samples or 0)]
    extra = [path for path in (options.probabilities, options.save) if path is not None]
    for path in (output, *samples, *extra):
        check_output(path, source, options.imputer)
    refuse_equal_outputs([output, *samples, *extra])
    if options.save is not None:
        check_imputer_suffix(options.save)
    return [output, *samples]


def _models_in_words(imputer: BayesianNetworkImputer) -> str:
    networks = pluralize(len(imputer.networks_), "network")
    has_regressions = imputer.model_weights_["regressions"] > 0
    is_pooled = has_regressions and imputer.completion != "joint"
    return f"{networks} and regressions" if is_pooled else networks


def _print_summary(
    summary: dict[str, Any], report: Any, models: str, options: argparse.Namespace
) -> None:
    if options.json:
        print_json(summary)
        return
    if report is not None:
        print(report, end="\n\n")
    if not options.quiet:
        chosen = summary["chosen"]
        print(
            f"{summary['n_missing']:,} missing cells of {summary['n_rows']:,} rows filled in "
            f"{summary['seconds']:.1f} s by {models} (criterion {chosen['criterion']}, prior of "
            f"{chosen['equivalent_sample_size']:g} rows)\nwritten to {options.output}"
        )
