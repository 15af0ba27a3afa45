"""The figures of densities compare with the right figures, and can be reported at any time."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NAMES = ("against_published", "without_valid", "drawn_rows", "row_calls", "missing_cells")
CELL = {
    "log_likelihood": -10.0,
    "test_rows": 100,
    "components": 8192,
    "treewidth": 3,
    "learn_seconds": 30.0,
    "cpu_seconds": 60.0,
    "peak_mb": 500,
    "distance": 0.1,
    "accuracy": 0.9,
    "draw_seconds": 5.0,
    "mixture_treewidth": 3,
    "network_treewidth": 5,
    "mixture_seconds": 24.0,
    "network_seconds": 1.0,
}


@pytest.fixture
def figures(monkeypatch):
    """The modules of the figures by name."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    import density_figures.against_published
    import density_figures.drawn_rows
    import density_figures.missing_cells
    import density_figures.row_calls
    import density_figures.without_valid

    return {name: getattr(density_figures, name) for name in NAMES}


@pytest.fixture
def settings(monkeypatch, tmp_path):
    """A function that returns the settings of a mode."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from run_settings import RunSettings

    return lambda mode: RunSettings(mode, 2, tmp_path)


@pytest.fixture
def published(monkeypatch, figures):
    """A function that sets one published figure for all sets: the best, or a sum over test rows."""

    def publish(best: float = -10.0, test_sum: float = -1000.0) -> None:
        densities = dict.fromkeys(("best", "HCLT", "CM-CLT"), best)
        sums = {"TSEM": test_sum, "SEM-kMAX": test_sum - 1}
        module = figures["against_published"]
        names = module.PROTOTYPES
        monkeypatch.setattr(module, "published_densities", lambda: dict.fromkeys(names, densities))
        monkeypatch.setattr(
            figures["missing_cells"],
            "published_incomplete",
            lambda rate: dict.fromkeys(names, sums),
        )

    return publish


def all_cells(figures, settings_):
    """Equal results of all cells of all figures."""
    cells = itertools.chain.from_iterable(module.cells(settings_) for module in figures.values())
    return {cell.name: CELL for cell in cells}


def verdicts(report):
    return [verdict for table in report.tables for verdict in table.verdicts()]


@pytest.mark.parametrize("mode", ["quick", "full"])
def test_equal_results_reach_the_targets_of_figures_2_to_5(figures, settings, published, mode):
    published()
    cells = all_cells(figures, settings(mode))
    for name in NAMES[1:]:
        report = figures[name].report(settings(mode), cells)
        assert verdicts(report)
        assert set(verdicts(report)) == {"reached"}, name


def test_likelihoods_are_compared_with_the_best_published_ones(figures, settings, published):
    module, full = figures["against_published"], settings("full")
    published(best=-10.0 / 1.0069)
    table = module.report(full, all_cells(figures, full)).tables[0]
    column = table.header.index("verdict, published")
    assert [row[column] for row in table.rows] == [
        *["reached"] * 10, "", "not reached: 0 against 6"
    ]  # fmt: skip
    published(best=-10.0 / 1.0071)
    table = module.report(full, all_cells(figures, full)).tables[0]
    assert table.rows[0][column] == "not reached: -10.000 against -9.999"
    published(best=-10.01)
    table = module.report(full, all_cells(figures, full)).tables[0]
    assert table.rows[-1][column] == "reached"


def test_above_means_in_the_published_decimals(figures, settings, published):
    module, full = figures["against_published"], settings("full")
    cells = all_cells(figures, full) | {
        module.mixture_cell(name, full).name: CELL | {"log_likelihood": -9.996}
        for name in module.PROTOTYPES
    }
    for best, verdict in ((-10.0, "not reached: 0 against 6"), (-10.01, "reached")):
        published(best=best)
        assert verdict in module.report(full, cells).tables[0].rows[-1]


def test_likelihoods_are_compared_with_the_better_prototype(figures, settings, published):
    module, full = figures["against_published"], settings("full")
    published()
    cells = all_cells(figures, full)
    for name, prototype in module.PROTOTYPES.items():
        better = max(prototype) + (0.0 if name == "nltcs" else -0.001)
        cells[module.mixture_cell(name, full).name] = CELL | {"log_likelihood": better}
    table = module.report(full, cells).tables[0]
    column = table.header.index("verdict, prototype")
    found = [row[column].partition(":")[0] for row in table.rows[:-1]]
    assert found == ["reached", *["not reached"] * 10]


def test_a_figure_without_validation_rows_may_be_slightly_lower(figures, settings):
    module, full = figures["without_valid"], settings("full")
    cells = all_cells(figures, full)
    own = [cell.name for cell in module.cells(full)]
    for loss, verdict in ((0.0029, "reached"), (0.0031, "not reached: -10.031 against -10.030")):
        cells |= dict.fromkeys(own, CELL | {"log_likelihood": -10.0 * (1 + loss)})
        assert set(verdicts(module.report(full, cells))) == {verdict}


def test_published_sums_are_compared_per_row(figures, settings, published):
    module, full = figures["missing_cells"], settings("full")
    published(test_sum=-999.0)
    found = verdicts(module.report(full, all_cells(figures, full)))
    assert set(found) == {"reached", "not reached: -10.000 against -9.990"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["quick", "full"])
def test_what_is_not_measured_yet_is_left_open(figures, settings, name, mode):
    assert not verdicts(figures[name].report(settings(mode), {}))


@pytest.mark.parametrize("mode", ["quick", "full"])
def test_names_of_cells_are_distinct(figures, settings, mode):
    names = [cell.name for module in figures.values() for cell in module.cells(settings(mode))]
    assert len(names) == len(set(names))


@pytest.fixture
def anchors(monkeypatch, tmp_path):
    """The module of published figures, which reads those of two small files."""
    folder = tmp_path / "anchors"
    folder.mkdir()
    (folder / "density.csv").write_text(
        "data,best,best_by,HCLT\nnltcs,-5.99,HCLT,-5.99\nbbc,-237.42,CNet40,-251.04\n"
    )
    (folder / "tsem_vs_semkmax.csv").write_text(
        "dataset,method,tw_bound,missing_pct,ll_test\n"
        "NLTCS,TSEM,2.0,30.0,-300.5\nNLTCS,TSEM-poly,3.0,30.0,-200.5\n"
        "NLTCS,TSEM,2.0,50.0,-100.5\nNLTCS,SEM-kMAX,2.0,30.0,-400.5\nOther,TSEM,2.0,30.0,-1.0\n"
    )
    monkeypatch.setenv("BAYTREE_BENCH_DIR", str(tmp_path))
    monkeypatch.syspath_prepend(BENCHMARKS)
    import anchors

    readers = (anchors.published_densities, anchors.published_incomplete)
    for reader in readers:
        reader.cache_clear()
    yield anchors
    for reader in readers:
        reader.cache_clear()


def test_published_densities_are_read_by_set_and_model(anchors):
    assert anchors.published_densities() == {
        "nltcs": {"best": -5.99, "HCLT": -5.99},
        "bbc": {"best": -237.42, "HCLT": -251.04},
    }


def test_the_best_of_each_published_method_counts(anchors):
    assert anchors.published_incomplete(0.3) == {"nltcs": {"TSEM": -200.5, "SEM-kMAX": -400.5}}


def test_the_distance_of_pairs_is_the_total_variation_of_their_states(figures):
    distance = figures["drawn_rows"].mean_distance
    equal = pd.DataFrame({"a": ["x", "x", "y", "y"], "b": ["u", "u", "v", "v"], "c": ["w"] * 4})
    crossed = equal.assign(b=["u", "v", "u", "v"])
    assert distance(equal, equal, equal) == 0
    assert distance(equal, crossed, equal) == pytest.approx(0.5 / 3)  # of three pairs, one differs
    assert distance(equal, equal.assign(c="z"), equal) == pytest.approx(2 / 3)


def test_numbers_are_compared_by_quantiles(figures):
    distance = figures["drawn_rows"].mean_distance
    numbers = pd.DataFrame({"a": np.arange(100.0), "b": ["x"] * 100})
    assert distance(numbers, numbers.assign(a=numbers["a"] + 0.5), numbers) < 0.02
    assert distance(numbers, numbers.assign(a=numbers["a"] % 50), numbers) == pytest.approx(0.5)
    mostly_zero = numbers.assign(a=[0.0] * 95 + [7.0] * 5)
    assert distance(mostly_zero, mostly_zero.assign(a=0.0), mostly_zero) == pytest.approx(0.05)


def test_independent_columns_keep_their_own_states_alone(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from peers.synthesisers import draw_independent_columns

    table = pd.DataFrame({"a": [0, 0, 0, 1] * 250})
    drawn = draw_independent_columns(table.assign(b=table["a"]), 10_000, 0)
    assert drawn["a"].mean() == pytest.approx(0.25, abs=0.02)
    assert (drawn["a"] & drawn["b"]).mean() == pytest.approx(0.0625, abs=0.01)


def test_halves_hold_every_row_once(figures):
    table = pd.DataFrame({"a": np.arange(101)})
    half, held_out = figures["drawn_rows"].halves(table)
    assert abs(len(half) - len(held_out)) == 1
    assert sorted([*half["a"], *held_out["a"]]) == [*range(101)]
