"""Charts of the network on the grid of pixels and of the score against time."""

from __future__ import annotations

import io
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

import baytree as bt
from findings import Findings
from hidden_digits import PIXELS, SIDE

DOTS_PER_INCH = 160
PLACES = {name: (number % SIDE, number // SIDE) for number, name in enumerate(PIXELS)}
LINE_STYLES = (":", "--", "-.", "-", (0, (5, 1)))
MARKERS = ("s", "^", "D", "o", "v")


@dataclass(frozen=True)
class Theme:
    """Colours of a chart; those of the page itself are in page.css."""

    page: str
    panel: str
    paper: str  # under the ink of digits
    ink: str
    soft: str
    edge: str
    near: str  # arcs between adjacent pixels
    far: str
    clique: str
    lines: tuple[str, ...]


LIGHT = Theme(
    page="#ffffff",
    panel="#ffffff",
    paper="#f4f5f2",
    ink="#1d2a26",
    soft="#5c6b66",
    edge="#d9dfdc",
    near="#2f7d5b",
    far="#c06a12",
    clique="#1f5fbf",
    lines=("#98a39f", "#c06a12", "#1f5fbf", "#2f7d5b", "#7a3e9d"),
)
DARK = Theme(
    page="#192124",
    panel="#192124",
    paper="#222c30",
    ink="#e6ece9",
    soft="#9fb0aa",
    edge="#2c3836",
    near="#4fc08d",
    far="#f0a04b",
    clique="#7fb2ff",
    lines=("#87958f", "#f0a04b", "#7fb2ff", "#4fc08d", "#c79be0"),
)


def network_chart(findings: Findings, theme: Theme) -> Figure:
    """Draw the network with its pixels at their places in the image."""
    figure = Figure(figsize=(4.8, 5.5), facecolor=theme.panel, layout="constrained")
    axes = figure.add_subplot()
    draw_network(axes, findings, theme)
    axes.legend(
        handles=_network_legend(findings, theme),
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=1,
        frameon=False,
        fontsize=8.5,
        labelcolor=theme.ink,
        handlelength=1.6,
    )
    return figure


def draw_network(axes: Axes, findings: Findings, theme: Theme) -> None:
    """Draw arcs over the mean image; short ones straight, long ones bent around pixels."""
    network = findings.main_network.network
    paper = LinearSegmentedColormap.from_list("paper", [theme.paper, theme.soft])
    image = findings.answer.image_before.reshape(SIDE, SIDE)
    axes.imshow(image, cmap=paper, vmin=0, vmax=3, interpolation="nearest")
    for arc in sorted(network.arcs, key=distance, reverse=True):
        axes.add_patch(_arrow(arc, theme))
    _draw_pixels(axes, network, theme)
    axes.set(xlim=(-0.5, SIDE - 0.5), ylim=(SIDE - 0.5, -0.5), xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set_color(theme.edge)


def distance(arc: tuple[Hashable, Hashable]) -> int:
    """Return the larger of the distances in rows and in columns between two pixels."""
    (x0, y0), (x1, y1) = PLACES[str(arc[0])], PLACES[str(arc[1])]
    return max(abs(x0 - x1), abs(y0 - y1))


def fraction_of_near_arcs(network: bt.BayesianNetwork) -> float:
    """Return the fraction of arcs between adjacent pixels."""
    return float(np.mean([distance(arc) == 1 for arc in network.arcs])) if network.arcs else 0.0


def largest_clique(network: bt.BayesianNetwork) -> tuple[Hashable, ...]:
    """Return the first of the largest cliques, whose joint states bound the cost of inference."""
    return max(network.decomposition.bags, key=len)


def score_chart(findings: Findings, theme: Theme) -> Figure:
    """Draw the score after each iteration of structural EM, for several treewidths."""
    figure = Figure(figsize=(4.8, 3.7), facecolor=theme.panel, layout="constrained")
    axes = figure.add_subplot(facecolor=theme.panel)
    styles = zip(theme.lines, LINE_STYLES, MARKERS, strict=True)
    for learned, (colour, line, marker) in zip(findings.networks, styles, strict=True):
        axes.plot(
            learned.em_history["seconds"],
            learned.scores / 1000,
            color=colour,
            linestyle=line,
            marker=marker,
            markersize=4.5,
            linewidth=1.6,
            label=f"{learned.max_treewidth}",
        )
    axes.set_xlabel("seconds since learning began", color=theme.soft)
    axes.set_ylabel("log-likelihood less penalty, thousands", color=theme.soft)
    axes.set_xlim(left=0)
    _in_theme(axes, theme)
    return figure


def chart_bytes(figure: Figure, dots_per_inch: int = DOTS_PER_INCH) -> bytes:
    """Return a chart as a PNG file."""
    stream = io.BytesIO()
    figure.savefig(
        stream,
        format="png",
        dpi=dots_per_inch,
        metadata={"Software": None},
        pil_kwargs={"optimize": True},
    )
    return stream.getvalue()


def _arrow(arc: tuple[Hashable, Hashable], theme: Theme) -> FancyArrowPatch:
    is_near = distance(arc) == 1
    return FancyArrowPatch(
        PLACES[str(arc[0])],
        PLACES[str(arc[1])],
        connectionstyle="arc3,rad=0" if is_near else "arc3,rad=0.22",
        arrowstyle="-|>",
        mutation_scale=7,
        shrinkA=3,
        shrinkB=4,
        linewidth=1.3 if is_near else 0.9,
        linestyle="-" if is_near else (0, (4, 1.5)),
        color=theme.near if is_near else theme.far,
    )


def _draw_pixels(axes: Axes, network: bt.BayesianNetwork, theme: Theme) -> None:
    joined = {name for arc in network.arcs for name in arc}
    for name, (x, y) in PLACES.items():
        size = 4.5 if name in joined else 2.5
        axes.plot(x, y, "o", markersize=size, color=theme.ink if name in joined else theme.soft)
    for member in largest_clique(network):
        x, y = PLACES[str(member)]
        axes.plot(
            x, y, "o", markersize=12, fillstyle="none", markeredgewidth=1.8, color=theme.clique
        )


def _network_legend(findings: Findings, theme: Theme) -> list[Line2D]:
    network = findings.main_network.network
    n_near = sum(distance(arc) == 1 for arc in network.arcs)
    dashes = (0, (4, 1.5))
    return [
        Line2D([], [], color=theme.near, label=f"{n_near} arcs between adjacent pixels"),
        Line2D(
            [], [], color=theme.far, linestyle=dashes, label=f"{len(network.arcs) - n_near} others"
        ),
        Line2D(
            [],
            [],
            color=theme.clique,
            marker="o",
            fillstyle="none",
            markersize=9,
            linestyle="none",
            label=f"a largest clique: {len(largest_clique(network))} pixels",
        ),
    ]


def _in_theme(axes: Axes, theme: Theme) -> None:
    axes.grid(color=theme.edge, linewidth=0.7)
    axes.tick_params(colors=theme.soft, labelsize=9)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.edge)
    axes.legend(
        title="treewidth at most",
        loc="lower right",
        ncols=2,
        frameon=False,
        fontsize=9,
        labelcolor=theme.ink,
        handlelength=2.6,
    ).get_title().set_color(theme.soft)
