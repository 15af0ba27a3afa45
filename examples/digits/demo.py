"""The demo: measure, draw, write the page, and print the figures."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from charts import LIGHT, chart_bytes, fraction_of_near_arcs, network_chart, score_chart
from digit_networks import EVIDENCE, TARGET, Answer
from findings import Findings, find_all
from galleries import OVERVIEW_DOTS_PER_INCH, digits_gallery, overview
from hidden_digits import HIDDEN_FRACTION, MIN_IMAGES, N_IMAGES, PIXELS, SHADES
from page import megabytes, page_html

PAGE = "index.html"


def main(words: Sequence[str] | None = None) -> None:
    """Run the demo with the words of a command line."""
    options = _parse(words)
    with _status_line() as announce:
        findings = run_demo(
            options.output,
            n_images=options.n_images,
            random_state=options.random_state,
            announce=announce,
        )
    print(*report_lines(findings, options.output / PAGE), sep="\n")


def run_demo(
    folder: Path, *, announce: Callable[[str], None] = lambda stage: None, **options
) -> Findings:
    """Learn from images with hidden pixels, impute them, and write the page and its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    findings = find_all(announce=announce, **options)
    announce("drawing")
    for name, content in _contents(findings).items():
        draft = folder / f".{name}"
        draft.write_bytes(content)
        os.replace(draft, folder / name)
    return findings


def report_lines(findings: Findings, page: Path) -> list[str]:
    """Return the findings and the place of the page in about a dozen lines."""
    digits, main = findings.digits, findings.main_network
    network, scores, cost = main.network, main.scores, main.network.inference_cost()
    longest = max(findings.seconds, key=lambda stage: findings.seconds[stage])
    return [
        f"{len(digits.truth):,} handwritten digits of {len(PIXELS)} pixels in {len(SHADES)} shades",
        f"hidden:    {HIDDEN_FRACTION:.0%} of the pixels and a quarter of "
        f"{int(digits.lost_a_quarter.sum()):,} images, together {int(digits.is_hidden.sum()):,}",
        f"restored:  {'all':>22}{'scattered':>12}{'quarters':>11}",
        *(
            f"  {name:22}{one.overall:9.1%}{one.scattered:12.1%}{one.quarters:11.1%}"
            for name, one in findings.accuracies.items()
        ),
        f"certainty: {findings.sure_accuracy:.1%} are right where it was at least 90% sure, "
        f"{findings.sure_fraction:.0%} of them",
        f"network:   {len(network.arcs)} arcs, {fraction_of_near_arcs(network):.0%} "
        f"between adjacent pixels, treewidth {network.treewidth}",
        f"score:     {scores[0]:,.0f} for a tree, {scores.max():,.0f} after "
        f"{main.seconds:.1f} s of structural EM",
        f"cost:      {cost.table_entries:,.0f} table entries, {megabytes(cost.n_bytes)}, "
        f"known in advance; all posteriors in {1000 * main.query_seconds:.1f} ms",
        f"query:     {_query_in_words(findings.answer)}",
        f"time:      {sum(findings.seconds.values()):.0f} s before drawing; the longest: "
        f"{longest}, {findings.seconds[longest]:.0f} s",
        f"page:      {page}",
    ]


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "python examples/digits",
        description="Hide pixels of the handwritten digits of scikit-learn, learn networks from "
        "the rest, impute the hidden pixels, and write a page with pictures and figures. It takes "
        "about a minute.",
    )
    add = parser.add_argument
    add("-o", "--output", type=Path, default=Path("demo"), metavar="FOLDER", help="folder to write")
    add("--n-images", type=int, default=N_IMAGES, metavar="N", help="use the first N images only")
    add("--random-state", type=int, default=0, metavar="N", help="seed of all random choices")
    options = parser.parse_args(words)
    if not MIN_IMAGES <= options.n_images <= N_IMAGES:
        parser.error(f"--n-images must be {MIN_IMAGES} to {N_IMAGES}; got {options.n_images}.")
    return options


@contextlib.contextmanager
def _status_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the current stage, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda stage: None
        return
    with Console(stderr=True).status("reading") as status:
        yield lambda stage: status.update(f"{stage} ...")


def _contents(findings: Findings) -> dict[str, bytes]:
    """Return the content of each file; the page comes last, when all is there."""
    return {
        "digits.png": chart_bytes(digits_gallery(findings)),
        "network.png": chart_bytes(network_chart(findings, LIGHT)),
        "score.png": chart_bytes(score_chart(findings, LIGHT)),
        "overview.png": chart_bytes(overview(findings), OVERVIEW_DOTS_PER_INCH),
        PAGE: page_html(findings).encode(),
    }


def _query_in_words(answer: Answer) -> str:
    shade = str(answer.after.idxmax())
    evidence = " and ".join(sorted(set(EVIDENCE.values())))
    return (
        f"{TARGET} is {shade} with {answer.before[shade]:.1%}; given {', '.join(EVIDENCE)} "
        f"{evidence}: {answer.after[shade]:.1%}, exactly, in {1000 * answer.seconds:.1f} ms"
    )
