"""Plots of score against time as plain SVG, one panel per curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

WIDTH, HEIGHT = 360, 220  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 80, 16, 30, 36


@dataclass(frozen=True)
class ScoreCurve:
    """Scores by seconds, and a reference score."""

    title: str
    points: list[tuple[float, float]]
    level: float
    level_name: str


def curves_svg(curves: list[ScoreCurve]) -> str:
    """Return the panels, two per row."""
    n_rows = math.ceil(len(curves) / 2)
    size = f'width="{2 * WIDTH}" height="{n_rows * HEIGHT}"'
    style = 'font-family="sans-serif" font-size="11" fill="#444"'
    panels = "\n".join(
        f'<g transform="translate({WIDTH * (i % 2)} {HEIGHT * (i // 2)})">\n{_panel(curve)}\n</g>'
        for i, curve in enumerate(curves)
    )
    background = '<rect width="100%" height="100%" fill="#fff"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n{background}\n{panels}\n</svg>\n'
    )


def _panel(curve: ScoreCurve) -> str:
    seconds = [s for s, _ in curve.points]
    scores = [score for _, score in curve.points]
    low, high = min(*scores, curve.level), max(*scores, curve.level)
    span = math.log(seconds[-1] / seconds[0]) or 1.0

    def x(s: float) -> float:
        share = math.log(s / seconds[0]) / span
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(score: float) -> float:
        share = (score - low) / ((high - low) or 1.0)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    line = " ".join(f"{x(s)},{y(score)}" for s, score in curve.points)
    parts = [
        f'<text x="{LEFT}" y="18" font-weight="bold">{curve.title}</text>',
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#999"/>',
        f'<path d="M{LEFT} {y(curve.level)}H{right}" stroke="#c60" stroke-dasharray="5 4"/>',
        f'<text x="{right}" y="{y(curve.level) - 4}" text-anchor="end" fill="#c60">'
        f"{curve.level_name}</text>",
        f'<polyline points="{line}" fill="none" stroke="#069" stroke-width="2"/>',
    ]
    for s, score in curve.points:
        parts.append(f'<circle cx="{x(s)}" cy="{y(score)}" r="3" fill="#069"/>')
        parts.append(f'<text x="{x(s)}" y="{bottom + 15}" text-anchor="middle">{s:g} s</text>')
    for score in sorted({scores[0], scores[-1], curve.level}):
        parts.append(
            f'<text x="{LEFT - 5}" y="{y(score) + 4}" text-anchor="end">{score:,.0f}</text>'
        )
    return "\n".join(parts)
