import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from baytree import Discretizer
from baytree.exceptions import TableError, UnknownStateError


@parametrize_with_checks(
    [
        Discretizer(),
        Discretizer("auto", strategy="mdl"),
        Discretizer(strategy="uniform", encode="ordinal"),
    ]
)
def test_scikit_learn_estimator_checks(estimator, check):
    check(estimator)


def interval_of(label):
    low, high = label[1:-1].split(", ")
    return float(low), float(high)


finite = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(
    npst.arrays(float, st.integers(1, 40), elements=finite),
    st.integers(2, 8),
    st.sampled_from(["quantile", "uniform"]),
)
@settings(deadline=None)
def test_bins_cover_all_numbers_in_order(numbers, n_bins, strategy):
    discretizer = Discretizer(n_bins, strategy=strategy, encode="label")
    labels = discretizer.fit_transform(numbers[:, None])[:, 0]
    edges, known = discretizer.bin_edges_[0], list(discretizer.bin_labels_[0])
    codes = np.array([known.index(label) for label in labels])
    assert len(known) == len(edges) - 1 <= min(n_bins, len(np.unique(numbers)))
    assert (np.diff(edges) >= 0).all()
    assert (edges[0], edges[-1]) == (numbers.min(), numbers.max())
    assert (numbers <= edges[codes + 1]).all()
    assert ((numbers > edges[codes]) | (codes == 0)).all()
    assert len(set(known)) == len(known)


@given(npst.arrays(float, st.integers(1, 40), elements=st.integers(-9, 9)), st.integers(2, 8))
@settings(deadline=None)
def test_quantile_bins_are_never_empty_and_keep_few_values_apart(numbers, n_bins):
    table = pd.DataFrame({"v": numbers})
    binned = Discretizer(n_bins).fit_transform(table)["v"]
    assert (binned.value_counts() > 0).all()
    if len(np.unique(numbers)) <= n_bins:
        assert binned.nunique() == len(np.unique(numbers))
    elif n_bins > 1:
        assert binned.nunique() > 1


@given(npst.arrays(float, st.integers(1, 60), elements=finite, unique=True), st.integers(2, 6))
@settings(deadline=None)
def test_quantile_bins_of_distinct_numbers_differ_by_one_row_at_most(numbers, n_bins):
    counts = Discretizer(n_bins).fit_transform(pd.DataFrame({"v": numbers}))["v"].value_counts()
    assert counts.max() - counts.min() <= 1


def test_a_frequent_value_gets_a_bin_and_leaves_the_others_to_the_rest():
    zeros_first = pd.DataFrame({"v": [0.0] * 90 + [*range(1, 11)]})
    zeros_last = -zeros_first
    first = Discretizer(3).fit_transform(zeros_first)["v"].value_counts(sort=False)
    assert first.to_dict() == {"[0, 0]": 90, "(0, 5]": 5, "(5, 10]": 5}
    last = Discretizer(3).fit_transform(zeros_last)["v"].value_counts(sort=False)
    assert last.to_dict() == {"[-10, -1]": 10, "(-1, 0]": 90}


def test_uniform_bins_equal_those_of_pandas_cut():
    numbers = np.random.default_rng(0).gamma(2.0, size=200)
    ours = Discretizer(4, strategy="uniform").fit(numbers[:, None])
    codes, edges = pd.cut(numbers, 4, labels=False, retbins=True)
    np.testing.assert_allclose(ours.bin_edges_[0][1:], edges[1:])
    assert ours.transform(numbers[:, None])[:, 0].tolist() == codes.tolist()


def test_labels_are_intervals_that_hold_their_numbers():
    numbers = np.random.default_rng(1).normal(size=(300, 1)) * 1e-7
    labels = Discretizer(encode="label").fit_transform(numbers)
    for number, label in zip(numbers[:, 0], labels[:, 0], strict=True):
        low, high = interval_of(label)
        assert low - 1e-9 <= number <= high + 1e-9


@pytest.mark.parametrize(
    ("numbers", "labels"),
    [
        ([1, 2, 3], ("[1, 1]", "(1, 2]", "(2, 3]")),
        ([7.0, 7.0], ("[7, 7]",)),
        ([0.5, 0.25], ("[0.25, 0.25]", "(0.25, 0.5]")),
        ([1e300, -1e300], ("[-1e+300, -1e+300]", "(-1e+300, 1e+300]")),
        ([-0.0, 1.0], ("[0, 0]", "(0, 1]")),
        ([1_000_000, 2_500_000], ("[1000000, 1000000]", "(1000000, 2500000]")),
    ],
)
def test_labels_are_written_with_few_digits(numbers, labels):
    assert Discretizer().fit(np.array(numbers)[:, None]).bin_labels_[0] == labels


def test_pandas_gets_ordered_categories_with_its_index():
    table = pd.DataFrame({"v": [1.5, None, 3.2, 9.0], "w": [1, 2, 3, 4]}, index=list("abcd"))
    binned = Discretizer(2).fit_transform(table)
    assert binned.index.tolist() == list("abcd")
    assert binned["v"].cat.ordered
    assert binned["v"].cat.categories.tolist() == ["[1.5, 3.2]", "(3.2, 9]"]
    assert binned["v"].isna().tolist() == [False, True, False, False]


def test_polars_gets_enums_and_pyarrow_ordered_dictionaries():
    numbers = {"v": [1.5, None, 3.2, 9.0]}
    cells = ["[1.5, 3.2]", None, "[1.5, 3.2]", "(3.2, 9]"]
    polars_bins = Discretizer(2).fit_transform(pl.DataFrame(numbers))
    assert polars_bins.schema == {"v": pl.Enum(["[1.5, 3.2]", "(3.2, 9]"])}
    assert polars_bins["v"].to_list() == cells
    arrow_bins = Discretizer(2).fit_transform(pa.table(numbers))
    assert arrow_bins.schema.field("v").type.ordered
    assert arrow_bins["v"].to_pylist() == cells


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"v": np.array([1, 2, 30, 40], dtype="int16")}),
        pd.DataFrame({"v": pd.array([1, 2, 30, 40], dtype="Int64")}),
        pd.DataFrame({"v": np.array([1, 2.5, 30, 40], dtype="float32")}),
        pl.DataFrame({"v": pl.Series([1, 2, 30, 40], dtype=pl.UInt8)}),
        pa.table({"v": pa.array([1, 2, 30, 40], pa.int32())}),
        np.array([[1], [2], [30], [40]], dtype=np.uint8),
    ],
)
def test_inverse_transform_gives_medians_of_the_original_dtype(table):
    discretizer = Discretizer(2).fit(table)
    numbers = discretizer.inverse_transform(discretizer.transform(table))
    assert type(numbers) is type(table)
    old, new = (np.asarray(t).ravel().tolist() for t in (table, numbers))
    middle = np.median(old[:2]) if 2.5 in old else round(np.median(old[:2]))
    assert new == [middle, middle, 35, 35]
    if hasattr(table, "schema"):
        assert numbers.schema == table.schema
    else:
        assert np.asarray(numbers).dtype == np.asarray(table).dtype


@pytest.mark.parametrize(
    ("numbers", "median"),
    [
        ([104553.11, 104553.22], 104553.165),  # a plain sum of halves is 104553.16500000001
        ([0.1, 0.2, 0.7], 0.2),
        ([1 / 3, 0.5 + 2**-53], (1 / 3 + (0.5 + 2**-53)) / 2),  # not cut where it has more digits
    ],
)
def test_the_median_of_short_numbers_is_short(numbers, median):
    frame = pd.DataFrame({"a": [*numbers, 1e6]})
    discretizer = Discretizer(n_bins=2, strategy="uniform").fit(frame)
    assert discretizer.bin_medians_[0].tolist() == [median, 1e6]


def test_missing_stays_missing_both_ways():
    numbers = np.array([[1.0, np.nan], [np.nan, np.nan], [2.0, np.nan]])
    discretizer = Discretizer(2).fit(numbers)
    binned = discretizer.transform(numbers)
    assert pd.isna(binned).tolist() == np.isnan(numbers).tolist()
    np.testing.assert_array_equal(discretizer.inverse_transform(binned), numbers)
    assert [len(edges) for edges in discretizer.bin_edges_] == [3, 0]


def test_new_numbers_outside_the_edges_go_to_the_outer_bins():
    discretizer = Discretizer(2).fit(np.array([[1.0], [2.0]]))
    assert discretizer.transform(np.array([[-5.0], [9.0]])).tolist() == [[0], [1]]


def test_inverse_transform_refuses_what_is_no_bin():
    discretizer = Discretizer(2).fit(pd.DataFrame({"v": [1.0, 2.0]}))
    with pytest.raises(UnknownStateError, match=r"'v' has state '\(5, 6\]' in row 0"):
        discretizer.inverse_transform(pd.DataFrame({"v": ["(5, 6]"]}))
    with pytest.raises(TableError, match="2 columns; fit saw 1"):
        discretizer.inverse_transform(pd.DataFrame({"v": ["(5, 6]"], "w": [1]}))


def test_infinite_numbers_are_refused_by_name():
    with pytest.raises(TableError, match="'v' holds an infinite number"):
        Discretizer().fit(pd.DataFrame({"v": [1.0, np.inf]}))


def test_text_where_fit_saw_numbers_is_refused_by_name():
    discretizer = Discretizer().fit(pd.DataFrame({"v": [1.0, 2.0]}))
    with pytest.raises(TableError, match="'v' held numbers in fit, and now holds 'a'"):
        discretizer.transform(pd.DataFrame({"v": ["a", "b"]}))


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "mdl"])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_text_categories_and_truth_values_pass_through(make, strategy):
    cells = {"v": [1.5, 2.5, 4.0], "text": ["b", None, "a"], "truth": [True, False, True]}
    table = make(cells)
    discretizer = Discretizer(2, strategy=strategy).fit(table)
    binned = discretizer.transform(table)
    assert type(binned) is type(table)
    for name in ("text", "truth"):
        assert list(binned[name]) == list(table[name])
    assert [len(edges) for edges in discretizer.bin_edges_] == [3, 0, 0]
    assert discretizer.bin_labels_[1:] == [(), ()]
    assert list(discretizer.inverse_transform(binned)["text"]) == list(table["text"])


def test_text_passes_through_arrays_and_to_other_containers():
    table = np.array([[1.5, "b"], [2.5, None], [4.0, "a"]], dtype=object)
    discretizer = Discretizer(2).fit(table)
    assert discretizer.transform(table).tolist() == [[0.0, "b"], [0.0, None], [1.0, "a"]]
    binned = discretizer.set_output(transform="polars").transform(table)
    assert binned["x1"].to_list() == ["b", None, "a"]
    assert binned["x0"].dtype == pl.Enum(["[1.5, 2.5]", "(2.5, 4]"])


def test_ordinal_bins_are_those_of_scikit_learn():
    numbers = np.random.default_rng(0).gamma(2.0, size=(200, 3))
    theirs = KBinsDiscretizer(4, encode="ordinal", strategy="uniform").fit_transform(numbers)
    ours = Discretizer(4, strategy="uniform", encode="ordinal").fit(numbers)
    np.testing.assert_array_equal(ours.transform(numbers), theirs)
    table = pd.DataFrame(numbers, columns=list("abc"))
    np.testing.assert_array_equal(ours.fit(table).transform(table), theirs)


def test_ordinal_bins_come_back_as_medians_and_others_are_refused():
    table = pd.DataFrame({"v": [1.0, 2.5, np.nan, 4.0]})
    discretizer = Discretizer(2, encode="ordinal").fit(table)
    binned = discretizer.transform(table)
    assert binned["v"].tolist()[:2] == [0.0, 0.0]
    assert np.isnan(binned["v"][2])
    again = discretizer.inverse_transform(binned)["v"]
    np.testing.assert_array_equal(again, [1.75, 1.75, np.nan, 4.0])
    with pytest.raises(UnknownStateError, match=r"'v' has 2 in row 1, which is no bin: .* to 1"):
        discretizer.inverse_transform(pd.DataFrame({"v": [0, 2]}))


def test_labels_in_arrays_are_text():
    numbers = np.array([[1.0], [np.nan], [4.0]])
    discretizer = Discretizer(2, encode="label").fit(numbers)
    assert discretizer.transform(numbers).ravel().tolist() == ["[1, 1]", None, "(1, 4]"]


@pytest.fixture
def stepwise():
    """Numbers of which only the side of 0.3 tells about another column."""
    random = np.random.RandomState(0)
    numbers = random.random_sample(1000)
    return pd.DataFrame({"v": numbers, "high": np.where(numbers > 0.3, "yes", "no")})


def test_mdl_cuts_where_another_column_changes(stepwise):
    edges = Discretizer("auto", strategy="mdl").fit(stepwise).bin_edges_[0]
    assert edges[1:-1] == pytest.approx(0.3, abs=1 / 30)  # the edges of one of 32 fine bins


def test_automatic_numbers_of_bins_are_those_of_mdl(stepwise):
    n_bins = len(Discretizer("auto", strategy="mdl").fit(stepwise).bin_labels_[0])
    for strategy in ("quantile", "uniform"):
        edges = Discretizer("auto", strategy=strategy).fit(stepwise).bin_edges_[0]
        np.testing.assert_allclose(edges, np.linspace(0, 1, n_bins + 1), atol=0.03)


def test_a_number_of_bins_bounds_those_of_mdl():
    numbers = np.random.RandomState(0).normal(size=2000)
    table = pd.DataFrame({"v": numbers, "w": numbers})
    n_bins = [
        len(Discretizer(most, strategy="mdl").fit(table).bin_medians_[0])
        for most in (2, 4, 9, "auto")
    ]
    assert n_bins == [2, 4, 9, 12]


@pytest.mark.parametrize("n_bins", [1, 0, -3, 2.5, "5", True, None, "many"])
def test_n_bins_must_be_an_integer_of_at_least_two(n_bins):
    with pytest.raises(ValueError, match="n_bins must be an integer of at least 2; got"):
        Discretizer(n_bins).fit(np.ones((2, 1)))


def test_strategy_and_encoding_must_be_known():
    with pytest.raises(ValueError, match=r"strategy must be one of .*; got 'kmeans'"):
        Discretizer(strategy="kmeans").fit(np.ones((2, 1)))
    with pytest.raises(ValueError, match=r"encode must be one of .*; got 'onehot'"):
        Discretizer(encode="onehot").fit(np.ones((2, 1)))


def test_transform_needs_fit():
    with pytest.raises(NotFittedError):
        Discretizer().transform(np.ones((2, 1)))


def test_clone_and_pickle_keep_settings_and_bins():
    table = pd.DataFrame({"v": [1.0, 2.0, 5.0]})
    discretizer = Discretizer(2, strategy="uniform").fit(table)
    assert clone(discretizer).get_params() == discretizer.get_params()
    again = pickle.loads(pickle.dumps(discretizer))
    pd.testing.assert_frame_equal(again.transform(table), discretizer.transform(table))


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"v": np.arange(6.0)}),
        pd.DataFrame({7: np.arange(6.0)}),
        pl.DataFrame({"v": np.arange(6.0)}),
        np.arange(6.0)[:, None],
    ],
)
def test_set_output_chooses_a_container_with_ordered_bins(table):
    bins = ["[0, 2]", "(2, 5]"]
    binned = Discretizer(2).set_output(transform="pandas").fit_transform(table)
    assert binned.dtypes.tolist() == [pd.CategoricalDtype(bins, ordered=True)]
    assert binned.iloc[0, 0] == "[0, 2]"
    binned = Discretizer(2).set_output(transform="polars").fit_transform(table)
    assert binned.schema.dtypes() == [pl.Enum(bins)]
    assert binned.item(0, 0) == "[0, 2]"


def test_feature_names_pass_through_a_column_transformer():
    table = pd.DataFrame({"v": [1.0, 2.0, 5.0], "w": ["a", "b", "c"]})
    transformer = ColumnTransformer(
        [("bins", Discretizer(2), ["v"])], remainder="passthrough", verbose_feature_names_out=False
    )
    transformer.set_output(transform="pandas")
    binned = make_pipeline(transformer).fit_transform(table)
    assert binned.columns.tolist() == ["v", "w"]
    assert binned["v"].dtype.ordered
    assert Discretizer().fit(table[["v"]]).get_feature_names_out().tolist() == ["v"]


def test_a_frame_and_its_file_have_the_same_numbers_between_missing_words(tmp_path):
    table = pd.DataFrame({"age": ["1.5", "?", "2.5", "NA"] * 5, "kind": ["a", "?", "b", "b"] * 5})
    table.to_csv(tmp_path / "ages.csv", index=False)
    of_frame, of_file = (
        Discretizer(n_bins=2, encode="ordinal").fit(one).transform(one)
        for one in (table, tmp_path / "ages.csv")
    )
    assert of_frame["age"].tolist()[::2] == [0.0, 1.0] * 5
    pd.testing.assert_series_equal(of_frame["age"], of_file["age"])
    assert of_frame["kind"].tolist() == table["kind"].tolist()


def test_numbers_may_come_from_a_file(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("v\n1\n2.5\n\n4\n")
    frame = pd.read_csv(path)
    pd.testing.assert_frame_equal(
        Discretizer(n_bins=2).fit_transform(path), Discretizer(n_bins=2).fit_transform(frame)
    )
