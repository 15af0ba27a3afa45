"""The figures of structure search can be reported, whatever has been measured so far."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

GROWTH_CELL = {
    "seconds": 1.5,
    "score": -100.0,
    "start_seconds": 0.1,
    "ms_per_thousand": 2.0,
    "plateau_seconds": 4.0,
    "history": [[1.0, -200.0], [2.0, -99.0]],
    "peak_mb": 300,
}


@pytest.fixture
def figures(monkeypatch):
    """The modules that need no benchmark folder to report."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from structure_figures import growth, k_tree_pace

    return {"growth": growth, "k_tree_pace": k_tree_pace}


@pytest.fixture
def settings(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from run_settings import RunSettings

    return lambda mode: RunSettings(mode, 2, tmp_path)


def pace_cells(module, settings_):
    """What the three cells of figure 1 measure: pace, medians, seconds to BLIP's best."""
    kinds = (" ms", " prototype ms", " prototype median")
    pace = {f"{search}{kind}": 1.25 for search in module.SEARCHES for kind in kinds}
    medians = {"k-max": -36_800.0, "k-greedy": -37_500.0}
    passing = {"seconds": [1.0, None, 2.0], "best": [1.0, 2.0, 3.0], "limit": 3.0}
    names = [cell.name for cell in module.cells(settings_)]
    return dict(zip(names, (pace, medians, passing), strict=True))


@pytest.mark.parametrize("mode", ["quick", "full"])
def test_growth_is_reported(figures, settings, mode):
    cells = [cell.name for cell in figures["growth"].cells(settings(mode))]
    report = figures["growth"].report(settings(mode), dict.fromkeys(cells, GROWTH_CELL))
    verdicts = [verdict for table in report.tables for verdict in table.verdicts()]
    assert len(verdicts) == (2 if mode == "quick" else 5)
    for verdict in verdicts:
        assert verdict == "reached" or verdict.startswith("not reached: -100.0 against -100.0")


@pytest.mark.parametrize("mode", ["quick", "full"])
def test_sizes_without_a_plateau_are_named(figures, settings, mode):
    found = {
        cell.name: GROWTH_CELL | ({"plateau_seconds": None} if "n = 500," in cell.name else {})
        for cell in figures["growth"].cells(settings(mode))
    }
    report = figures["growth"].report(settings(mode), found)
    assert "not reached: no plateau at n = 500" in report.tables[0].verdicts()


@pytest.mark.parametrize("mode", ["quick", "full"])
def test_the_pace_of_k_trees_is_reported(figures, settings, mode):
    module = figures["k_tree_pace"]
    report = module.report(settings(mode), pace_cells(module, settings(mode)))
    assert report.tables[0].verdicts() == ["reached"] * 4


@pytest.mark.parametrize("name", ["growth", "k_tree_pace"])
@pytest.mark.parametrize("mode", ["quick", "full"])
def test_what_is_not_measured_yet_is_left_open(figures, settings, name, mode):
    report = figures[name].report(settings(mode), {})
    assert not any(table.verdicts() for table in report.tables)
