"""`baytree query`: posterior distributions given evidence."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Hashable, Sequence
from typing import Any

import baytree as bt
from baytree.cli.models import Model, TypedLabels, read_model_with_probabilities
from baytree.cli.options import (
    EVIDENCE_OPTIONS,
    REPORT_OPTIONS,
    Commands,
    add_command,
    add_options,
    byte_count,
    refuse_idle_options,
    whole_number,
)
from baytree.cli.results import finite, print_json

_APPROXIMATION = ("i_bound", "max_sweeps")
_MAX_WHOLE = 50  # variables whose states are all printed

_SHORT_TABLE = (
    f"More than {_MAX_WHOLE} variables: only the most probable state of each is shown. Use "
    "--target for all states of one variable, or --json for all."
)

_EXAMPLES = """\
examples:
  baytree query model.bif --evidence smoker=yes --target lung
  baytree query model.bif --evidence smoker=yes --evidence xray=no --target lung --target bronc
  baytree query model.bif --likelihood xray=yes:0.8,no:0.3 --target lung --json
  baytree query model.bif --evidence smoker=yes --mpe
  baytree query model.bif --evidence smoker=yes --evidence lung=no --probability
  baytree query large.bif --evidence smoker=yes --engine ijgp --i-bound 8
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "query",
        summary="compute posterior distributions given evidence",
        description="Print the distribution of a variable given evidence, or that of every\n"
        f"variable without --target. With more than {_MAX_WHOLE} variables, only the most\n"
        "probable state of each is printed; --json has all states.",
        examples=_EXAMPLES,
    )
    add_options(parser, "model", *EVIDENCE_OPTIONS)
    _add_query_options(parser)
    _add_engine_options(parser)
    add_options(parser, *REPORT_OPTIONS)
    parser.set_defaults(run=run)


def _add_query_options(parser: argparse.ArgumentParser) -> None:
    query = parser.add_mutually_exclusive_group()
    query.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="NAME",
        help="query variable; if repeated, the joint distribution is printed",
    )
    query.add_argument(
        "--mpe",
        action="store_true",
        help="the most probable states of all variables together; of a mixture, those most "
        "probable with one component",
    )
    query.add_argument(
        "--probability", action="store_true", help="the probability of the evidence itself"
    )


def _add_engine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine",
        choices=("exact", "ijgp"),
        default="exact",
        metavar="NAME",
        help="exact (default), or ijgp: an approximation for networks too large for exact "
        "inference",
    )
    parser.add_argument(
        "--i-bound",
        type=whole_number(1),
        metavar="N",
        help="largest number of variables in a cluster of ijgp, less one; larger is more accurate "
        "and slower (default: 6)",
    )
    parser.add_argument(
        "--max-sweeps",
        type=whole_number(1),
        metavar="N",
        help="largest number of sweeps of ijgp, each of which sends all messages (default: 100)",
    )
    parser.add_argument(
        "--max-memory",
        type=byte_count,
        metavar="BYTES",
        help="memory limit of the query, such as 500000000, 500M or 8G (default: a quarter of the "
        "memory of the machine)",
    )


def run(options: argparse.Namespace) -> bool:
    """Answer the query and print the result."""
    if options.mpe and options.engine != "exact":
        options.misuse(f"argument --mpe: is exact only; got --engine {options.engine}")
    if options.engine != "ijgp":
        refuse_idle_options(options, _APPROXIMATION, "only with --engine ijgp")
    network = read_model_with_probabilities(options.model)
    labels = TypedLabels(network)
    evidence = labels.evidence(options.evidence, options.likelihood)
    settings = _inference_settings(options)
    if options.probability:
        answer, lines = _probability(network, evidence, settings)
    elif options.mpe:
        answer, lines = _most_probable(network, evidence, options.max_memory)
    elif options.target:
        targets = [labels.variable(text) for text in options.target]
        answer, lines = _posterior(network, targets, evidence, settings)
    else:
        answer, lines = _marginals(network, evidence, settings)
        if len(network.variables) > _MAX_WHOLE and not (options.json or options.quiet):
            print(f"baytree: note: {_SHORT_TABLE}", file=sys.stderr)
    print_json(answer) if options.json else print("\n".join(lines))
    return True


def _inference_settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of inference as keyword arguments of the methods of a network."""
    given = {name: getattr(options, name) for name in _APPROXIMATION}
    limits = {name: value for name, value in given.items() if value is not None}
    engine = bt.IJGP(**limits) if options.engine == "ijgp" else "exact"
    return {"engine": engine, "max_memory": options.max_memory}


def _probability(
    network: Model, evidence: dict[Hashable, object], settings: dict[str, Any]
) -> tuple[dict[str, object], list[str]]:
    logarithm = network.log_probability(evidence, **settings)
    probability = math.exp(logarithm)
    answer: dict[str, object] = {"probability": probability, "log_probability": finite(logarithm)}
    return answer, _table(
        [["probability", f"{probability:.6g}"], ["log probability", f"{logarithm:.6g}"]]
    )


def _most_probable(
    network: Model, evidence: dict[Hashable, object], max_memory: int | None
) -> tuple[dict[str, object], list[str]]:
    best = network.most_probable(evidence, max_memory=max_memory)
    assignment = {str(variable): state for variable, state in best.assignment.items()}
    answer: dict[str, object] = {
        "assignment": assignment,
        "log_probability": best.log_probability,
    }
    rows = [[variable, str(state)] for variable, state in assignment.items()]
    lines = [*_table(rows), f"log probability {best.log_probability:.6g}"]
    if isinstance(network, bt.NetworkMixture):
        n_components = network.n_components
        answer["max_log_probability"] = best.log_probability + math.log(n_components)
        lines.append(f"no states have more than {n_components:,} times this probability")
    return answer, lines


def _posterior(
    network: Model,
    targets: Sequence[Hashable],
    evidence: dict[Hashable, object],
    settings: dict[str, Any],
) -> tuple[dict[str, object], list[str]]:
    posterior = network.posterior([*targets], evidence, **settings)
    names = [str(target) for target in targets]
    rows = list(zip(posterior.index.tolist(), posterior.tolist(), strict=True))
    answer = {
        "targets": names,
        "posterior": [{"states": states, "probability": p} for states, p in rows],
    }
    body = [[*map(str, states), f"{p:.6g}"] for states, p in rows]
    lines = _table([[*names, "probability"], *body])
    if "mean" not in posterior.attrs:
        return answer, lines
    mean = posterior.attrs["mean"]
    return answer | {"mean": mean}, [*lines, f"mean {mean:.6g}"]


def _marginals(
    network: Model, evidence: dict[Hashable, object], settings: dict[str, Any]
) -> tuple[dict[str, object], list[str]]:
    entries, body = list[dict[str, object]](), list[list[str]]()
    is_whole = len(network.variables) <= _MAX_WHOLE
    for variable, marginal in network.marginals(evidence, **settings).items():
        states, probabilities = marginal.index.tolist(), marginal.tolist()
        entry = {"variable": variable, "states": states, "probabilities": probabilities}
        entries.append(entry)
        pairs = list(zip(states, probabilities, strict=True))
        shown = pairs if is_whole else [max(pairs, key=lambda pair: pair[1])]
        body += [[str(variable), str(state), f"{p:.6g}"] for state, p in shown]
    title = "state" if is_whole else "most probable state"
    return {"marginals": entries}, _table([["variable", title, "probability"], *body])


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns."""
    from rich.cells import cell_len  # help must not wait for it

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
