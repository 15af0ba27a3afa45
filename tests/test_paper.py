"""The paper's tables and figures: the published page, and measurements on stand-ins."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def paper(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    monkeypatch.delenv("BAYTREE_BENCH_DIR", raising=False)
    import paper

    return paper


@pytest.fixture
def settings(paper, tmp_path):
    from run_settings import RunSettings

    return RunSettings("quick", 1, tmp_path, scale=0.02)


def test_the_page_is_what_the_script_writes_from_the_measured_cells(paper, monkeypatch, tmp_path):
    measured = BENCHMARKS / "measured" / "paper-full.jsonl"
    page = tmp_path / "paper.md"
    words = ["--mode", "full", "--show", "--output", str(measured), "--markdown", str(page)]
    monkeypatch.setattr(sys, "argv", ["benchmarks/paper.py", *words])
    assert paper.SCRIPT.main() == 0
    assert page.read_text() == (ROOT / "docs" / "paper.md").read_text()
    pictures = sorted((tmp_path / "images").iterdir())
    assert len(pictures) >= 4
    for picture in pictures:
        assert picture.read_text() == (ROOT / "docs" / "images" / picture.name).read_text()


def test_sections_are_reported_before_anything_is_measured(paper, settings):
    for module in paper.SCRIPT.figures.values():
        report = module.report(settings, {})
        assert report.notes
        assert report.pictures == {}


def test_without_the_folder_tables_of_scikit_learn_stand_in(paper, settings):
    assert "tables of scikit-learn" in paper.preface(settings)
    for module in paper.SCRIPT.figures.values():
        for cell in module.cells(settings):
            assert not any(name in cell.name for name in ("plants", "tmovie", "andes"))


@pytest.fixture
def figures(paper, settings):
    """Measurements of a contest, of Chordalysis and of imputation on small tables."""
    from paper_figures import against_s2, contests, imputation

    task = "breast_cancer.test"
    cells = [
        contests.contest_cell(task, settings),
        contests.chordalysis_cell(task, settings),
        against_s2.cell(task, settings),
        imputation.cell("breast_cancer", 0.05, 0, settings),
    ]
    return {cell.name: cell.measure() for cell in cells}


def test_measured_cells_are_in_the_tables_and_claims(paper, settings, figures):
    reports = {n: module.report(settings, figures) for n, module in paper.SCRIPT.figures.items()}
    for number in (2, 4, 7, 9):
        assert any(table.rows for table in reports[number].tables)
    assert set(reports[7].pictures) == {"ll_data"}
    assert "accuracy" in reports[9].pictures
    (claims,) = reports[12].tables
    assert {row[0] for row in claims.rows} >= {"2", "4", "7", "9"}
    results = {row[1]: row[-1] for row in claims.rows}
    fastest = figures[next(name for name in figures if name.startswith("contest"))]
    is_far = fastest["k-greedy 2"]["iterations"] > 50 * fastest["k-max 2"]["iterations"]
    text = "k-MAX makes two orders of magnitude fewer networks in the same time"
    assert results[text] == ("confirmed" if is_far else "refuted")


@pytest.mark.parametrize(
    ("difference", "name"),
    [
        (10, "extremely positive"),
        (9.9, "strongly positive"),
        (2, "positive"),
        (1.9, "neutral"),
        (-2, "neutral"),
        (-2.1, "negative"),
        (-11, "very negative"),
    ],
)
def test_classes_of_evidence_are_those_of_the_paper(paper, difference, name):
    from paper_figures.against_k_greedy import evidence_class

    assert evidence_class(difference) == name


def test_box_plots_show_median_whiskers_and_outliers(paper):
    from paper_figures.pictures import box_plots

    svg = box_plots("title", {"a": [0.0, 1.0, 4.0, 9.0, 400.0], "none": []}, "nats")
    assert svg.count("<rect") == 2  # background and one box
    assert svg.count("<circle") == 1  # one outlier
    assert "a (5)" in svg
