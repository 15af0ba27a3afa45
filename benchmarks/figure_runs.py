"""Command line of a script of figures: measure cells, print tables, write a Markdown page."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType

from cells import CellFile
from figure_tables import (
    REFERENCES,
    Report,
    other_sections,
    page,
    picture_name,
    print_reports,
    section,
)
from run_settings import Cell, RunSettings
from score_curves import curves_svg


@dataclass(frozen=True)
class FigureScript:
    """Figures by number: modules with `cells(settings)` and `report(settings, figures)`."""

    name: str  # stem of its files
    title: str  # of its page
    description: str
    figures: Mapping[int, ModuleType]
    preface: Callable[[RunSettings], str]
    references: str = REFERENCES
    pictures: str = ""  # folder of pictures beside the page, with a slash

    def main(self) -> int:
        """Run the command line; the exit status is 1 if a cell failed."""
        options = self._parser().parse_args()
        settings = RunSettings(options.mode, options.n_jobs, options.work_dir, options.scale)
        selected = [
            (self.figures[number], settings if scale is None else replace(settings, scale=scale))
            for number, scale in options.figures.items()
        ]
        output = options.output or Path(f"build/benchmarks/{self.name}-{options.mode}.jsonl")
        file = CellFile(output, fresh=options.fresh)
        cells = {cell.name: cell for module, own in selected for cell in module.cells(own)}
        chosen = [cell for name, cell in cells.items() if options.only in name]
        n_failed = 0 if options.show else _run_cells(chosen, file, options.workers)
        reports = [report_of(module, own, file) for module, own in selected]
        print(self.preface(settings))
        print_reports(reports)
        if options.markdown:
            commands = [
                _command(number, own)
                for number, (_, own) in zip(options.figures, selected, strict=True)
            ]
            self._write_page(options.markdown, reports, commands, self.preface(settings))
        return 1 if n_failed else 0

    def _parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(description=self.description)
        parser.add_argument(
            "--figures",
            type=self._scales,
            default=dict.fromkeys(self.figures),
            metavar="1,2,4@0.1",
            help="numbers of figures, each with an optional scale",
        )
        parser.add_argument("--mode", choices=("quick", "full"), default="quick")
        parser.add_argument("--output", type=Path, help="file of finished cells, in JSON lines")
        parser.add_argument("--n-jobs", type=int, default=2, help="threads per call")
        parser.add_argument(
            "--workers", type=int, default=1, help="cells measured side by side (default: 1)"
        )
        parser.add_argument(
            "--markdown", type=Path, help="page to write; its other figures are kept"
        )
        parser.add_argument("--work-dir", type=Path, default=Path(f"build/benchmarks/{self.name}"))
        parser.add_argument("--scale", type=float, default=1.0, help="factor on all time limits")
        parser.add_argument(
            "--only", default="", metavar="TEXT", help="measure cells with TEXT in the name"
        )
        parser.add_argument("--fresh", action="store_true", help="forget finished cells first")
        parser.add_argument(
            "--show", action="store_true", help="measure nothing, print finished cells"
        )
        return parser

    def _scales(self, text: str) -> dict[int, float | None]:
        """Parse numbers and scales; None stands for the common scale."""
        scales: dict[int, float | None] = {}
        for part in text.split(","):
            number, _, scale = part.partition("@")
            if int(number) not in self.figures:
                known = ", ".join(map(str, self.figures))
                raise argparse.ArgumentTypeError(f"there is no figure {number}; known: {known}")
            scales[int(number)] = float(scale) if scale else None
        return dict(sorted(scales.items()))

    def _write_page(
        self, path: Path, reports: list[Report], commands: list[str], preface: str
    ) -> None:
        """Write the page, and the picture of its curves next to it."""
        picture = f"{self.pictures}{path.stem}_curves.svg"
        sections = []
        if path.exists():
            sections = other_sections(path.read_text(), reports, references=self.references)
        sections += [
            section(report, command=command, curves_name=picture)
            for report, command in zip(reports, commands, strict=True)
        ]
        whole = page(sections, title=self.title, preface=preface, references=self.references)
        (path.parent / picture).parent.mkdir(parents=True, exist_ok=True)
        path.write_text(whole)
        if curves := [curve for report in reports for curve in report.curves]:
            (path.parent / picture).write_text(curves_svg(curves))
        for report in reports:
            for name, text in report.pictures.items():
                (path.parent / picture_name(picture, name)).write_text(text)


def _command(number: int, settings: RunSettings) -> str:
    """Return the command that measures one figure."""
    figure = f"{number}@{settings.scale:g}" if settings.scale != 1 else str(number)
    options = f"--mode {settings.mode} --n-jobs {settings.n_jobs} --figures {figure}"
    return f"BAYTREE_BENCH_DIR=<folder> python {shlex.quote(sys.argv[0])} {options}"


def _run_cells(cells: list[Cell], file: CellFile, n_workers: int) -> int:
    """Run the cells that have no line yet; return the number of failures."""
    with ThreadPoolExecutor(n_workers) as pool:
        return sum(pool.map(partial(_run_cell, file), cells))


def _run_cell(file: CellFile, cell: Cell) -> bool:
    """Run a cell that has no line yet; return whether it failed."""
    try:
        file.run([cell])
    except EOFError:  # its process died after printing the reason
        print(f"!!! failed: {cell.name}", file=sys.stderr, flush=True)
        return True
    return False


def report_of(module: ModuleType, settings: RunSettings, file: CellFile) -> Report:
    names = {cell.name for cell in module.cells(settings)}
    missing = names - file.figures.keys()
    report: Report = module.report(settings, file.figures)
    dates = sorted({file.figures[name].get("date", "") for name in names - missing} - {""})
    if dates:
        report = replace(report, dates=" to ".join(dict.fromkeys((dates[0], dates[-1]))))
    notes = report.notes
    if settings.scale != 1:
        notes += f" Time limits are scaled by {settings.scale:g}."
    return replace(report, notes=notes, n_missing=len(missing))
