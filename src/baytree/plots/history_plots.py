"""Best score against time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from baytree.messages.quoting import shortened
from baytree.plots.axes import LINE_STYLES, MARKERS, axes_or_new, ink

if TYPE_CHECKING:
    from baytree.imputation.imputer import BayesianNetworkImputer
    from baytree.learning.cache_search import SearchResult
    from baytree.learning.learner import NetworkLearner

_GID = "baytree history"  # marks the lines of this module
_MAX_MARKED = 40  # points; more markers would hide the line


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve and the name of its y axis."""

    seconds: np.ndarray
    scores: np.ndarray
    name: str
    is_search: bool


def draw_history(
    source: NetworkLearner | BayesianNetworkImputer | SearchResult,
    ax: Axes | None,
    label: str | None,
) -> Axes:
    """Draw steps for a search, or points for the iterations of EM."""
    curve = _curve(source)
    ax = axes_or_new(ax, (6.0, 3.6), layout="constrained")
    number = sum(line.get_gid() == _GID for line in ax.get_lines())
    ax.plot(
        curve.seconds,
        curve.scores,
        drawstyle="steps-post" if curve.is_search else "default",
        linestyle=LINE_STYLES[number % len(LINE_STYLES)],
        marker=MARKERS[number % len(MARKERS)] if len(curve.scores) <= _MAX_MARKED else "",
        markersize=4,
        linewidth=1.5,
        label=label,
        gid=_GID,
    )
    best = int(curve.scores.argmax())
    ax.plot(curve.seconds[best], curve.scores[best], marker="*", markersize=11, color=ink())
    _explain(ax, curve, best, label, is_first=number == 0)
    return ax


def _explain(ax: Axes, curve: Curve, best: int, label: str | None, *, is_first: bool) -> None:
    if is_first:
        ax.set(xlabel="seconds", ylabel=curve.name)
        ax.yaxis.set_major_formatter("{x:,.10g}")
        ax.grid(visible=True, linewidth=0.4, alpha=0.6)
        ax.margins(y=0.12)
    if is_first and label is None:
        words = f"best {curve.scores[best]:,.2f} after {curve.seconds[best]:,.2f} s"
        ax.set_title(words, loc="left", fontsize="medium")
    elif not is_first:
        ax.set_title("", loc="left")  # it named the best of the first curve
    if label is not None:
        ax.legend(loc="lower right", fontsize="small", handlelength=3.5)


def _curve(source: object) -> Curve:
    em_history = getattr(source, "em_history_", None)
    history = getattr(source, "history_", getattr(source, "history", None))
    settings: dict[str, object] = getattr(source, "get_params", dict)()
    name = f"score ({settings['criterion']})" if "criterion" in settings else "score"
    curve = _points(em_history, "penalised_log_likelihood", "penalised log-likelihood")
    curve = curve or _points(history, "score", name)
    if curve is None:
        raise ValueError(
            "There is no history to plot: give a NetworkLearner after fit, a SearchResult, or a "
            f"BayesianNetworkImputer that was fitted to missing cells; got {shortened(source)}."
        )
    return curve


def _points(history: object, column: str, name: str) -> Curve | None:
    """Return the rows of a history that have a score; None if there are none."""
    if not isinstance(history, pd.DataFrame) or column not in history:
        return None
    scored = history[np.isfinite(history[column])]
    if not len(scored):
        return None
    seconds, scores = scored["seconds"].to_numpy(), scored[column].to_numpy()
    return Curve(seconds, scores, name, is_search=column == "score")
