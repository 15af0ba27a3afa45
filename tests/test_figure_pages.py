"""Pages of benchmark figures keep the figures that are not measured again."""

import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def write(monkeypatch, tmp_path):
    """A function that writes a page of figures, given by number and value, and returns its text."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from figure_tables import FigureTable, Report, other_sections, page, section

    path = tmp_path / "page.md"

    def write(**values: int) -> str:
        reports = [
            Report(
                f"Figure {name[1:]}: one of many",
                "How it was done.",
                [FigureTable("all of it", ("what", "verdict"), [(str(value), "reached")])],
            )
            for name, value in values.items()
        ]
        sections = other_sections(path.read_text(), reports) if path.exists() else []
        sections += [section(r, command="run it", curves_name="none.svg") for r in reports]
        path.write_text(page(sections, title="Figures", preface="Of some kind."))
        return path.read_text()

    return write


def test_a_figure_that_is_measured_anew_takes_the_place_of_its_old_one(write):
    first = write(f1=11, f2=22, f10=1010)
    assert first.replace("| 22 |", "| 33 |") == write(f2=33)


def test_figures_are_in_the_order_of_their_numbers_with_a_summary_each(write):
    write(f10=1010)
    text = write(f2=22, f1=11)
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("## ")] == [
        f"## Figure {number}: one of many" for number in (1, 2, 10)
    ]
    assert [line for line in lines if line.startswith("- ")] == [
        f"- Figure {number}: one of many: 1 of 1 targets reached" for number in (1, 2, 10)
    ]
    assert text.count("[k-max]:") == 1


def test_the_measured_page_of_imputation_is_what_its_script_writes(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from cells import CellFile
    from figure_runs import report_of
    from figure_tables import section
    from run_settings import RunSettings

    import imputation

    settings = RunSettings("full", 2, tmp_path)
    text = (BENCHMARKS / "measured" / "imputation.md").read_text()
    file = CellFile(BENCHMARKS / "measured" / "imputation-full.jsonl", fresh=False)
    assert imputation.preface(settings) in text
    for number, module in imputation.SCRIPT.figures.items():
        if number != 3:  # reads published figures from the benchmark folder
            (command,) = re.findall(
                rf"^.*benchmarks/imputation.py .*--figures {number}$", text, re.M
            )
            report = report_of(module, settings, file)
            assert section(report, command=command, curves_name="none.svg") in text
