"""Conditional probabilities of a variable, per joint state of its parents."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from baytree.exceptions import InferenceTooLargeError
from baytree.messages.arguments import integer_at_least
from baytree.networks.graph import cpt_array
from baytree.networks.network import BayesianNetwork
from baytree.plots.axes import BAR_STYLE, axes_or_new, short_texts
from baytree.plots.boxes import text_width

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_LABEL_SIZE, _LINE_POINTS = 10.0, 13.0
_SLANT = 1.4  # extra space of lines at 45 degrees
_STATE_LETTERS, _ROW_LETTERS = 18, 40
_MIN_CELL = (25.0, 10.0)  # points that a number takes
_DARK = 0.55  # numbers on cells of higher probabilities are white


@dataclass(frozen=True, eq=False)
class CptView:
    """Rows of a table of probabilities: all, or the most probable joint states of the parents."""

    probabilities: Floats
    rows: list[str]
    states: list[str]
    variable: str
    parents: list[str]
    title: str


def cpt_view(network: BayesianNetwork, variable: Hashable, max_configurations: int) -> CptView:
    """Return the rows to show: all, or the most probable ones."""
    max_rows = integer_at_least("max_configurations", max_configurations, 1)
    parents = network.parents(variable)
    array = cpt_array(network, variable)
    shape, n_states = array.shape[:-1], array.shape[-1]
    n_rows = math.prod(shape)
    numbers, title = np.arange(n_rows), ""
    if n_rows > max_rows:
        numbers, title = _chosen_rows(network, parents, n_rows, max_rows)
    texts = [short_texts(network.states(parent), _STATE_LETTERS) for parent in parents]
    places = (
        np.stack(np.unravel_index(numbers, shape), axis=1) if parents else np.empty((1, 0), int)
    )
    rows = [", ".join(own[at] for own, at in zip(texts, row, strict=True)) for row in places]
    return CptView(
        probabilities=array.reshape(n_rows, n_states)[numbers],
        rows=short_texts(rows, _ROW_LETTERS),
        states=short_texts(network.states(variable), _STATE_LETTERS),
        variable=short_texts([variable])[0],
        parents=short_texts(parents),
        title=title,
    )


def _chosen_rows(
    network: BayesianNetwork, parents: tuple[Hashable, ...], n_rows: int, n_chosen: int
) -> tuple[Places, str]:
    """Return the most probable joint states, or the first ones if inference is too large."""
    try:
        probabilities = network.posterior(list(parents)).to_numpy()
    except InferenceTooLargeError:
        return np.arange(n_chosen), f"the first {n_chosen:,} of {n_rows:,} rows"
    chosen = np.sort(np.argsort(-probabilities, kind="stable")[:n_chosen])
    total = probabilities[chosen].sum()
    return (
        chosen,
        f"most probable {n_chosen:,} of {n_rows:,} rows\n({total:.0%} of the probability)",
    )


def draw_cpt(view: CptView, ax: Axes | None) -> Axes:
    """Draw bars for a variable without parents, otherwise a table of cells."""
    n_rows, n_states = view.probabilities.shape
    across = min(max(0.55 * n_states, 2.2), 8.0)
    down = min(max(0.26 * n_rows, 1.2), 9.5) if view.parents else 2.4
    beside = max(text_width(row, _LABEL_SIZE) for row in view.rows) / 72
    is_new = ax is None
    ax = axes_or_new(ax, (0.9 + beside + across, 1.2 + down), layout="constrained")
    inches = (across, down) if is_new else np.array(ax.get_window_extent().size) / ax.figure.dpi
    cell = np.asarray(inches) * 72 / [n_states, n_rows]
    if view.parents:
        _draw_cells(ax, view, cell)
    else:
        _draw_bars(ax, view, cell)
    _label_states(ax, view.states, float(cell[0]))
    ax.set_xlabel(view.variable, parse_math=False)
    ax.set_title(view.title, loc="left", fontsize="medium")
    return ax


def _label_states(ax: Axes, states: list[str], width: float) -> None:
    """Write states below their columns, rotated or thinned out where they would overlap."""
    ticks = _thinned(len(states), width / _SLANT)
    ax.set_xticks(ticks, [states[tick] for tick in ticks], parse_math=False)
    if max(text_width(state, _LABEL_SIZE) for state in states) > width - 3:
        for label in ax.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")


def _thinned(n_labels: int, points: float) -> Places:
    """Return the labels to write if each has that many points."""
    return np.arange(0, n_labels, math.ceil(_LINE_POINTS / points))


def _draw_bars(ax: Axes, view: CptView, cell: Floats) -> None:
    values = view.probabilities[0]
    ax.bar(np.arange(len(values)), values, 0.7, **BAR_STYLE)
    ax.set(ylabel="probability", ylim=(0, 1.18 * values.max()))
    if cell[0] >= _MIN_CELL[0]:
        for place, value in enumerate(values.tolist()):
            ax.annotate(
                _number(value), (place, value), (0, 2), textcoords="offset points", ha="center"
            )


def _draw_cells(ax: Axes, view: CptView, cell: Floats) -> None:
    image = ax.imshow(view.probabilities, aspect="auto", cmap="Blues", vmin=0.0, vmax=1.0)
    ticks = _thinned(len(view.rows), float(cell[1]))
    ax.set_yticks(ticks, [view.rows[tick] for tick in ticks], parse_math=False)
    ax.set_ylabel(", ".join(view.parents), parse_math=False)
    ax.tick_params(length=0)
    if (cell < _MIN_CELL).any():
        ax.figure.colorbar(image, ax=ax, label="probability", format=PercentFormatter(1.0))
        return
    for (row, state), value in np.ndenumerate(view.probabilities):
        colour = "white" if value >= _DARK else "black"
        ax.text(state, row, _number(value), ha="center", va="center", color=colour, size=8)


def _number(probability: float) -> str:
    """Return two digits, but neither 0 nor 1 for other probabilities."""
    if 0 < probability < 0.005:
        return "<.01"
    return ">.99" if 0.995 <= probability < 1 else f"{probability:.2f}"
