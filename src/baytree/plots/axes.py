"""Axes, colours and texts that all pictures share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from baytree.messages.labels import shown_labels
from baytree.messages.quoting import shortened

BOX_INK = "0.15"  # on the light ground of boxes and bars, in dark themes too
# Hatched, for prints in black and white.
BAR_STYLE: dict[str, Any] = {
    "color": "#9ec5e8",
    "edgecolor": BOX_INK,
    "hatch": "///",
    "linewidth": 0.8,
}
LINE_STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D")

_MAX_LETTERS = 32


def axes_or_new(ax: Axes | None, size: tuple[float, float], **options: Any) -> Axes:
    """Return the given axes, or those of a new figure of a size in inches."""
    if ax is None:
        new: Axes = plt.subplots(figsize=size, **options)[1]
        return new
    if not isinstance(ax, Axes):
        raise ValueError(f"ax must be the axes of a matplotlib figure; got {shortened(ax)}.")
    return ax


def ink(fading: float = 0.15) -> tuple[float, float, float]:
    """Return the colour of texts mixed with a fraction of the background, light or dark."""
    text, ground = (np.array(to_rgb(plt.rcParams[key])) for key in ("text.color", "axes.facecolor"))
    red, green, blue = ((1 - fading) * text + fading * ground).tolist()
    return red, green, blue


def short_texts(labels: Sequence[Hashable], max_letters: int = _MAX_LETTERS) -> list[str]:
    """Return one line of text per label; long ones are shortened in the middle."""
    return [_short(" ".join(text.split()), max_letters) for text in shown_labels(labels)]


def _short(text: str, max_letters: int) -> str:
    text = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    if len(text) <= max_letters:
        return text
    n_last = max_letters // 3
    return f"{text[: max_letters - 1 - n_last]}…{text[-n_last:]}"


class ScaledText(Text):
    """Text with a size in data units, which fits its box at every zoom."""

    def __init__(self, *args: Any, units: float, **options: Any) -> None:
        super().__init__(*args, **options)
        self._units = units

    def draw(self, renderer: RendererBase) -> None:
        """Draw the text at the current scale of the axes."""
        self._fit()
        super().draw(renderer)

    def get_window_extent(self, *args: Any, **options: Any) -> Bbox:
        """Return the extent in pixels."""
        self._fit()
        return super().get_window_extent(*args, **options)

    def _fit(self) -> None:
        if self.axes is not None and self.figure is not None:
            (_, low), (_, high) = self.axes.transData.transform([(0.0, 0.0), (0.0, self._units)])
            self.set_fontsize(max(abs(high - low) * 72.0 / self.figure.dpi, 0.5))
