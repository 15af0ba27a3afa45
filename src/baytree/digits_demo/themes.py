"""Colours of charts on light and on dark pages; those of the page itself are in page.css."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """What a chart is drawn with."""

    name: str
    page: str
    panel: str
    paper: str  # under the ink of digits
    ink: str
    soft: str
    edge: str
    near: str  # arcs between pixels that touch
    far: str
    clique: str
    lines: tuple[str, ...]


LIGHT = Theme(
    name="light",
    page="#ffffff",
    panel="#ffffff",
    paper="#f4f5f2",
    ink="#1d2a26",
    soft="#5c6b66",
    edge="#d9dfdc",
    near="#2f7d5b",
    far="#c06a12",
    clique="#1f5fbf",
    lines=("#98a39f", "#c06a12", "#1f5fbf", "#2f7d5b", "#7a3e9d"),
)
DARK = Theme(
    name="dark",
    page="#192124",
    panel="#192124",
    paper="#222c30",
    ink="#e6ece9",
    soft="#9fb0aa",
    edge="#2c3836",
    near="#4fc08d",
    far="#f0a04b",
    clique="#7fb2ff",
    lines=("#87958f", "#f0a04b", "#7fb2ff", "#4fc08d", "#c79be0"),
)
