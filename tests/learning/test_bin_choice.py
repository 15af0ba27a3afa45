"""Bins chosen by the data, against brute force over all partitions of fine bins."""

import time
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import TimeLimitWarning
from baytree.learning import bin_choice
from baytree.learning.bin_choice import choose_bins, open_binned
from baytree.learning.bin_scores import (
    best_joins,
    dependence_gains,
    histogram_gains,
    joint_code,
    partition_cost,
)
from baytree.tables.inputs import open_table
from interrupted_runs import announcing, run_and_interrupt

pytestmark = pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")

N_FINE = 7


@pytest.fixture
def random():
    return np.random.RandomState(0)


def all_partitions(n_fine, max_bins):
    """Yield the first fine bins of every partition into two bins or more."""
    for n_bins in range(2, max_bins + 1):
        for cuts in combinations(range(1, n_fine), n_bins - 1):
            yield (0, *cuts)


def log_likelihood(bins, other, given):
    """Return that of `other` given bins and `given`, by counting with pandas."""
    frame = pd.DataFrame({"bin": bins, "given": given, "other": other})
    cells = frame.value_counts()
    whole = frame.groupby(["bin", "given"]).size()
    return sum(n * np.log(n / whole[bin_, condition]) for (bin_, condition, _), n in cells.items())


@pytest.mark.parametrize("max_bins", [2, 3, 7])
def test_the_best_joins_are_those_of_brute_force(random, max_bins):
    for _ in range(20):
        gains = 3 * random.normal(size=(N_FINE + 1, N_FINE + 1))
        gains[np.tril_indices(N_FINE + 1)] = -np.inf  # a bin ends after its start

        def total(starts, gains=gains):
            bins = pairwise((*starts, N_FINE))
            return sum(gains[bin_] for bin_ in bins) - partition_cost(N_FINE, len(starts))

        best = max(all_partitions(N_FINE, max_bins), key=total)
        assert total(best_joins(gains, max_bins)) == pytest.approx(total(best))


def test_the_cost_of_a_partition_is_the_logarithm_of_their_number():
    for n_bins in range(2, N_FINE + 1):
        n = sum(len(starts) == n_bins for starts in all_partitions(N_FINE, N_FINE))
        assert partition_cost(N_FINE, n_bins) == pytest.approx(np.log(n))


def test_gains_of_bins_sum_to_the_log_likelihood_of_neighbours(random):
    fine, other, given = (random.randint(n, size=300) for n in (N_FINE, 3, 2))
    gains = dependence_gains(fine, other, given, N_FINE)
    for starts in all_partitions(N_FINE, N_FINE):
        bins = np.searchsorted(starts, fine, side="right")
        total = sum(gains[bin_] for bin_ in pairwise((*starts, N_FINE)))
        assert total == pytest.approx(log_likelihood(bins, other, given))


def test_gains_of_histograms_sum_to_the_log_likelihood_of_the_density(random):
    edges = np.sort(random.uniform(size=N_FINE + 1))
    edges[[0, -1]] = 0, 1
    counts = random.randint(1, 50, size=N_FINE)
    n = counts.sum()
    gains = histogram_gains(counts, edges)
    for starts in all_partitions(N_FINE, N_FINE):
        bins = [*pairwise((*starts, N_FINE))]
        heights = [(counts[i:j].sum() / n) / (edges[j] - edges[i] + 1 / n) for i, j in bins]
        expected = sum(
            counts[i:j].sum() * np.log(h) for (i, j), h in zip(bins, heights, strict=True)
        )
        total = sum(gains[bin_] for bin_ in bins)
        assert total == pytest.approx(expected - len(bins) * np.log(n))


def test_joint_codes_are_equal_where_all_columns_are(random):
    columns = [random.randint(n, size=200).astype(np.int32) for n in (3, 4, 2)]
    joint, rows = joint_code(columns), np.column_stack(columns)
    for i, j in random.randint(200, size=(300, 2)):
        assert (joint[i] == joint[j]) == (rows[i] == rows[j]).all()
    assert joint_code([]).tolist() == [0]


def test_edges_are_where_a_neighbour_changes(random):
    size = random.uniform(0, 100, size=2000)
    table = pd.DataFrame({"size": size, "kind": np.digitize(size, [20, 60]).astype(str)})
    edges = np.array(open_binned(table, "auto").encoding.bins[0].edges[1:-1])
    assert all(np.abs(edges - change).min() < 1.7 for change in (20, 60))  # half a fine bin
    assert all(np.abs(edge - np.array([20, 60])).min() < 3.4 for edge in edges)


def test_strong_dependence_brings_more_bins_than_weak(random):
    first, second = random.normal(size=(2, 1000))
    table = pd.DataFrame({"a": first, "b": first + 0.1 * second, "c": first + 3 * second})
    n_bins = open_binned(table, "auto").encoding.arities
    assert n_bins[0] >= 6
    assert n_bins[2] < n_bins[1]


def test_a_variable_without_neighbours_has_the_bins_of_a_histogram(random):
    peaks = np.r_[random.uniform(0, 1, size=900), random.uniform(9, 10, size=100)]
    table = pd.DataFrame({"lonely": random.permutation(peaks), "other": ["a", "b"] * 500})
    edges = open_binned(table, "auto").encoding.bins[0].edges
    assert edges[1:-1] == pytest.approx([1, 9], abs=0.5)


def test_the_target_is_a_neighbour_of_every_variable(random):
    """Of which a is told by its copy, so that no arc from the target would be found."""
    target = random.randint(2, size=1000)
    a = random.normal(size=1000) + target
    table = pd.DataFrame({"a": a, "copy": a + 0.001 * random.normal(size=1000)})
    opened = open_table(table)
    refinement = bin_choice._Refinement.start(
        opened,
        bin_choice._fine_edges(opened.tallies),
        target,
        max_bins=12,
        n_bins=3,
        deadline=np.inf,
    )
    families, _ = refinement._structure(is_wide=False)
    assert all(2 in families[position] for position in (0, 1))
    assert choose_bins(opened, target=target).codes.shape == (1000, 2)


@pytest.fixture
def weighted_table(random):
    n = 300
    size = random.normal(size=n).round(2)
    table = pd.DataFrame(
        {
            "size": size,
            "weight": np.where(random.rand(n) < 0.1, np.nan, size + random.normal(size=n)),
            "count": np.r_[np.arange(20, 70), random.randint(20, size=n - 50)],
            "lonely": random.exponential(size=n),
            "kind": np.where(size > 0.5, "big", "small"),
        }
    )
    return table, random.permutation(np.arange(n) % 4)


@pytest.mark.parametrize("n_bins", ["auto", 5])
@pytest.mark.parametrize("factor", [1, 100])  # the latter is more rows than are used
def test_weights_are_repeated_rows(weighted_table, n_bins, factor):
    table, times = weighted_table
    rows = np.arange(len(table)).repeat(factor * times)
    weighted = open_binned(table, n_bins, sample_weight=factor * times)
    repeated = open_binned(table.iloc[rows], n_bins)
    assert weighted.encoding.bins == repeated.encoding.bins
    np.testing.assert_array_equal(weighted.codes[rows], repeated.codes)


def test_integers_in_rows_of_no_weight_do_not_make_a_number_of_a_category(weighted_table):
    table, times = weighted_table
    times[:50] = 0
    weighted = open_binned(table, "auto", sample_weight=times)
    assert weighted.encoding.states("count") == tuple(sorted(set(table["count"].tolist())))


def test_a_row_in_two_halves_is_one_row(weighted_table):
    table, times = weighted_table
    halves = open_binned(pd.concat([table] * 2), "auto", sample_weight=np.r_[times, times] / 2)
    assert halves.encoding.bins == open_binned(table, "auto", sample_weight=times).encoding.bins


def test_codes_are_those_of_the_chosen_bins_and_missing_cells_stay_missing(random):
    size = random.normal(size=500)
    table = pd.DataFrame({"size": size, "whole": np.rint(100 * size), "kind": size > 0})
    table.loc[random.rand(500) < 0.3, "size"] = np.nan
    opened = open_binned(table, "auto")
    bins = opened.encoding.bins[0]
    np.testing.assert_array_equal(opened.codes[:, 0], bins.codes(table["size"].to_numpy()))
    assert (opened.codes[:, 0] < 0).tolist() == table["size"].isna().tolist()
    assert all(type(median) is int for median in opened.encoding.bins[1].medians)
    assert opened.encoding.states("size") == bins.labels


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"v": [0.5, 1.5, 2.5]}),
        pd.DataFrame({"v": [0.5] * 40}),
        pd.DataFrame({"v": [0.5, 1.5] * 20, "w": [None] * 40}, dtype=object),
        pd.DataFrame({"v": [0.5, np.nan] * 20, "w": [np.nan, 0.5] * 20}),
        pd.DataFrame({"v": [2.0**60 + 2**40 * i for i in range(60)], "w": [0.5, 1.5] * 30}),
    ],
)
def test_small_and_odd_tables_have_bins(table):
    opened = open_binned(table, "auto")
    for position, bins in opened.encoding.bins.items():
        assert 1 <= len(bins.medians) <= 12
        np.testing.assert_array_equal(
            opened.codes[:, position], bins.codes(opened.numbers[position])
        )


def test_learner_scorer_and_parameters_have_the_same_bins(random):
    size = random.normal(size=400)
    table = pd.DataFrame({"size": size, "weight": size + random.normal(size=400)})
    network = bt.NetworkLearner(1, search="chow-liu").fit(table).network_
    again = bt.fit_parameters(bt.BayesianNetwork(["size", "weight"]), table)
    cache = bt.score_parent_sets(table, max_parents=1)
    scorer = bt.FamilyScorer(table)
    assert again.states("size") == network.states("size")
    assert cache["size"].scores[0] == max(scorer.score("size"), scorer.score("size", ["weight"]))
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(table)
    assert imputer.network_.states("size") == network.states("size")
    five = bt.NetworkLearner(1, search="chow-liu", n_bins=5).fit(table).network_
    assert len(five.states("size")) == 5


def test_many_columns_take_a_tree_and_seconds(random):
    factors = random.normal(size=(500, 10))
    table = pd.DataFrame(factors.repeat(30, axis=1) + random.normal(size=(500, 300)))
    started = time.process_time()
    assert (open_binned(table, "auto").encoding.arities >= 2).all()
    assert time.process_time() - started < 30


def wide_table(random):
    factors = random.normal(size=(2000, 10))
    return factors @ random.normal(size=(10, 120)) + random.normal(size=(2000, 120))


@pytest.mark.timeout(60)
def test_the_time_limit_bounds_the_choice_of_bins(random):
    opened = open_table(wide_table(random))
    started = time.monotonic()
    with pytest.warns(TimeLimitWarning, match="bins of equal numbers of rows"):
        assert choose_bins(opened, deadline=started + 0.8) is opened
    assert time.monotonic() - started < 0.8


def test_the_best_bins_before_the_deadline_count(random, monkeypatch):
    opened = open_table(pd.DataFrame(random.normal(size=(300, 3)).cumsum(axis=1)))
    first = choose_bins(opened, max_bins=3)  # from one start
    run, numbers = bin_choice._Refinement.run, []

    def run_once(self, is_wide):
        if numbers:
            raise TimeoutError
        numbers.append(is_wide)
        return run(self, is_wide)

    monkeypatch.setattr(bin_choice._Refinement, "run", run_once)
    found = choose_bins(opened, max_bins=3)
    assert found.encoding.bins == first.encoding.bins != opened.encoding.bins
    numbers.clear()
    assert choose_bins(opened).encoding.bins != opened.encoding.bins


@pytest.mark.timeout(60)
def test_ctrl_c_ends_the_choice_of_bins():
    code = """
        import numpy as np
        import baytree as bt
        random = np.random.RandomState(0)
        factors = random.normal(size=(4000, 10))
        table = factors @ random.normal(size=(10, 190)) + random.normal(size=(4000, 190))
        try:
            bt.NetworkLearner(random_state=0).fit(table)
        except KeyboardInterrupt:
            print("interrupted")
    """
    script = announcing("baytree._core.search_dags", code)
    started = time.monotonic()
    _, out, _ = run_and_interrupt(script, delay=0.2)
    assert "interrupted" in out
    assert time.monotonic() - started < 30
