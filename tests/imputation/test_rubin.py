import numpy as np
import pandas as pd
import pytest

import baytree as bt


def test_pooling_follows_the_formulas_by_hand():
    pooled = bt.pool_estimates([1.0, 2.0, 3.0, 6.0], [4.0, 4.0, 5.0, 3.0]).iloc[0]
    # mean 3; squared distances 4 + 1 + 0 + 9 = 14 over 3; times 1.25 is 35 / 6
    assert pooled["estimate"] == 3
    assert pooled["within"] == 4
    assert pooled["between"] == pytest.approx(14 / 3)
    assert pooled["total"] == pytest.approx(4 + 35 / 6)
    assert pooled["standard_error"] ** 2 == pytest.approx(4 + 35 / 6)
    assert pooled["relative_increase"] == pytest.approx(35 / 24)
    assert pooled["df"] == pytest.approx(3 * (1 + 24 / 35) ** 2)
    by_hand = (35 / 24 + 2 / (pooled["df"] + 3)) / (35 / 24 + 1)
    assert pooled["missing_information"] == pytest.approx(by_hand)


def with_increase(increase, n_imputations=5, within=1.0):
    """Return estimates whose variance rises by a fraction, and their own variances."""
    between = increase * within / (1 + 1 / n_imputations)
    points = np.arange(n_imputations) - (n_imputations - 1) / 2
    return points * np.sqrt(between / points.var(ddof=1)), np.full(n_imputations, within)


def test_five_imputations_and_a_tenth_more_variance_give_the_published_484():
    # SAS/STAT User's Guide, "Combining inferences from multiply imputed data sets"
    assert bt.pool_estimates(*with_increase(0.1)).loc[0, "df"] == pytest.approx(484)


def test_barnard_and_rubin_stay_below_the_complete_degrees_of_freedom():
    pooled = bt.pool_estimates(*with_increase(0.1), complete_df=20).iloc[0]
    fraction = 0.1 / 1.1
    observed = 21 / 23 * 20 * (1 - fraction)
    assert pooled["df"] == pytest.approx(484 * observed / (484 + observed))
    assert pooled["df"] < 20


def test_equal_estimates_have_no_missing_information():
    pooled = bt.pool_estimates([1.0, 1.0], [0.5, 0.7]).iloc[0]
    assert pooled["total"] == pooled["within"] == pytest.approx(0.6)
    assert pooled["df"] == np.inf
    assert pooled["missing_information"] == pooled["relative_increase"] == 0


def test_estimates_without_variance_of_their_own_are_all_missing_information():
    pooled = bt.pool_estimates([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]).iloc[0]
    assert pooled["df"] == pytest.approx(2)
    assert pooled["missing_information"] == 1


def test_labels_of_series_and_frames_are_kept():
    items = [pd.Series({"age": 1.0, "sex": 2.0}), pd.Series({"age": 3.0, "sex": 2.5})]
    by_series = bt.pool_estimates(items, items)
    assert by_series.index.tolist() == ["age", "sex"]
    pd.testing.assert_frame_equal(
        by_series, bt.pool_estimates(pd.DataFrame(items), pd.DataFrame(items))
    )
    alone = bt.pool_estimates([1.0, 3.0], [1.0, 3.0]).to_numpy()[0]
    np.testing.assert_allclose(by_series.loc["age"], alone)


@pytest.mark.parametrize(
    ("estimates", "variances", "options", "problem"),
    [
        ([1.0], [1.0], {}, "at least two imputations; got 1"),
        ([1.0, 2.0], [1.0], {}, "same shape.*got 2 of 1 number and 1 of 1 number"),
        ([1.0, 2.0], [1.0, -1.0], {}, "variances must not be negative"),
        ([1.0, np.nan], [1.0, 1.0], {}, "estimates must hold finite numbers"),
        ([1.0, 2.0], ["a", 1.0], {}, "variances must hold numbers"),
        ([1.0, 2.0], [1.0, 1.0], {"complete_df": 0}, "complete_df must be a positive number"),
    ],
)
def test_the_error_names_what_cannot_be_pooled(estimates, variances, options, problem):
    with pytest.raises(ValueError, match=problem):
        bt.pool_estimates(estimates, variances, **options)
