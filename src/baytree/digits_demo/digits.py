"""Images of handwritten digits as a table with holes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import load_digits

from baytree.tables.amputation import ampute

Codes: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

SIDE = 8
N_IMAGES = 1797
LEAST_IMAGES = 100
SHADES = ("blank", "light", "dark", "black")
FIRST_INK_OF_SHADE = (1, 6, 11)  # pixels have 0 to 16
PIXELS = tuple(f"row{row}col{col}" for row in range(SIDE) for col in range(SIDE))

HIDDEN_SHARE = 0.15
SHARE_WITHOUT_QUARTER = 0.1  # of the images


@dataclass(frozen=True, eq=False)
class HoledDigits:
    """A row an image and a variable a pixel; the truth beside what is left of it."""

    digits: Codes  # which digit was written; no method gets to see it
    truth: pd.DataFrame
    holes: pd.DataFrame
    is_hidden: Mask
    is_in_quarter: Mask  # of those hidden

    @property
    def is_scattered(self) -> Mask:
        """Which pixels were hidden one by one."""
        return self.is_hidden & ~self.is_in_quarter

    @property
    def lost_a_quarter(self) -> Mask:
        """Which images did."""
        return np.asarray(self.is_in_quarter.any(axis=1))


def holed_digits(n_images: int = N_IMAGES, *, seed: int = 0) -> HoledDigits:
    """Return the first images, with pixels hidden at random and a quarter of some images."""
    images = load_digits()
    codes = np.digitize(images.data[:n_images], FIRST_INK_OF_SHADE)
    truth = labelled(codes)
    is_in_quarter = _lost_quarters(n_images, seed)
    holes = ampute(truth, HIDDEN_SHARE, random_state=seed).mask(is_in_quarter)
    return HoledDigits(
        images.target[:n_images], truth, holes, holes.isna().to_numpy(), is_in_quarter
    )


def labelled(codes: Codes) -> pd.DataFrame:
    """Return numbers of shades as a table of their names."""
    return pd.DataFrame(np.array(SHADES)[codes], columns=list(PIXELS))


def shade_codes(table: pd.DataFrame) -> Codes:
    """Return names of shades as their numbers, -1 where a pixel is hidden."""
    columns = [pd.Categorical(table[name], categories=SHADES).codes for name in PIXELS]
    return np.column_stack(columns).astype(np.int64)


def _lost_quarters(n_images: int, seed: int) -> Mask:
    """Return the pixels of one quarter each of some images, drawn at random."""
    random = np.random.default_rng([seed, 1])  # a stream apart from that of ampute
    n_lost = round(SHARE_WITHOUT_QUARTER * n_images)
    rows = random.choice(n_images, n_lost, replace=False)
    is_lost = np.zeros((n_images, 2, SIDE // 2, 2, SIDE // 2), dtype=bool)
    is_lost[rows, random.integers(2, size=n_lost), :, random.integers(2, size=n_lost), :] = True
    return is_lost.reshape(n_images, SIDE * SIDE)
