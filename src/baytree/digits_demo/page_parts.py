"""Pieces of HTML that the sections of the page are put together from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from matplotlib.figure import Figure

from baytree.digits_demo.charts import chart_bytes
from baytree.digits_demo.examples import Example
from baytree.digits_demo.tiles import Floats, data_address, png_bytes


def fact(figure: str, words: str, *, is_ours: bool = False) -> str:
    """Return a large figure with what it means."""
    kind = "fact ours" if is_ours else "fact"
    return f'<div class="{kind}"><strong>{escape(figure)}</strong>{escape(words)}</div>'


def section(title: str, *parts: str) -> str:
    """Return a panel with a heading."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def paragraph(words: str, kind: str = "") -> str:
    """Return a paragraph of plain words."""
    return f'<p class="{kind}">{escape(words)}</p>' if kind else f"<p>{escape(words)}</p>"


def tile(dots: Floats, words: str, caption: str) -> str:
    """Return one small image; `words` stand for it where it cannot be seen."""
    address = data_address(png_bytes(dots))
    return (
        f'<figure><img class="tile" src="{address}" alt="{escape(words)}" width="80" height="80">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def card(example: Example) -> str:
    """Return an image four ways, with how much of it came back."""
    tiles = "".join(
        tile(dots, f"Image {example.number}, a {example.digit}: {name}", name)
        for name, dots in example.tiles.items()
    )
    words = f"image {example.number}: {example.n_right} of {example.n_hidden} right"
    return f'<div class="card">{tiles}<p>{words}</p></div>'


def cards(examples: Iterable[Example]) -> str:
    """Return a grid of images."""
    return f'<div class="cards">{"".join(card(example) for example in examples)}</div>'


def bar(share: float) -> str:
    """Return a bar as long as the share of its cell."""
    return f'<span class="track"><span style="width:{100 * share:.1f}%"></span></span>'


def table(
    heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], *, kind: str = ""
) -> str:
    """Return a table; each row is its class and its cells, which are HTML already."""
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in heads)
    body = "".join(_row(kind_of_row, cells) for kind_of_row, cells in rows)
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def chart(light: Figure, dark: Figure, words: str) -> str:
    """Return a chart in the colours that the reader's system asks for."""
    return (
        '<picture><source media="(prefers-color-scheme: dark)" '
        f'srcset="{data_address(chart_bytes(dark))}">'
        f'<img class="chart" src="{data_address(chart_bytes(light))}" alt="{escape(words)}">'
        "</picture>"
    )


def _row(kind: str, cells: Sequence[str]) -> str:
    tags = "".join(
        f'<td class="bar">{cell}</td>' if cell.startswith("<span") else f"<td>{cell}</td>"
        for cell in cells
    )
    return f'<tr class="{kind}">{tags}</tr>' if kind else f"<tr>{tags}</tr>"
