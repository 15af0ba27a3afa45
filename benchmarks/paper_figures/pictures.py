"""Box plots and scatter plots as plain SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 130, 20, 34, 44
COLORS = ("#069", "#c60", "#393", "#936")


def box_plots(title: str, groups: Mapping[str, Sequence[float]], unit: str) -> str:
    """Return horizontal boxes: quartiles, median, whiskers of 1.5 times the box, outliers.

    The axis is a signed square root, so that differences of very unequal sizes fit. Groups without
    values have no box.
    """
    groups = {name: group for name, group in groups.items() if group}
    values = [value for group in groups.values() for value in group]
    low, high = min(*values, 0.0), max(*values, 0.0)
    x = _scale(_signed_root(low), _signed_root(high), LEFT, WIDTH - RIGHT)
    step = (HEIGHT - TOP - BOTTOM) / len(groups)
    parts = [f'<path d="M{x(0)} {TOP}V{HEIGHT - BOTTOM}" stroke="#999" stroke-dasharray="4 4"/>']
    for number, (name, group) in enumerate(groups.items()):
        parts += _box(name, [x(_signed_root(v)) for v in group], TOP + (number + 0.5) * step, step)
    for tick in sorted({0.0, low, high, *(round(v, 2) for v in _ticks(low, high))}):
        parts.append(_label(x(_signed_root(tick)), HEIGHT - BOTTOM + 15, f"{tick:,.4g}"))
    return _drawing(title, unit, parts)


def scatter(
    title: str, series: Mapping[str, Sequence[tuple[float, float]]], axes: tuple[str, str]
) -> str:
    """Return points of several series, with the diagonal; both axes are logarithmic if positive."""
    points = [point for group in series.values() for point in group]
    numbers = [number for point in points for number in point]
    is_log = min(numbers) > 0 and max(numbers) > 20 * min(numbers)
    place = math.log if is_log else float
    low, high = place(min(numbers)), place(max(numbers))
    x = _scale(low, high, LEFT, WIDTH - RIGHT)
    y = _scale(low, high, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<path d="M{x(low)} {y(low)}L{x(high)} {y(high)}" stroke="#999" stroke-dasharray="4 4"/>'
    ]
    for number, (name, group) in enumerate(series.items()):
        color = COLORS[number % len(COLORS)]
        parts += [
            f'<circle cx="{x(place(a))}" cy="{y(place(b))}" r="3" fill="{color}" '
            'fill-opacity="0.6"/>'
            for a, b in group
        ]
        parts.append(
            f'<text x="{LEFT + 8}" y="{TOP + 14 * (number + 1)}" fill="{color}">{name}</text>'
        )
    for number in (min(numbers), max(numbers)):
        parts.append(_label(x(place(number)), HEIGHT - BOTTOM + 15, f"{number:,.3g}"))
        at = f'x="{LEFT - 6}" y="{y(place(number)) + 4}"'
        parts.append(f'<text {at} text-anchor="end">{number:,.3g}</text>')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<text x="8" y="{middle}">{axes[1]}</text>')
    return _drawing(title, axes[0], parts)


def _box(name: str, places: Sequence[float], y: float, step: float) -> list[str]:
    first, median, third = np.percentile(places, (25, 50, 75)).round(1)
    reach = 1.5 * (third - first)
    inside = [p for p in places if first - reach <= p <= third + reach]
    height = round(min(0.6 * step, 28), 1)
    top = round(y - height / 2, 1)
    return [
        f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{name} ({len(places)})</text>',
        f'<path d="M{min(inside)} {y:.1f}H{max(inside)}" stroke="#069"/>',
        f'<rect x="{first}" y="{top}" width="{third - first:.1f}" height="{height}" fill="#9cd" '
        'stroke="#069"/>',
        f'<path d="M{median} {top}v{height}" stroke="#036" stroke-width="2"/>',
        *(
            f'<circle cx="{p}" cy="{y:.1f}" r="2.5" fill="none" stroke="#069"/>'
            for p in places
            if not first - reach <= p <= third + reach
        ),
    ]


def _signed_root(value: float) -> float:
    return math.copysign(math.sqrt(abs(value)), value)


def _ticks(low: float, high: float) -> list[float]:
    return [low / 4, high / 4]


def _scale(low: float, high: float, start: float, end: float):
    span = (high - low) or 1.0
    return lambda value: round(start + (value - low) / span * (end - start), 1)


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="middle">{text}</text>'


def _drawing(title: str, unit: str, parts: Sequence[str]) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    body = "\n".join(
        [
            '<rect width="100%" height="100%" fill="#fff"/>',
            f'<text x="{LEFT}" y="18" font-weight="bold">{title}</text>',
            f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#999"/>',
            *parts,
            _label((LEFT + right) / 2, HEIGHT - 8, unit),
        ]
    )
    style = 'font-family="sans-serif" font-size="11" fill="#444"'
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n{body}\n</svg>\n'
