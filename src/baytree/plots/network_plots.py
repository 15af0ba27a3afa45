"""The graph of a network: boxes with names and arcs with heads, or points where there are many."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch

from baytree.networks.network import BayesianNetwork
from baytree.plots.arc_widths import line_style, line_width, pair_strengths
from baytree.plots.arcs import draw_arcs
from baytree.plots.axes import BOX_INK, ScaledText, axes_or_new, ink
from baytree.plots.boxes import LETTER_HEIGHT, POINT_SIZE, BoxSheet, box_sheet
from baytree.plots.network_views import NetworkView, network_view
from baytree.plots.point_labels import draw_labels

_INCHES = 0.011  # of a unit of the layout, unless the figure would be too large or too small
_LEAST_SIZE, _MOST_SIZE = (4.0, 2.5), (14.0, 10.0)
_TITLE_INCHES = 0.6
_MARGIN = 16.0
_FILL, _NEAR_FILL, _CHOSEN_FILL = "white", "#cfe3f5", "#1f4e79"


def draw_network(
    network: BayesianNetwork,
    ax: Axes | None,
    *,
    variable: Hashable | None,
    max_variables: int,
    strength: pd.DataFrame | None,
) -> Axes:
    """Draw a network, or the neighbourhood of a variable."""
    strengths = pair_strengths(strength)
    view = network_view(network, variable, max_variables)
    names = [network.variables[number] for number in view.numbers]
    sheet = box_sheet(names, view.arcs)
    ax = _prepared(ax, sheet, view)
    shares = None
    if strengths is not None:
        ends = [frozenset((names[a], names[b])) for a, b in view.arcs]
        shares = [strengths.get(pair, 0.0) for pair in ends]
        _explain_strength(ax)
    draw_arcs(ax, sheet, view.arcs, shares, LETTER_HEIGHT * _points_a_unit(ax))
    if sheet.style == "points":
        _draw_points(ax, sheet, view)
    else:
        _draw_boxes(ax, sheet, view)
    return ax


def _prepared(ax: Axes | None, sheet: BoxSheet, view: NetworkView) -> Axes:
    """Return axes whose data are the units of the sheet, the same both ways."""
    least, most = sheet.frame()
    least, most = least - _MARGIN, most + _MARGIN
    is_new, (width, height) = ax is None, _figure_size(most - least)
    title_height = _TITLE_INCHES if view.title else 0.05
    ax = axes_or_new(ax, (width, height + title_height))
    if is_new:
        top = height / (height + title_height)
        ax.figure.subplots_adjust(left=0.01, bottom=0.01, right=0.99, top=top)
    ax.set(xlim=(least[0], most[0]), ylim=(most[1], least[1]), aspect="equal")
    ax.set_axis_off()
    if view.title:
        ax.set_title(view.title, loc="left", fontsize="medium", parse_math=False)
    return ax


def _figure_size(extent: np.ndarray) -> tuple[float, float]:
    inches = extent * _INCHES
    inches = inches * min(1.0, *(np.array(_MOST_SIZE) / inches))
    width, height = np.maximum(inches, _LEAST_SIZE).tolist()
    return width, height


def _points_a_unit(ax: Axes) -> float:
    ax.apply_aspect()
    (left, _), (right, _) = ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])
    return float((right - left) * 72.0 / ax.figure.dpi)


def _draw_boxes(ax: Axes, sheet: BoxSheet, view: NetworkView) -> None:
    for place, (text, centre, size) in enumerate(
        zip(sheet.texts, sheet.centres, sheet.sizes, strict=True)
    ):
        is_chosen = place == view.chosen
        box = FancyBboxPatch(
            tuple(centre - size / 2),
            width=size[0],
            height=size[1],
            boxstyle="round,pad=0,rounding_size=6",
            facecolor=_fill(view, place),
            edgecolor=BOX_INK,
            linewidth=1.0,
            linestyle=(0, (4, 2)) if place in view.cut else "-",
            zorder=2,
        )
        ax.add_patch(box)
        label = ScaledText(
            *centre,
            text,
            units=LETTER_HEIGHT,
            color="white" if is_chosen else "black",
            ha="center",
            va="center_baseline",
            linespacing=1.1,
            parse_math=False,
            zorder=3,
        )
        ax.add_artist(label)


def _draw_points(ax: Axes, sheet: BoxSheet, view: NetworkView) -> None:
    """Draw a point for each variable, and names where there is room for them."""
    places = range(len(sheet.texts))
    ax.scatter(
        x=sheet.centres[:, 0],
        y=sheet.centres[:, 1],
        s=max((POINT_SIZE * _points_a_unit(ax)) ** 2, 4.0),
        c=[_fill(view, place) for place in places],
        edgecolors=BOX_INK,
        linewidths=0.7,
        zorder=2,
    )
    n_arcs = np.bincount(np.array(view.arcs, dtype=int).ravel(), minlength=len(sheet.texts))
    chosen = [] if view.chosen is None else [view.chosen]
    draw_labels(ax, sheet, [*chosen, *np.argsort(-n_arcs, kind="stable").tolist()])


def _fill(view: NetworkView, place: int) -> str:
    if place == view.chosen:
        return _CHOSEN_FILL
    return _NEAR_FILL if place in view.near else _FILL


def _explain_strength(ax: Axes) -> None:
    samples = [
        Line2D(
            [], [], color=ink(0.35), lw=line_width(share), ls=line_style(share), label=f"{share:g}"
        )
        for share in (0.25, 0.5, 0.75, 1.0)
    ]
    ax.legend(handles=samples, title="strength", loc="best", fontsize="small", handlelength=3.0)
