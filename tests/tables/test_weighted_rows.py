from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import MissingCellError, TableError


@pytest.fixture
def table():
    return pd.DataFrame({"rain": [0, 1, 0, 1], "wet": [0, 1, 1, 1]})


@pytest.mark.parametrize(
    "weights",
    [
        pd.Series([1, 2, 0, 3], index=[3, 2, 1, 0]),
        pd.Series([1, 2, 0, 3], dtype="Int64"),
        np.ma.array([1.0, 2.0, 0.0, 3.0]),
        [Decimal(1), 2, 0, np.float32(3)],
        (1, 2, 0, 3),
    ],
)
def test_weights_are_taken_by_position_from_any_sequence(table, weights):
    repeated = table.iloc[[0, 1, 1, 3, 3, 3]]
    scorer = bt.FamilyScorer(table, sample_weight=weights)
    expected = bt.FamilyScorer(repeated).score("wet", ["rain"])
    assert scorer.score("wet", ["rain"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ma.array([1, 1, 1, 1], mask=[0, 1, 0, 0]), "got masked entries"),
        (np.ones(4, dtype=complex), "hold numbers; got array"),
        (["1", "2", "3", "4"], "hold numbers; got \\['1', '2'"),
        (np.ones(4, dtype="m8[s]"), "hold numbers; got"),
        (np.ones(4, dtype="M8[s]"), "hold numbers; got"),
        ([1, None, 1, 1], "hold numbers; got \\[1, None"),
        ([[1], [1, 2], 1, 1], "hold numbers; got"),
        ("four", "hold numbers; got 'four'"),
        ({1, 2, 3, 4}, "hold numbers; got {1, 2, 3, 4}"),
        ([1e308] * 4, "and to a finite number; got inf"),
    ],
)
def test_weights_that_are_no_numbers_are_refused(table, weights, message):
    with pytest.raises(ValueError, match=f"sample_weight must .*{message}"):
        bt.FamilyScorer(table, sample_weight=weights)


def test_missing_cells_in_rows_of_no_weight_do_not_count():
    table = pd.DataFrame({"a": ["x", None, "y"], "b": ["x", "y", "x"]})
    scorer = bt.FamilyScorer(table, criterion="log-likelihood", sample_weight=[1, 0, 2])
    assert scorer.score("a") == pytest.approx(np.log(1 / 3) + 2 * np.log(2 / 3))
    assert len(bt.score_parent_sets(table, max_parents=1, sample_weight=[1, 0, 2])) >= 2
    with pytest.raises(MissingCellError, match=r"'a' \(1\)\."):
        bt.score_parent_sets(table, max_parents=1, sample_weight=[1, 1, 0])


@pytest.mark.parametrize("missing", ["error", "available"])
def test_a_variable_must_be_observed_in_a_row_of_positive_weight(missing):
    table = pd.DataFrame({"a": [1, None, 2], "b": [1, 2, 1]})
    for call in (bt.FamilyScorer, lambda *a, **o: bt.score_parent_sets(*a, max_parents=1, **o)):
        with pytest.raises(TableError, match="observed cell in a row of positive weight: 'a'"):
            call(table, missing=missing, sample_weight=[0, 1, 0])


def test_states_of_rows_of_no_weight_are_states(table):
    table["wet"] = [0, 1, 2, 1]
    declared = table.astype({"wet": pd.CategoricalDtype([0, 1, 2])}).iloc[[0, 1, 3]]
    scorer = bt.FamilyScorer(table, sample_weight=[1, 1, 0, 1])
    expected = bt.FamilyScorer(declared).score("rain", ["wet"])
    assert scorer.score("rain", ["wet"]) == pytest.approx(expected)


def test_required_parents_seen_with_the_child_in_rows_of_no_weight_are_refused():
    table = pd.DataFrame({"a": ["x", None, "y", "x"], "b": [None, "x", None, "y"]})
    options = {
        "max_parents": 1,
        "missing": "available",
        "constraints": bt.ArcConstraints(required=[("a", "b")]),
    }
    assert bt.score_parent_sets(table, **options)["b"].parent_sets == [("a",)]
    with pytest.raises(TableError, match="No row has variable 'b' and its required parents 'a'"):
        bt.score_parent_sets(table, sample_weight=[1, 1, 1, 0], **options)


@pytest.fixture
def wide_table():
    return np.random.default_rng(0).integers(0, 2, (20, 1100))


def test_required_parents_that_are_too_many_are_refused_for_that(wide_table):
    arcs = [(f"x{i}", "x1099") for i in range(1099)]
    with pytest.raises(ValueError, match=r"'x1099' 1,099 parents .* too many to score"):
        bt.score_parent_sets(
            wide_table, max_parents=1099, constraints=bt.ArcConstraints(required=arcs)
        )


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2", "log-likelihood"])
def test_parents_that_are_too_many_are_refused_with_the_child(wide_table, score):
    scorer = bt.FamilyScorer(wide_table, criterion=score, equivalent_sample_size=1e-15)
    with pytest.raises(ValueError, match=r"1,099 parents given for variable 'x1099' .* too many"):
        scorer.score("x1099", scorer.variables[:1099])
    assert np.isfinite(scorer.score("x1099", scorer.variables[:990]))
