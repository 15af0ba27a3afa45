"""Missing cells of a table: their fraction per variable, and their patterns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from baytree.messages.arguments import integer_at_least
from baytree.plots.axes import BAR_STYLE, axes_or_new, ink, short_texts
from baytree.tables.columns import Mask

_BAR_INCHES, _ROW_INCHES, _PATTERN_INCHES = 2.6, 0.3, 0.4


@dataclass(frozen=True, eq=False)
class Missingness:
    """Variables with missing cells, most missing first, and the most frequent patterns."""

    names: list[str]
    fractions: npt.NDArray[np.float64]
    patterns: Mask  # one row per pattern, one column per variable
    pattern_fractions: npt.NDArray[np.float64]
    title: str


def missingness(
    variables: Sequence[Hashable], is_missing: Mask, max_variables: int, max_patterns: int
) -> Missingness:
    """Return the variables and patterns to show."""
    fractions = is_missing.mean(axis=0)
    incomplete = np.flatnonzero(fractions)
    candidates = incomplete if len(incomplete) else np.arange(len(variables))
    order = candidates[np.argsort(-fractions[candidates], kind="stable")]
    shown = order[: integer_at_least("max_variables", max_variables, 1)]
    patterns, pattern_fractions = _patterns(is_missing[:, shown])
    n_patterns = integer_at_least("max_patterns", max_patterns, 0)
    texts = short_texts(variables)
    return Missingness(
        names=[texts[position] for position in shown],
        fractions=fractions[shown],
        patterns=patterns[:n_patterns],
        pattern_fractions=pattern_fractions[:n_patterns],
        title=_title(is_missing, len(incomplete), len(shown)),
    )


def draw_missingness(shown: Missingness, ax: Axes | None) -> Axes:
    """Draw a bar per variable, and beside the bars a column of marks per pattern."""
    n_rows, n_patterns = len(shown.names), len(shown.patterns)
    size = (_BAR_INCHES + 1.8 + _PATTERN_INCHES * n_patterns, 1.5 + _ROW_INCHES * n_rows)
    ax = axes_or_new(ax, size, layout="constrained")
    rows = np.arange(n_rows)
    ax.barh(rows, shown.fractions, height=0.65, **BAR_STYLE)
    for row, fraction in enumerate(shown.fractions.tolist()):
        ax.annotate(
            _percent(fraction), (fraction, row), (4, 0), textcoords="offset points", va="center"
        )
    ax.set_yticks(rows, shown.names, parse_math=False)
    ax.set_ylim(n_rows - 0.4, -0.6)
    ax.set_title(shown.title, loc="left", fontsize="medium")
    _draw_columns(ax, shown)
    return ax


def _draw_columns(ax: Axes, shown: Missingness) -> None:
    """Draw the patterns to the right of the bars, on the same axes, labelled by their fractions."""
    end = max(1.35 * float(shown.fractions.max()), 1e-3)
    gap = end * _PATTERN_INCHES / _BAR_INCHES
    columns = end + gap * (0.5 + np.arange(len(shown.patterns)))
    ax.set_xlim(0, end + gap * len(columns))
    for at, pattern in zip(columns, shown.patterns, strict=True):
        ax.plot(
            np.full((~pattern).sum(), at), np.flatnonzero(~pattern), "o", ms=2.5, color=ink(0.7)
        )
        ax.plot(np.full(pattern.sum(), at), np.flatnonzero(pattern), "s", ms=8, color=ink())
    scale = [
        tick
        for tick in MaxNLocator(3, steps=[1, 2, 5, 10]).tick_values(0, shown.fractions.max())
        if 0 <= tick < end
    ]
    ax.set_xticks([*scale, *columns], map(_percent, [*scale, *shown.pattern_fractions]))
    for label in ax.get_xticklabels()[len(scale) :]:
        label.set(rotation=45, ha="right", rotation_mode="anchor")
    words = "bars: missing cells"
    if len(columns):
        ax.axvline(end, color=ink(), linewidth=0.8)
        words += "; columns: rows in which exactly the ■ are missing"
    ax.set_xlabel(words, loc="left")


def _patterns(is_missing: Mask) -> tuple[Mask, npt.NDArray[np.float64]]:
    """Return the distinct rows with their fractions, the most frequent first."""
    found, counts = np.unique(np.packbits(is_missing, axis=1), axis=0, return_counts=True)
    patterns = np.unpackbits(found, axis=1, count=is_missing.shape[1]).astype(bool)
    order = np.lexsort((patterns.sum(axis=1), -counts))
    return patterns[order], counts[order] / len(is_missing)


def _title(is_missing: Mask, n_incomplete: int, n_shown: int) -> str:
    n_missing, n_variables = int(np.count_nonzero(is_missing)), is_missing.shape[1]
    title = (
        f"{n_missing:,} of {is_missing.size:,} cells missing ({n_missing / is_missing.size:.1%})\n"
        f"{n_incomplete:,} of {n_variables:,} variables have missing cells"
    )
    return title if n_shown >= n_incomplete else f"{title}; the {n_shown:,} with most are shown"


def _percent(fraction: float) -> str:
    if 0 < fraction < 0.0005:
        return "<0.1%"
    n_digits = 2 if fraction < 0.995 else 3
    return f"{100 * fraction:.{n_digits}g}%"
