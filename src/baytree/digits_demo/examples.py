"""The images that are shown, and how: chosen by a rule, not by how well they came out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from baytree.digits_demo.digits import Mask, shade_codes
from baytree.digits_demo.findings import Findings
from baytree.digits_demo.tiles import (
    Floats,
    certainty_tile,
    filled_tile,
    holes_tile,
    shade_tile,
)

TILE_NAMES = ("original", "holes", "filled", "certainty")


@dataclass(frozen=True, eq=False)
class Example:
    """One image, four ways."""

    number: int  # its row in the table
    digit: int
    n_hidden: int
    n_right: int
    tiles: dict[str, Floats]


def quarter_examples(findings: Findings) -> list[Example]:
    """Return, for each digit, the first image that lost a quarter."""
    return _first_of_each_digit(findings, findings.digits.lost_a_quarter)


def scattered_examples(findings: Findings) -> list[Example]:
    """Return, for each digit, the first image that lost pixels one by one alone."""
    return _first_of_each_digit(findings, ~findings.digits.lost_a_quarter)


def _first_of_each_digit(findings: Findings, among: Mask) -> list[Example]:
    of_digit = (np.flatnonzero(among & (findings.digits.digits == digit)) for digit in range(10))
    return [_example(findings, int(numbers[0])) for numbers in of_digit if len(numbers)]


def _example(findings: Findings, number: int) -> Example:
    digits, filled = findings.digits, findings.filled
    truth = shade_codes(digits.truth.iloc[[number]])[0]
    is_hidden, codes = digits.is_hidden[number], filled.codes[number]
    pictures = (
        shade_tile(truth),
        holes_tile(truth, is_hidden),
        filled_tile(codes, truth),
        certainty_tile(filled.certainty[number], truth, is_hidden),
    )
    return Example(
        number,
        int(digits.digits[number]),
        int(is_hidden.sum()),
        int((codes == truth)[is_hidden].sum()),
        dict(zip(TILE_NAMES, pictures, strict=True)),
    )
