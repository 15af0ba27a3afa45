"""Images of handwritten digits as a table, with pixels hidden to be imputed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

import baytree as bt

SIDE = 8
N_IMAGES = 1797
MIN_IMAGES = 100
SHADES = ("blank", "light", "dark", "black")
FIRST_INK_OF_SHADE = (1, 6, 11)  # pixels have 0 to 16
PIXELS = tuple(f"row{row}col{col}" for row in range(SIDE) for col in range(SIDE))

HIDDEN_FRACTION = 0.15
FRACTION_WITHOUT_QUARTER = 0.1  # of the images


@dataclass(frozen=True, eq=False)
class HiddenDigits:
    """One row per image and one variable per pixel, complete and with hidden pixels."""

    digits: np.ndarray  # the digit that was written; no method gets to see it
    truth: pd.DataFrame
    table: pd.DataFrame  # the hidden pixels are missing
    is_hidden: np.ndarray
    is_in_quarter: np.ndarray  # of those hidden

    @property
    def is_scattered(self) -> np.ndarray:
        """Mask of the pixels that were hidden one by one."""
        return self.is_hidden & ~self.is_in_quarter

    @property
    def lost_a_quarter(self) -> np.ndarray:
        """Mask of the images that lost a quarter."""
        return self.is_in_quarter.any(axis=1)


def hide_pixels(n_images: int = N_IMAGES, *, random_state: int = 0) -> HiddenDigits:
    """Return the first images, with pixels hidden at random and a quarter of some images."""
    images = load_digits()
    codes = np.digitize(images.data[:n_images], FIRST_INK_OF_SHADE)
    truth = pd.DataFrame(np.array(SHADES)[codes], columns=list(PIXELS))
    is_in_quarter = _lost_quarters(n_images, random_state)
    table = bt.ampute(truth, HIDDEN_FRACTION, random_state=random_state).mask(is_in_quarter)
    return HiddenDigits(
        images.target[:n_images], truth, table, table.isna().to_numpy(), is_in_quarter
    )


def shade_codes(table: pd.DataFrame) -> np.ndarray:
    """Return the names of shades as numbers, -1 for a missing pixel."""
    columns = [pd.Categorical(table[name], categories=SHADES).codes for name in PIXELS]
    return np.column_stack(columns).astype(np.int64)


def _lost_quarters(n_images: int, random_state: int) -> np.ndarray:
    """Return the mask of one quarter each of some images, drawn at random."""
    random = np.random.default_rng([random_state, 1])  # a stream apart from that of ampute
    n_lost = round(FRACTION_WITHOUT_QUARTER * n_images)
    rows = random.choice(n_images, n_lost, replace=False)
    is_lost = np.zeros((n_images, 2, SIDE // 2, 2, SIDE // 2), dtype=bool)
    is_lost[rows, random.integers(2, size=n_lost), :, random.integers(2, size=n_lost), :] = True
    return is_lost.reshape(n_images, SIDE * SIDE)
