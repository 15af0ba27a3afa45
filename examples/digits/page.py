"""The page of the demo: one file without scripts, which loads nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from charts import DARK, LIGHT, chart_bytes, fraction_of_near_arcs, network_chart, score_chart
from digit_networks import EVIDENCE, MAX_TREEWIDTH, N_NETWORKS, TARGET, LearnedNetwork
from findings import Findings, accuracy, certainty_bands
from hidden_digits import HIDDEN_FRACTION, PIXELS, SHADES, HiddenDigits
from tiles import (
    Example,
    data_address,
    png_bytes,
    quarter_examples,
    query_tile,
    scattered_examples,
)

CODE = """\
import baytree as bt

imputer = bt.BayesianNetworkImputer(n_networks=8, tune=True, n_jobs=-1, random_state=0)
filled = imputer.fit_transform(table)             # labels in, the same labels out
chances = imputer.cell_probabilities(table)       # posteriors of the missing cells
imputer.network_.posterior("a", {"b": "yes"})     # exact, at a cost known in advance"""


def page_html(findings: Findings) -> str:
    """Return the whole page."""
    quarters = quarter_examples(findings)
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    parts = [
        _hero(findings, quarters[0]),
        _facts(findings),
        _quarters(quarters),
        _accuracy(findings),
        _scattered(scattered_examples(findings)),
        f'<div class="columns">{_network(findings)}{_query(findings)}</div>',
        f'<div class="columns">{_score(findings)}{_timings(findings)}</div>',
        _cost(findings),
        section("The same for your own table", f"<pre>{escape(CODE)}</pre>"),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        "<title>baytree: hidden pixels of handwritten digits, imputed</title>"
        f"<style>{style}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def _hero(findings: Findings, example: Example) -> str:
    digits = findings.digits
    words = (
        f"{len(digits.truth):,} images of handwritten digits, {len(PIXELS)} pixels each, in "
        f"{len(SHADES)} shades. We hid {HIDDEN_FRACTION:.0%} of the pixels, and a whole quarter of "
        f"{int(digits.lost_a_quarter.sum()):,} images. From what was left, baytree learned "
        "Bayesian networks of the pixels, and regressions beside them. Together they impute the "
        "hidden pixels and say how sure they are; the networks answer any query about the "
        "pixels exactly."
    )
    pair = (
        tile(example.tiles["hidden"], "An image with hidden pixels", "hidden")
        + '<span class="arrow" aria-hidden="true">→</span>'
        + tile(example.tiles["imputed"], "The same image, imputed", "imputed")
        + tile(example.tiles["certainty"], "The certainty of each imputed pixel", "certainty")
    )
    return (
        '<header class="hero"><div><p class="name">baytree</p>'
        "<h1>Missing values, imputed by a network that knows how sure it is</h1>"
        f'{paragraph(words)}</div><div class="before-after">{pair}</div></header>'
    )


def _facts(findings: Findings) -> str:
    names = list(findings.accuracies)
    overall = [findings.accuracies[name].overall for name in names]
    main = findings.main_network
    rivals = f"KNN {overall[1]:.1%}, most frequent shade {overall[0]:.1%}"
    boxes = [
        fact(f"{overall[-1]:.1%}", f"of the hidden pixels are right; {rivals}", is_ours=True),
        fact(
            f"{findings.sure_accuracy:.1%}",
            f"are right where it was at least 90% sure ({findings.sure_fraction:.0%} of them)",
        ),
        fact(
            _milliseconds(main.query_seconds),
            f"for all {len(PIXELS)} posteriors, exactly: treewidth {main.network.treewidth}",
        ),
        fact(f"{main.seconds:.1f} s", "to learn a network from the incomplete images"),
    ]
    return f'<div class="facts">{"".join(boxes)}</div>'


LEGEND = (
    '<ul class="legend"><li><i></i>hidden</li><li class="wrong"><i></i>imputed, but wrong</li>'
    '<li class="sure"><i></i>certainty, 25% to 100%</li></ul>'
)


def _quarters(examples: list[Example]) -> str:
    words = (
        "The first image of each digit that lost a quarter: chosen by this rule, not by how well "
        "they came out. No method sees which digit it is."
    )
    return section(
        "A quarter of the image is hidden", paragraph(words, "soft"), LEGEND, cards(examples)
    )


def _scattered(examples: list[Example]) -> str:
    words = "The first image of each digit that lost single pixels only."
    return section(
        f"{HIDDEN_FRACTION:.0%} of the pixels are hidden",
        paragraph(words, "soft"),
        LEGEND,
        cards(examples),
    )


def _accuracy(findings: Findings) -> str:
    settings = findings.settings
    words = (
        "Fraction of hidden pixels that got their true shade. KNN is scikit-learn's KNNImputer, "
        "where nearer images count more, rounded to a shade. Both chose their settings by hiding "
        f"5% of the observed pixels: KNN its k; baytree its criterion "
        f"({settings['criterion']}) and its prior ({settings['equivalent_sample_size']:.0f} rows)."
    )
    rows = [
        (
            "ours" if name.startswith("baytree") else "",
            [
                escape(name),
                bar(one.overall),
                *(f"{fraction:.1%}" for fraction in (one.overall, one.scattered, one.quarters)),
            ],
        )
        for name, one in findings.accuracies.items()
    ]
    heads = ["", "", "all hidden", "scattered", "lost quarters"]
    counts = table(heads, rows, kind="crowded")
    return section(
        "Fraction of restored pixels", paragraph(words, "soft"), counts, _bands(findings)
    )


def _bands(findings: Findings) -> str:
    rows = [
        (
            "after",
            [
                f"{100 * band.low:.0f} to {100 * band.high:.0f}%",
                bar(band.accuracy),
                f"{band.n_pixels:,}",
                f"{band.mean_certainty:.1%}",
                f"{band.accuracy:.1%}",
            ],
        )
        for band in certainty_bands(findings.codes, findings.certainty, findings.digits)
    ]
    heads = ["certainty", "", "pixels", "it said", "were right"]
    words = "Is the certainty, the posterior of the imputed shade, calibrated?"
    return f"<h3>{words}</h3>{table(heads, rows)}"


def _network(findings: Findings) -> str:
    network = findings.main_network.network
    words = (
        "Learning does not know which pixels are adjacent, yet "
        f"{fraction_of_near_arcs(network):.0%} of the {len(network.arcs)} arcs join "
        "adjacent pixels. Below them: the mean image."
    )
    picture = chart(
        network_chart(findings, LIGHT), network_chart(findings, DARK), "The arcs of the network"
    )
    return section("The network it learned", paragraph(words, "soft"), picture)


def _query(findings: Findings) -> str:
    answer = findings.answer
    is_observed = np.array([name in EVIDENCE for name in PIXELS])
    none = np.zeros_like(is_observed)
    tiles = tile(query_tile(answer.image_before, none), "Mean image before", "before") + tile(
        query_tile(answer.image_after, is_observed), "Mean image after", "after"
    )
    rows = [
        ("after", [shade, bar(after), f"{before:.1%}", f"{after:.1%}"])
        for shade, before, after in zip(SHADES, answer.before, answer.after, strict=True)
    ]
    words = (
        "Given that the four pixels in the middle are blank, the mean image of all digits becomes "
        "that of digits that are open there. The answer is exact, for all pixels at once."
    )
    cost = (
        f"The posterior of {TARGET} took {_milliseconds(answer.seconds)}. The cost of all "
        f"marginals, known in advance: {findings.main_network.network.inference_cost()}. "
        f"Probability of the evidence: {answer.evidence_probability:.2%}."
    )
    return section(
        "An exact query",
        paragraph(words, "soft"),
        '<ul class="legend"><li class="seen"><i></i>observed: blank</li></ul>',
        f'<div class="answer">{tiles}</div>',
        table([TARGET, "", "before", "after"], rows),
        paragraph(cost, "soft small"),
    )


def _score(findings: Findings) -> str:
    words = (
        "Structural EM completes the images with the current network, learns a better network "
        "from them, and repeats. Each mark is an iteration. It starts from a tree."
    )
    picture = chart(score_chart(findings, LIGHT), score_chart(findings, DARK), "Score against time")
    return section("The score against time", paragraph(words, "soft"), picture)


def _cost(findings: Findings) -> str:
    words = (
        "The bound on the treewidth, set before learning, bounds the cost of every query. Accuracy "
        "and cost of one network for several bounds:"
    )
    heads = ["treewidth", "restored", "table entries", "memory", "all posteriors"]
    rows = [_cost_row(each, findings.digits) for each in findings.networks]
    return section("The cost of inference", paragraph(words, "soft"), table(heads, rows))


def _cost_row(learned: LearnedNetwork, digits: HiddenDigits) -> tuple[str, list[str]]:
    cost = learned.network.inference_cost()
    return "ours" if learned.max_treewidth == MAX_TREEWIDTH else "", [
        f"{learned.max_treewidth}",
        f"{accuracy(learned.codes, digits).overall:.1%}",
        f"{cost.table_entries:,.0f}",
        megabytes(cost.n_bytes),
        _milliseconds(learned.query_seconds),
    ]


def _timings(findings: Findings) -> str:
    total = sum(findings.seconds.values())
    rows = [
        ("", [escape(name), bar(seconds / total), f"{seconds:.1f} s"])
        for name, seconds in findings.seconds.items()
    ]
    words = (
        f"On {os.cpu_count()} processors, measured in this run. All but the seconds repeats with "
        f"the seed {findings.random_state}. The images were imputed by {N_NETWORKS} networks, "
        "averaged, and regressions of each pixel on all others."
    )
    in_all = ("ours", ["in all, before drawing", "", f"{total:.1f} s"])
    return section(
        "Where the time went",
        paragraph(words, "soft"),
        table(["", "", "seconds"], [*rows, in_all]),
    )


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds >= 1e-4 else "under 0.1 ms"


def fact(figure: str, words: str, *, is_ours: bool = False) -> str:
    """Return a large figure and its meaning."""
    kind = "fact ours" if is_ours else "fact"
    return f'<div class="{kind}"><strong>{escape(figure)}</strong>{escape(words)}</div>'


def section(title: str, *parts: str) -> str:
    """Return a panel with a heading."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def paragraph(words: str, kind: str = "") -> str:
    """Return a paragraph of plain words."""
    return f'<p class="{kind}">{escape(words)}</p>' if kind else f"<p>{escape(words)}</p>"


def tile(dots: np.ndarray, words: str, caption: str) -> str:
    """Return one small image; `words` stand for it where it cannot be seen."""
    address = data_address(png_bytes(dots))
    return (
        f'<figure><img class="tile" src="{address}" alt="{escape(words)}" width="80" height="80">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def card(example: Example) -> str:
    """Return an image in four versions, with its number of restored pixels."""
    tiles = "".join(
        tile(dots, f"Image {example.number}, a {example.digit}: {name}", name)
        for name, dots in example.tiles.items()
    )
    words = f"image {example.number}: {example.n_right} of {example.n_hidden} right"
    return f'<div class="card">{tiles}<p>{words}</p></div>'


def cards(examples: Iterable[Example]) -> str:
    """Return a grid of images."""
    return f'<div class="cards">{"".join(card(example) for example in examples)}</div>'


def bar(fraction: float) -> str:
    """Return a bar that takes a fraction of its cell."""
    return f'<span class="track"><span style="width:{100 * fraction:.1f}%"></span></span>'


def table(
    heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], *, kind: str = ""
) -> str:
    """Return a table; each row is its class and its cells, which are HTML already."""
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in heads)
    body = "".join(_row(kind_of_row, cells) for kind_of_row, cells in rows)
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def chart(light: Figure, dark: Figure, words: str) -> str:
    """Return a chart in the colours of the reader's system, light or dark."""
    return (
        '<picture><source media="(prefers-color-scheme: dark)" '
        f'srcset="{data_address(chart_bytes(dark))}">'
        f'<img class="chart" src="{data_address(chart_bytes(light))}" alt="{escape(words)}">'
        "</picture>"
    )


def _row(kind: str, cells: Sequence[str]) -> str:
    tags = "".join(
        f'<td class="bar">{cell}</td>' if cell.startswith("<span") else f"<td>{cell}</td>"
        for cell in cells
    )
    return f'<tr class="{kind}">{tags}</tr>' if kind else f"<tr>{tags}</tr>"


def megabytes(n_bytes: float) -> str:
    """Return an amount of memory in words."""
    return f"{n_bytes / 1e6:,.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:,.0f} kB"
