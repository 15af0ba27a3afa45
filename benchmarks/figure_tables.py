"""Reports of measured figures with their targets: on a terminal and as a Markdown page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from score_curves import ScoreCurve

REACHED = "reached"
REFERENCES = "../../docs/references.md"  # from the page, which ends in this link


@dataclass(frozen=True)
class FigureTable:
    """A caption, a header and rows of text; a column "verdict" compares with targets."""

    caption: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def verdicts(self) -> list[str]:
        columns = [i for i, title in enumerate(self.header) if title.startswith("verdict")]
        return [row[column] for row in self.rows for column in columns if row[column]]


@dataclass(frozen=True)
class Report:
    """Results of one figure: notes on the method, tables and curves."""

    title: str
    notes: str
    tables: list[FigureTable]
    curves: list[ScoreCurve] = field(default_factory=list)
    pictures: dict[str, str] = field(default_factory=dict)  # SVG by name
    dates: str = ""  # of the measurements
    n_missing: int = 0  # cells that are not measured

    def summary(self) -> str:
        return f"{self.title}: {self.result()}"

    def result(self) -> str:
        verdicts = [verdict for table in self.tables for verdict in table.verdicts()]
        n_reached = sum(verdict.startswith(REACHED) for verdict in verdicts)
        cells = "cell" if self.n_missing == 1 else "cells"
        missing = f"; {self.n_missing} {cells} not measured" if self.n_missing else ""
        parts = [f"{n_reached} of {len(verdicts)} targets reached"] if verdicts else []
        if self.dates:
            parts.append(f"measured {self.dates}")
        if not parts:
            has_rows = any(table.rows for table in self.tables)
            parts = ["no target set" if has_rows else "not measured"]
        return "; ".join(parts) + missing


def decimal(number: float | None, digits: int = 0) -> str:
    return "-" if number is None else f"{number:,.{digits}f}"


def verdict_at_least(value: float | None, target: float, digits: int = 1) -> str:
    """Compare a value with the smallest one that reaches the target."""
    if value is not None and value >= target:
        return REACHED
    return f"not reached: {decimal(value, digits)} against {decimal(target, digits)}"


def verdict_at_most(value: float | None, target: float, digits: int = 1) -> str:
    """Compare a value with the largest one that reaches the target."""
    if value is not None and value <= target:
        return REACHED
    return f"not reached: {decimal(value, digits)} against {decimal(target, digits)}"


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


def section(report: Report, *, command: str, curves_name: str) -> str:
    """Return the Markdown of one report; `curves_name` is the file of its picture."""
    parts = [f"## {report.title}", f"{report.result()}.", f"```sh\n{command}\n```", report.notes]
    for table in report.tables:
        parts += [f"**{table.caption}**", _markdown_table(table)]
    if report.curves:
        parts.append(f"![score by time limit]({curves_name})")
    parts += [f"![{name}]({picture_name(curves_name, name)})" for name in report.pictures]
    return "\n\n".join(parts)


def picture_name(curves_name: str, name: str) -> str:
    """Return the file of a picture, beside that of the curves."""
    return curves_name.replace("_curves.svg", f"_{name}.svg")


def page(sections: Iterable[str], *, title: str, preface: str, references: str = REFERENCES) -> str:
    """Return a page: title, preface, one line per section, and the sections in order."""
    ordered = sorted(sections, key=_number)
    summaries = []
    for text in ordered:
        heading, _, result, *_ = text.splitlines()
        summaries.append(f"- {heading.removeprefix('## ')}: {result.removesuffix('.')}")
    return (
        "\n\n".join([f"# {title}", preface, "\n".join(summaries), *ordered, _link(references)])
        + "\n"
    )


def other_sections(
    text: str, reports: Iterable[Report], *, references: str = REFERENCES
) -> list[str]:
    """Return the sections of an existing page that no report replaces."""
    _, *texts = text.removesuffix(f"\n\n{_link(references)}\n").split("\n\n## ")
    numbers = {_number(report.title) for report in reports}
    return [f"## {part}" for part in texts if _number(part) not in numbers]


def _link(references: str) -> str:
    return f"[k-max]: {references}"


def _number(title: str) -> int:
    """Return the number of a figure: the first number in its title."""
    found = re.search(r"\d+", title.splitlines()[0])
    if found is None:
        raise ValueError(f"the title has no number: {title}")
    return int(found[0])


def _markdown_table(table: FigureTable) -> str:
    lines = [table.header, ("---",) * len(table.header), *table.rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in lines
    )
