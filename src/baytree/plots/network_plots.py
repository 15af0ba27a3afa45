"""Graph of a network: boxes with names and arrows, or points for many variables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch

from baytree.messages.arguments import integer_at_least
from baytree.networks.network import BayesianNetwork
from baytree.plots.arcs import draw_arcs, line_style, line_width, pair_strengths
from baytree.plots.axes import BOX_INK, ScaledText, axes_or_new, ink, short_texts
from baytree.plots.boxes import LETTER_HEIGHT, POINT_SIZE, BoxSheet, box_sheet, text_width
from baytree.plots.layouts.neighbourhoods import nearest, neighbours_of

_INCHES = 0.011  # of a unit of the layout, unless the figure would be too large or too small
_MIN_SIZE, _MAX_SIZE = (4.0, 2.5), (14.0, 10.0)
_TITLE_INCHES = 0.6
_MARGIN = 16.0
_FILL, _NEAR_FILL, _CHOSEN_FILL = "white", "#cfe3f5", "#1f4e79"
_LABEL_SIZE = 7.0  # points
_LABEL_GAP = 1.5


@dataclass(frozen=True)
class NetworkView:
    """Variables to draw, by number, the arcs among them, and a title on the choice."""

    numbers: Sequence[int]
    arcs: Sequence[tuple[int, int]]  # places in `numbers`
    chosen: int | None  # a place
    near: frozenset[int]  # places of the Markov blanket of the chosen one
    cut: frozenset[int]  # places of variables with neighbours that are not drawn
    title: str


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
    ax = _prepare_axes(ax, sheet, view)
    drawn_strengths = None
    if strengths is not None:
        ends = [frozenset((names[a], names[b])) for a, b in view.arcs]
        drawn_strengths = [strengths.get(pair, 0.0) for pair in ends]
        _explain_strength(ax)
    draw_arcs(ax, sheet, view.arcs, drawn_strengths, LETTER_HEIGHT * _points_per_unit(ax))
    if sheet.style == "points":
        _draw_points(ax, sheet, view)
    else:
        _draw_boxes(ax, sheet, view)
    return ax


def _prepare_axes(ax: Axes | None, sheet: BoxSheet, view: NetworkView) -> Axes:
    """Return axes with the units and the aspect of the sheet."""
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
    inches = inches * min(1.0, *(np.array(_MAX_SIZE) / inches))
    width, height = np.maximum(inches, _MIN_SIZE).tolist()
    return width, height


def _points_per_unit(ax: Axes) -> float:
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
    """Draw a point per variable, and names where there is space."""
    places = range(len(sheet.texts))
    ax.scatter(
        x=sheet.centres[:, 0],
        y=sheet.centres[:, 1],
        s=max((POINT_SIZE * _points_per_unit(ax)) ** 2, 4.0),
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
            [], [], color=ink(0.35), lw=line_width(value), ls=line_style(value), label=f"{value:g}"
        )
        for value in (0.25, 0.5, 0.75, 1.0)
    ]
    ax.legend(handles=samples, title="strength", loc="best", fontsize="small", handlelength=3.0)


def network_view(
    network: BayesianNetwork, variable: Hashable | None, max_variables: int
) -> NetworkView:
    """Return all of a small network, or the neighbourhood of a variable.

    Without a variable, it is that of the variable with the most arcs.
    """
    n_drawn = integer_at_least("max_variables", max_variables, 1)
    n_variables = len(network.variables)
    neighbours = neighbours_of(n_variables, _arc_numbers(network))
    is_whole = n_variables <= n_drawn
    if variable is not None:
        centre = network._position(variable)
    elif is_whole:
        return _view(network, neighbours, list(range(n_variables)), None, "")
    else:
        centre = max(range(n_variables), key=lambda number: len(neighbours[number]))
    if is_whole:
        return _view(network, neighbours, list(range(n_variables)), centre, "")
    blanket = [network._position(name) for name in _blanket(network, centre)]
    numbers = sorted(nearest(neighbours, [centre, *blanket], n_drawn))
    title = _title(network, centre, len(numbers), is_own_choice=variable is None)
    return _view(network, neighbours, numbers, centre, title)


def _view(
    network: BayesianNetwork,
    neighbours: Sequence[set[int]],
    numbers: list[int],
    centre: int | None,
    title: str,
) -> NetworkView:
    place = {number: at for at, number in enumerate(numbers)}
    blanket = () if centre is None else _blanket(network, centre)
    near = (network._position(name) for name in blanket)
    return NetworkView(
        numbers=numbers,
        arcs=[(place[a], place[b]) for a, b in _arc_numbers(network) if a in place and b in place],
        chosen=None if centre is None else place[centre],
        near=frozenset(place[number] for number in near if number in place),
        cut=frozenset(place[n] for n in numbers if not place.keys() >= neighbours[n]),
        title=title,
    )


def _title(network: BayesianNetwork, centre: int, n_drawn: int, *, is_own_choice: bool) -> str:
    name = short_texts([network.variables[centre]])[0]
    why = ", which has the most arcs" if is_own_choice else ""
    return (
        f"{n_drawn:,} of {len(network.variables):,} variables, nearest to {name}{why}\n"
        "dashed: has neighbours that are not drawn"
    )


def _blanket(network: BayesianNetwork, number: int) -> tuple[Hashable, ...]:
    return network.markov_blanket(network.variables[number])


def _arc_numbers(network: BayesianNetwork) -> list[tuple[int, int]]:
    return [
        (parent, child)
        for child, parents in enumerate(network._parent_positions)
        for parent in parents
    ]


def draw_labels(ax: Axes, sheet: BoxSheet, order: Sequence[int]) -> None:
    """Write names above points in an order of importance, leaving out those that would overlap."""
    for place in free_labels(_frames(ax, sheet), order):
        ax.annotate(
            sheet.texts[place].replace("\n", " "),
            tuple(sheet.centres[place]),
            xytext=(0, _lift(ax)),
            textcoords="offset points",
            fontsize=_LABEL_SIZE,
            ha="center",
            va="bottom",
            parse_math=False,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.3},
            color="black",
            zorder=4,
        )


def free_labels(frames: npt.NDArray[np.float64], order: Sequence[int]) -> list[int]:
    """Return the rectangles (left, low, right, high) that do not overlap earlier ones."""
    kept: list[int] = []
    for place in order:
        left, low, right, high = frames[place]
        others = frames[kept]
        apart = (others[:, 0] >= right) | (others[:, 2] <= left)
        apart |= (others[:, 1] >= high) | (others[:, 3] <= low)
        if place not in kept and apart.all():
            kept.append(place)
    return kept


def _frames(ax: Axes, sheet: BoxSheet) -> npt.NDArray[np.float64]:
    """Return the rectangles of all names, in points."""
    x, y = (ax.transData.transform(sheet.centres) * (72.0 / ax.figure.dpi)).T
    widths = np.array([text_width(text.replace("\n", " "), _LABEL_SIZE) for text in sheet.texts])
    low = y + _lift(ax)
    margin = widths / 2 + _LABEL_GAP
    return np.column_stack(
        [x - margin, low - _LABEL_GAP, x + margin, low + 1.2 * _LABEL_SIZE + _LABEL_GAP]
    )


def _lift(ax: Axes) -> float:
    """Return the distance of a name from the centre of its point."""
    (_, first), (_, second) = ax.transData.transform([(0.0, 0.0), (0.0, POINT_SIZE / 2)])
    return float(abs(second - first) * 72.0 / ax.figure.dpi) + 1.0
