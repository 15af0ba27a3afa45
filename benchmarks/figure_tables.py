"""Tables of figures beside their targets: on a terminal, and as Markdown for the docs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from score_curves import ScoreCurve

REACHED = "reached"


@dataclass(frozen=True)
class FigureTable:
    """Rows of text under a header; a column named "verdict" says whether a target was reached."""

    caption: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def verdicts(self) -> list[str]:
        if "verdict" not in self.header:
            return []
        column = self.header.index("verdict")
        return [row[column] for row in self.rows if row[column]]


@dataclass(frozen=True)
class Report:
    """What a figure found: `notes` say how, `tables` show it."""

    title: str
    notes: str
    tables: list[FigureTable]
    curves: list[ScoreCurve] = field(default_factory=list)
    n_missing: int = 0  # cells that are not measured

    def summary(self) -> str:
        verdicts = [verdict for table in self.tables for verdict in table.verdicts()]
        n_reached = sum(verdict.startswith(REACHED) for verdict in verdicts)
        cells = "cell" if self.n_missing == 1 else "cells"
        missing = f"; {self.n_missing} {cells} not measured" if self.n_missing else ""
        reached = f"{n_reached} of {len(verdicts)} targets reached" if verdicts else "no target set"
        return f"{self.title}: {reached}{missing}"


def text_of(number: float | None, digits: int = 0) -> str:
    return "-" if number is None else f"{number:,.{digits}f}"


def verdict(value: float | None, target: float, digits: int = 1) -> str:
    """Say whether a value is at least its target."""
    if value is not None and value >= target:
        return REACHED
    return f"not reached: {text_of(value, digits)} against {text_of(target, digits)}"


def verdict_at_most(value: float | None, target: float, digits: int = 1) -> str:
    """Say whether a value is at most its target."""
    if value is not None and value <= target:
        return REACHED
    return f"not reached: {text_of(value, digits)} against {text_of(target, digits)}"


def verdict_between(value: float, low: float, high: float) -> str:
    if low <= value <= high:
        return REACHED
    return f"not reached: {value:,.1f} against {low:,.0f} to {high:,.0f}"


def print_reports(reports: Iterable[Report]) -> None:
    console = Console(width=170)
    reports = list(reports)
    for report in reports:
        console.rule(report.title)
        console.print(report.notes, markup=False, highlight=False)
        for table in report.tables:
            shown = Table(*map(escape, table.header), title=escape(table.caption))
            for row in table.rows:
                shown.add_row(*map(escape, row))
            console.print(shown)
    for report in reports:
        console.print(report.summary(), highlight=False)


def markdown(
    reports: Iterable[Report], *, title: str, command: str, preface: str, curves_name: str
) -> str:
    """Return a page; a report with curves shows them as the picture of the given name."""
    reports = list(reports)
    parts = [f"# {title}", preface, f"```sh\n{command}\n```"]
    parts.append("\n".join(f"- {report.summary()}" for report in reports))
    for report in reports:
        parts += [f"## {report.title}", report.notes]
        for table in report.tables:
            parts += [f"**{table.caption}**", _markdown_table(table)]
        if report.curves:
            parts.append(f"![score by time limit]({curves_name})")
    parts.append("[k-max]: references.md")
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: FigureTable) -> str:
    lines = [table.header, ("---",) * len(table.header), *table.rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in lines
    )
