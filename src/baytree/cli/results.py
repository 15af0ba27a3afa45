"""Results of commands: output files, checked before the work, and summaries on stdout."""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from baytree.messages.quoting import pluralize

if TYPE_CHECKING:
    from baytree import BayesianNetwork

PROVING_SEARCHES = ("exact", "s2+")


def check_output(
    output: Path, *sources: Path | None, check_suffix: Callable[[Path], object] | None = None
) -> None:
    """Raise if a file cannot be written, or is one of those to read."""
    if output.name == "-":
        raise ValueError("This result cannot go to stdout. Give the name of a file to write.")
    path = output.resolve()
    folder = path.parent
    if not folder.is_dir():
        raise ValueError(f"{output} cannot be written: there is no folder {folder}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise ValueError(
            f"{output} cannot be written: you may not write to the folder {folder}. "
            "Give another one."
        )
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{output} cannot be written: it is not an ordinary file. Give another name."
        )
    if path in [source.resolve() for source in sources if source is not None]:
        raise ValueError(
            f"{output} is also the file to read. Give another name for the file to write."
        )
    if check_suffix is not None:
        check_suffix(output)


def refuse_equal_outputs(outputs: Iterable[Path]) -> None:
    """Raise if two of the files to write are the same."""
    seen: set[Path] = set()
    for path in outputs:
        if path.resolve() in seen:
            raise ValueError(f"{path} would be written twice. Give each output its own name.")
        seen.add(path.resolve())


def print_json(result: object) -> None:
    """Print a result as one line of JSON, in ASCII, which every stdout can encode."""
    print(json.dumps(result, allow_nan=False, default=str))


def finite(number: float) -> float | None:
    """Return the number, or None for infinity and NaN, which JSON lacks."""
    return number if math.isfinite(number) else None


def print_size(network: BayesianNetwork, options: argparse.Namespace) -> None:
    """Print the size of a written network, as text or as JSON."""
    if options.json:
        size = {
            "n_variables": len(network.variables),
            "n_arcs": len(network.arcs),
            "treewidth": network.treewidth,
            "output": str(options.output),
        }
        print_json(size)
    elif not options.quiet:
        print(f"{network}\nwritten to {options.output}")


def _proof_in_words(is_proven: bool, gap: float) -> str:
    if is_proven:
        return ", proven optimal"
    return f", gap at most {gap:,.3f}" if math.isfinite(gap) else ", not proven optimal"


def print_summary(
    network: BayesianNetwork,
    options: argparse.Namespace,
    *,
    search: str,
    n_iterations: int,
    seconds: float,
    is_interrupted: bool,
    n_em_iterations: int = 0,
    is_proven: bool | None = None,
    score_bound: float = math.inf,
) -> None:
    """Print a summary of a search, or of structural EM by searches, as text or as JSON.

    Nothing is said of the proof if `is_proven` is None.
    """
    n_variables, n_arcs = len(network.variables), len(network.arcs)
    if options.json:
        summary = {
            "n_variables": n_variables,
            "n_arcs": n_arcs,
            "treewidth": network.treewidth,
            "score": network.score,
            "search": search,
            "n_iterations": n_iterations,
            "seconds": round(seconds, 3),
            "is_interrupted": is_interrupted,
            "output": str(options.output),
        }
        if search in PROVING_SEARCHES and is_proven is not None:
            summary |= {"is_proven": is_proven, "score_bound": finite(score_bound)}
        print_json(summary)
    elif not options.quiet:
        proof = ""
        # In EM, each search has another table.
        if search == "exact" and is_proven is not None and not n_em_iterations:
            assert network.score is not None  # searches set it
            proof = _proof_in_words(is_proven, score_bound - network.score)
        work = f"{pluralize(n_iterations, 'iteration')} of {search}"
        if n_em_iterations:
            work = f"{pluralize(n_em_iterations, 'iteration')} of structural EM by {search}"
        elif not n_iterations:
            work = f"no iteration of {search} improved the initial network,"
            work = "tree of chow-liu" if search == "chow-liu" else work
            work = "no edge selected by chordalysis" if search == "chordalysis" else work
        print(
            f"{pluralize(n_variables, 'variable')}, {pluralize(n_arcs, 'arc')}, "
            f"treewidth {network.treewidth}, score {network.score:,.3f}\n"
            f"{work} in {seconds:.1f} s"
            f"{proof}{', interrupted' if is_interrupted else ''}\n"
            f"written to {options.output}"
        )
