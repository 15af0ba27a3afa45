"""The page of the demo: one file without scripts, which asks for nothing from elsewhere."""

from __future__ import annotations

import os
from html import escape
from importlib.resources import files

import numpy as np

from baytree.digits_demo.charts import network_chart, score_chart, share_of_near_arcs
from baytree.digits_demo.digits import HIDDEN_SHARE, PIXELS, SHADES
from baytree.digits_demo.examples import Example, quarter_examples, scattered_examples
from baytree.digits_demo.findings import Findings
from baytree.digits_demo.learned import MAX_TREEWIDTH, N_NETWORKS, LearnedNetwork
from baytree.digits_demo.page_parts import (
    bar,
    cards,
    chart,
    fact,
    paragraph,
    section,
    table,
    tile,
)
from baytree.digits_demo.themes import DARK, LIGHT
from baytree.digits_demo.tiles import question_tile
from baytree.networks.query_results import bytes_in_words

CODE = """\
import baytree as bt

imputer = bt.BayesianNetworkImputer(n_networks=8, tune=True, n_jobs=-1, random_state=0)
filled = imputer.fit_transform(table)             # labels in, the same labels out
chances = imputer.cell_probabilities(table)       # how sure each cell is
imputer.network_.posterior("a", {"b": "yes"})     # exact, at a price known before"""


def page_html(findings: Findings) -> str:
    """Return the whole page."""
    quarters = quarter_examples(findings)
    style = files("baytree.digits_demo").joinpath("page.css").read_text(encoding="utf-8")
    parts = [
        _hero(findings, quarters[0]),
        _facts(findings),
        _quarters(quarters),
        _accuracy(findings),
        _scattered(scattered_examples(findings)),
        f'<div class="columns">{_network(findings)}{_question(findings)}</div>',
        f'<div class="columns">{_score(findings)}{_timings(findings)}</div>',
        _price(findings),
        section("The same for your own table", f"<pre>{escape(CODE)}</pre>"),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        "<title>baytree: holes in handwritten digits, filled</title>"
        f"<style>{style}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def _hero(findings: Findings, example: Example) -> str:
    digits = findings.digits
    words = (
        f"{len(digits.truth):,} images of handwritten digits, {len(PIXELS)} pixels each, in "
        f"{len(SHADES)} shades. We hid {HIDDEN_SHARE:.0%} of the pixels, and a whole quarter of "
        f"{int(digits.lost_a_quarter.sum()):,} images. From what was left, baytree learned "
        "Bayesian networks of the pixels, and regressions beside them. Together they fill the "
        "holes and say how sure they are; the networks answer any question about the pixels "
        "exactly."
    )
    pair = (
        tile(example.tiles["holes"], "An image with holes", "with holes")
        + '<span class="arrow" aria-hidden="true">→</span>'
        + tile(example.tiles["filled"], "The same image, filled", "filled")
        + tile(example.tiles["certainty"], "How sure each filled pixel is", "certainty")
    )
    return (
        '<header class="hero"><div><p class="name">baytree</p>'
        "<h1>Tables with holes, filled by a network that knows how sure it is</h1>"
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
            f"are right where it was at least 90% sure ({findings.sure_share:.0%} of them)",
        ),
        fact(
            _milliseconds(main.question_seconds),
            f"for all {len(PIXELS)} posteriors, exactly: treewidth {main.network.treewidth}",
        ),
        fact(f"{main.seconds:.1f} s", "to learn a network from the images with holes"),
    ]
    return f'<div class="facts">{"".join(boxes)}</div>'


LEGEND = (
    '<ul class="legend"><li><i></i>hidden</li><li class="wrong"><i></i>filled, but wrong</li>'
    '<li class="sure"><i></i>certainty, 25% to 100%</li></ul>'
)


def _quarters(examples: list[Example]) -> str:
    words = (
        "The first image of each digit that lost a quarter: chosen by this rule, not by how well "
        "they came out. No method was told which digit it is."
    )
    return section(
        "A quarter of the image is gone", paragraph(words, "soft"), LEGEND, cards(examples)
    )


def _scattered(examples: list[Example]) -> str:
    words = "The first image of each digit that lost single pixels only."
    return section(
        f"{HIDDEN_SHARE:.0%} of the pixels are gone",
        paragraph(words, "soft"),
        LEGEND,
        cards(examples),
    )


def _accuracy(findings: Findings) -> str:
    words = (
        "Share of hidden pixels that got their true shade. KNN is scikit-learn's KNNImputer, where "
        "nearer images count more, rounded to a shade. Both chose their settings by hiding 5% of "
        f"the pixels in sight: KNN its k; baytree its score ({findings.settings['score']}) and its "
        f"prior ({findings.settings['equivalent_sample_size']:.0f} rows)."
    )
    rows = [
        (
            "ours" if name.startswith("baytree") else "",
            [
                escape(name),
                bar(one.overall),
                *(f"{share:.1%}" for share in (one.overall, one.scattered, one.quarters)),
            ],
        )
        for name, one in findings.accuracies.items()
    ]
    heads = ["", "", "all hidden", "scattered", "lost quarters"]
    counts = table(heads, rows, kind="crowded")
    return section("How many pixels came back", paragraph(words, "soft"), counts, _bands(findings))


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
        for band in findings.bands
    ]
    heads = ["certainty", "", "pixels", "it said", "were right"]
    words = "Does certainty, the probability of the shade filled in, mean what it says?"
    return f"<h3>{words}</h3>{table(heads, rows)}"


def _network(findings: Findings) -> str:
    network = findings.main_network.network
    words = (
        f"Nobody told it that pixels have neighbours, yet {share_of_near_arcs(network):.0%} of the "
        f"{len(network.arcs)} arcs join pixels that touch. Below them: the mean image."
    )
    picture = chart(
        network_chart(findings, LIGHT), network_chart(findings, DARK), "The arcs of the network"
    )
    return section("The network it learned", paragraph(words, "soft"), picture)


def _question(findings: Findings) -> str:
    answer = findings.answer
    is_seen = np.array([name in answer.evidence for name in PIXELS])
    unseen = np.zeros_like(is_seen)
    tiles = tile(question_tile(answer.image_before, unseen), "Mean image before", "before") + tile(
        question_tile(answer.image_after, is_seen), "Mean image after", "after"
    )
    rows = [
        ("after", [shade, bar(after), f"{before:.1%}", f"{after:.1%}"])
        for shade, before, after in zip(SHADES, answer.before, answer.after, strict=True)
    ]
    words = (
        "Say that the four pixels in the middle are blank, and the mean of all digits becomes that "
        "of digits with a hole there. The answer is exact, for all pixels at once."
    )
    price = (
        f"The posterior of {answer.target} took {_milliseconds(answer.seconds)}. The price of all "
        f"marginals, known before: {findings.main_network.cost}. Probability of the evidence: "
        f"{answer.evidence_probability:.2%}."
    )
    return section(
        "Ask it anything",
        paragraph(words, "soft"),
        '<ul class="legend"><li class="seen"><i></i>observed: blank</li></ul>',
        f'<div class="answer">{tiles}</div>',
        table([answer.target, "", "before", "after"], rows),
        paragraph(price, "soft small"),
    )


def _score(findings: Findings) -> str:
    words = (
        "Structural EM fills the holes with the network at hand, learns a better network from the "
        "filled images, and repeats. Each mark is an iteration. It starts from a tree."
    )
    picture = chart(score_chart(findings, LIGHT), score_chart(findings, DARK), "Score against time")
    return section("The score against time", paragraph(words, "soft"), picture)


def _price(findings: Findings) -> str:
    words = (
        "You bound the treewidth before you learn, and with it what every question will cost. What "
        "a larger bound buys for one network, and what it costs:"
    )
    heads = ["treewidth", "restored", "table entries", "memory", "all posteriors"]
    rows = [_price_row(each) for each in findings.networks]
    return section("The price of inference", paragraph(words, "soft"), table(heads, rows))


def _price_row(learned: LearnedNetwork) -> tuple[str, list[str]]:
    return "ours" if learned.max_treewidth == MAX_TREEWIDTH else "", [
        f"{learned.max_treewidth}",
        f"{learned.accuracy.overall:.1%}",
        f"{learned.cost.table_entries:,.0f}",
        bytes_in_words(learned.cost.n_bytes),
        _milliseconds(learned.question_seconds),
    ]


def _timings(findings: Findings) -> str:
    total = sum(findings.seconds.values())
    rows = [
        ("", [escape(name), bar(seconds / total), f"{seconds:.1f} s"])
        for name, seconds in findings.seconds.items()
    ]
    words = (
        f"On {os.cpu_count()} processors, measured in this run. The seed is {findings.seed}: all "
        f"but the seconds repeats. The images were filled by {N_NETWORKS} networks, averaged, and "
        "regressions of each pixel on all others."
    )
    in_all = ("ours", ["in all, before drawing", "", f"{total:.1f} s"])
    return section(
        "Where the time went",
        paragraph(words, "soft"),
        table(["", "", "seconds"], [*rows, in_all]),
    )


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds >= 1e-4 else "under 0.1 ms"
