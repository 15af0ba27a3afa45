"""How good and how fast is structure search, beside published figures and a prototype?

Run with BAYTREE_BENCH_DIR set; see benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from cells import CellFile
from run_settings import Cell, RunSettings
from score_curves import curves_svg
from structure_figures import (
    against_k_greedy,
    against_s2,
    default_search,
    exact_confirmation,
    fixed_caches,
    growth,
    k_tree_pace,
)
from structure_tables import Report, markdown, print_reports

FIGURES: dict[int, ModuleType] = {
    1: k_tree_pace,
    2: against_k_greedy,
    3: against_s2,
    4: default_search,
    5: fixed_caches,
    6: growth,
    7: exact_confirmation,
}


def figure_numbers(text: str) -> list[int]:
    numbers = sorted({int(part) for part in text.split(",")})
    if unknown := [number for number in numbers if number not in FIGURES]:
        raise argparse.ArgumentTypeError(f"there is no figure {unknown[0]}; known: 1 to 7")
    return numbers


def run_cells(cells: list[Cell], file: CellFile) -> int:
    """Run what has no line yet; return how many cells failed, to be tried in the next run."""
    n_failed = 0
    for cell in cells:
        try:
            file.run([cell])
        except EOFError:  # its process died, and said why
            print(f"!!! failed: {cell.name}", file=sys.stderr, flush=True)
            n_failed += 1
    return n_failed


def preface(settings: RunSettings) -> str:
    note = (
        "Budgets are those of the targets."
        if settings.mode == "full"
        else "Quick mode: a few data sets and much shorter times than the targets are for, so a "
        "target that is not reached here says little."
    )
    if settings.scale != 1:
        note += f" All times are multiplied by {settings.scale:g}."
    return (
        f"Ours beside published figures and a prototype, {settings.n_jobs} cores. Scores are BIC "
        "in natural logarithms, higher is better; every structure of ours was checked by code of "
        f"its own for its treewidth and its score. {note} Figures of time depend on the machine, "
        "and scores within a time limit a little. What each figure asks: "
        "[benchmarks](../benchmarks/README.md)."
    )


def report_of(module: ModuleType, settings: RunSettings, file: CellFile) -> Report:
    missing = {cell.name for cell in module.cells(settings)} - file.figures.keys()
    report: Report = module.report(settings, file.figures)
    return replace(report, n_missing=len(missing))


def write_page(path: Path, reports: list[Report], command: str, preface: str) -> None:
    """Write the tables as Markdown, and the curves of score by time beside them."""
    picture = path.with_name(f"{path.stem}_curves.svg")
    page = markdown(reports, command=command, preface=preface, curves_name=picture.name)
    path.write_text(page)
    if curves := [curve for report in reports for curve in report.curves]:
        picture.write_text(curves_svg(curves))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figures", type=figure_numbers, default=list(FIGURES), metavar="1,2,4")
    parser.add_argument("--mode", choices=("quick", "full"), default="quick")
    parser.add_argument("--output", type=Path, help="JSON lines of finished cells")
    parser.add_argument("--jobs", type=int, default=2, help="threads of a search")
    parser.add_argument("--markdown", type=Path, help="file to write the tables to")
    parser.add_argument("--work-dir", type=Path, default=Path("build/benchmarks/structure"))
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies all time limits")
    parser.add_argument("--only", default="", metavar="TEXT", help="measure cells so named")
    parser.add_argument("--fresh", action="store_true", help="measure every cell again")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what is there")
    options = parser.parse_args()
    settings = RunSettings(options.mode, options.jobs, options.work_dir, options.scale)
    output = options.output or Path(f"build/benchmarks/structure-{options.mode}.jsonl")
    file = CellFile(output, fresh=options.fresh)
    modules = [FIGURES[number] for number in options.figures]
    cells = {cell.name: cell for module in modules for cell in module.cells(settings)}
    wanted = [cell for name, cell in cells.items() if options.only in name]
    n_failed = 0 if options.show else run_cells(wanted, file)
    reports = [report_of(module, settings, file) for module in modules]
    print(preface(settings))
    print_reports(reports)
    if options.markdown:
        words = [word for word in sys.argv if word not in ("--show", "--fresh")]
        command = f"BAYTREE_BENCH_DIR=<folder> {shlex.join(['python', *words])}"
        write_page(options.markdown, reports, command, preface(settings))
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
