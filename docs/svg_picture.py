"""Pictures in SVG from circles, boxes, lines, arrows and words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]

PAPER, INK, FAINT, LEAF, PALE, CORAL = (
    "#fbfaf5",
    "#26302b",
    "#9aa59f",
    "#1f6f43",
    "#d8ead9",
    "#c4512d",
)


@dataclass
class Picture:
    """A picture as a list of SVG elements, in drawing order."""

    width: int
    height: int
    title: str
    elements: list[str] = field(default_factory=list)

    def circle(
        self, at: Point, label: str, *, radius: float = 17, fill: str = PALE, line: str = LEAF
    ) -> None:
        x, y = at
        self.elements.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{line}" '
            'stroke-width="1.5"/>'
        )
        self.words((x, y + 4.5), label)

    def box(
        self, at: Point, size: Point, *, fill: str = PALE, line: str = LEAF, corner: float = 8
    ) -> None:
        (x, y), (width, height) = at, size
        self.elements.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}" '
            f'fill="{fill}" stroke="{line}" stroke-width="1.5"/>'
        )

    def line(
        self, start: Point, end: Point, *, color: str = FAINT, width: float = 1.5, dash: str = ""
    ) -> None:
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.elements.append(
            f'<line x1="{start[0]:.4g}" y1="{start[1]:.4g}" x2="{end[0]:.4g}" y2="{end[1]:.4g}" '
            f'stroke="{color}" stroke-width="{width:g}"{dashes}/>'
        )

    def arrow(
        self, start: Point, end: Point, *, gap: float = 19, color: str = INK, dash: str = ""
    ) -> None:
        """Draw an arrow between two points, shortened by `gap` at both ends."""
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        tail, tip = _moved(start, angle, gap), _moved(end, angle, -gap)
        self.line(tail, _moved(tip, angle, -5), color=color, width=2, dash=dash)
        corners = [tip, _moved(tip, angle + 2.7, 9), _moved(tip, angle - 2.7, 9)]
        points = " ".join(f"{x:.4g},{y:.4g}" for x, y in corners)
        self.elements.append(f'<polygon points="{points}" fill="{color}"/>')

    def words(
        self,
        at: Point,
        text: str,
        *,
        size: int = 13,
        color: str = INK,
        anchor: str = "middle",
        bold: bool = False,
    ) -> None:
        weight = ' font-weight="600"' if bold else ""
        self.elements.append(
            f'<text x="{at[0]:g}" y="{at[1]:g}" font-size="{size}" fill="{color}" '
            f'text-anchor="{anchor}"{weight}>{escape(text)}</text>'
        )

    def svg(self) -> str:
        """Return the text of the SVG file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" '
            'font-family="system-ui, Helvetica, Arial, sans-serif">'
        )
        paper = f'<rect width="{self.width}" height="{self.height}" rx="10" fill="{PAPER}"/>'
        title = f"<title>{escape(self.title)}</title>"
        return "\n".join([head, title, paper, *self.elements, "</svg>", ""])


def _moved(at: Point, angle: float, distance: float) -> Point:
    return at[0] + distance * math.cos(angle), at[1] + distance * math.sin(angle)
