import numpy as np
import pytest

from baytree.tables.bin_contents import BinContents, NumberGroup
from baytree.tables.bins import Bins, fit_bins

N = 4000


def columns():
    random = np.random.RandomState(0)
    skewed = np.exp(random.normal(size=N))
    return {
        "normal": random.normal(5, 2, size=N),
        "skewed": skewed,
        "prices": np.round(20 * skewed, 2),
        "zero-inflated": np.where(random.rand(N) < 0.4, 0.0, skewed),
        "integers": np.floor(30 * skewed).astype(np.int64),
        "hundreds": 100 * random.randint(10, 900, size=N),
        "few": random.choice([0.5, 1.0, 2.5, 40.0], size=N, p=[0.7, 0.1, 0.1, 0.1]),
        "huge": 1.7e308 * random.uniform(-1, 1, size=N),
        "outlier": np.r_[random.normal(size=N - 1), 1e6],
    }


@pytest.fixture(params=[2, 5, 20])
def n_bins(request):
    return request.param


def drawn_again(bins, numbers):
    """Draw as many numbers from each bin as it holds, twenty times."""
    codes = np.tile(bins.codes(numbers), 20)
    return codes, bins.draw(codes, np.random.RandomState(1))


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@pytest.mark.parametrize("name", columns())
def test_means_of_bins_are_those_of_their_numbers(name, n_bins, strategy):
    numbers = columns()[name]
    bins = fit_bins(numbers, n_bins, strategy)
    codes = bins.codes(numbers)
    for code in np.unique(codes):
        own = numbers[codes == code].astype(float)
        expected = (own / len(own)).sum()  # the sum of huge numbers overflows
        assert bins.means[code] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in columns() if name != "huge"])
def test_drawn_numbers_have_the_mean_and_deviation_of_the_column(name, n_bins):
    numbers = columns()[name]
    bins = fit_bins(numbers, n_bins, "quantile")
    _, drawn = drawn_again(bins, numbers)
    error = 4 * numbers.std() / np.sqrt(len(drawn))
    assert drawn.mean() == pytest.approx(numbers.mean(), abs=error)
    tolerance = 0.3 if name == "outlier" else 0.02  # the outlier is drawn 20 times or so
    assert drawn.std() == pytest.approx(numbers.std(), rel=tolerance)


@pytest.mark.parametrize("name", columns())
def test_drawn_numbers_lie_in_their_bin_and_in_the_observed_range(name, n_bins):
    numbers = columns()[name]
    bins = fit_bins(numbers, n_bins, "quantile")
    codes, drawn = drawn_again(bins, numbers)
    np.testing.assert_array_equal(bins.codes(drawn), codes)
    assert numbers.min() <= drawn.min() <= drawn.max() <= numbers.max()


@pytest.mark.parametrize(
    ("name", "n_decimals"), [("prices", 2), ("integers", 0), ("hundreds", -2), ("few", 1)]
)
def test_drawn_numbers_have_as_many_decimals_as_the_observed(name, n_decimals):
    numbers = columns()[name]
    _, drawn = drawn_again(fit_bins(numbers, 3, "quantile"), numbers)
    np.testing.assert_array_equal(np.round(drawn, n_decimals), drawn)


@pytest.mark.parametrize(("name", "value"), [("zero-inflated", 0.0), ("few", 0.5)])
def test_frequent_values_are_drawn_as_often_as_they_were_observed(name, value):
    numbers = columns()[name]
    _, drawn = drawn_again(fit_bins(numbers, 2, "quantile"), numbers)
    assert (drawn == value).mean() == pytest.approx((numbers == value).mean(), abs=0.01)


def test_quantiles_of_drawn_numbers_are_those_of_the_column():
    numbers = columns()["skewed"]
    _, drawn = drawn_again(fit_bins(numbers, 5, "quantile"), numbers)
    levels = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95]
    np.testing.assert_allclose(np.quantile(drawn, levels), np.quantile(numbers, levels), rtol=0.03)


def test_a_missing_code_draws_no_number_and_the_same_seed_draws_the_same():
    bins = fit_bins(np.arange(100), 4, "quantile")
    codes = np.array([0, -1, 3], dtype=np.int32)
    drawn = bins.draw(codes, np.random.RandomState(2))
    assert np.isnan(drawn).tolist() == [False, True, False]
    np.testing.assert_array_equal(drawn, bins.draw(codes, np.random.RandomState(2)))


def test_bins_of_unknown_contents_draw_numbers_between_their_edges_around_the_median():
    bins = Bins(edges=(0.0, 1.0, 5.0), medians=(0.5, 2.0))
    drawn = bins.draw(np.repeat([0, 1], 20_000).astype(np.int32), np.random.RandomState(0))
    assert bins.means.tolist() == [0.5, 2.0]
    assert drawn[20_000:].mean() == pytest.approx(2, abs=0.02)
    assert drawn[:20_000].std() == pytest.approx(1 / np.sqrt(12), rel=0.02)
    assert 1 <= drawn[20_000:].min() <= drawn[20_000:].max() <= 5


@pytest.mark.parametrize(
    "group",
    [
        (0, 1, 2, 1.5, 0.1),
        (1e300, 1, 2, 1.5, 0.1),
        (3, 2, 1, 1.5, 0.1),
        (3, 1, 2, 2.5, 0.1),
        (3, -1, 2, 1.5, 0.1),
        (3, 1, 2, 1.5, -0.1),
        (3, 1, 2, 1.5, 1.1),
    ],
)
def test_summaries_that_no_numbers_have_are_told(group):
    assert not NumberGroup(*group).is_sound(0, 3)
    assert NumberGroup(3, 1, 2, 1.5, 0.1).is_sound(0, 3)


@pytest.mark.parametrize("sd", [0.0, 5e-324, 1.7e308])
def test_any_sound_group_draws_finite_numbers_within_its_range(sd):
    high = 1.7e308
    group = NumberGroup(2**53, -high, high, -high, sd)
    assert group.is_sound(-high, high)
    drawn = BinContents(((group,),), n_decimals=9).draw(
        np.zeros(1000, np.int32), np.random.RandomState(0)
    )
    assert (np.abs(drawn) <= high).all()


def test_a_variable_without_numbers_has_no_groups():
    contents = BinContents(())
    assert contents.shares.tolist() == contents.group_means.tolist() == []
