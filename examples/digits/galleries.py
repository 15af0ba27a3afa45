"""Images side by side in one picture: for the folder of the demo, and for the README."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from charts import LIGHT, draw_network
from findings import Findings
from tiles import TILE_NAMES, Example, quarter_examples, scattered_examples

N_IN_OVERVIEW = 7
OVERVIEW_DOTS_PER_INCH = 120  # a small file


def digits_gallery(findings: Findings) -> Figure:
    """Draw all images of the page: original, hidden, imputed, certainty."""
    figure = Figure(figsize=(9.2, 8.4), facecolor=LIGHT.page)
    upper, lower = figure.subfigures(2, 1, squeeze=False).flat
    _draw_block(upper, quarter_examples(findings), "A quarter is hidden, and 15% of the rest")
    _draw_block(lower, scattered_examples(findings), "15% of the pixels are hidden")
    return figure


def overview(findings: Findings) -> Figure:
    """Draw the picture of the README: some images and a network."""
    figure = Figure(figsize=(9.2, 3.5), facecolor=LIGHT.page)
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=[1.75, 1]).flat
    _draw_block(
        left, quarter_examples(findings)[:N_IN_OVERVIEW], "Images with hidden pixels, imputed"
    )
    axes = right.add_subplot()
    right.subplots_adjust(left=0.06, right=0.97, top=0.89, bottom=0.085)
    draw_network(axes, findings, LIGHT)
    n_arcs = len(findings.main_network.network.arcs)
    width = findings.main_network.network.treewidth
    axes.set_anchor("W")
    title = f"A network: {n_arcs} arcs, treewidth {width}"
    right.text(0.06, 0.93, title, fontsize=10.5, color=LIGHT.ink)
    figure.text(0.012, 0.014, _overview_words(findings), fontsize=8.5, color=LIGHT.soft)
    return figure


def _overview_words(findings: Findings) -> str:
    return (
        f"{findings.best_accuracy.overall:.1%} of all hidden pixels are right; where it was at "
        f"least 90% sure, {findings.sure_accuracy:.1%}. Red: wrong. Dark green: sure. Blue: a "
        "largest clique."
    )


def _draw_block(figure: SubFigure, examples: Sequence[Example], title: str) -> None:
    grid = figure.subplots(len(TILE_NAMES), len(examples), squeeze=False)
    figure.subplots_adjust(left=0.105, right=0.99, top=0.89, bottom=0.085, wspace=0.09, hspace=0.09)
    figure.text(0.012, 0.93, title, fontsize=10.5, color=LIGHT.ink)
    for row, name in zip(grid, TILE_NAMES, strict=True):
        for axes, example in zip(row, examples, strict=True):
            _draw_tile(axes, example, name)
        row[0].set_ylabel(name, fontsize=8.5, color=LIGHT.soft)


def _draw_tile(axes: Axes, example: Example, name: str) -> None:
    axes.set_facecolor(LIGHT.paper)
    axes.imshow(example.tiles[name], interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_color(LIGHT.edge)
