"""Warnings about columns: words among numbers, identifiers and dates."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baytree as bt
from baytree.exceptions import IdentifierWarning, MixedColumnWarning
from baytree.tables.inputs import open_table

N_ROWS = 200


def numbers_with(words, n_rows=N_ROWS):
    """Return texts of numbers, the first of which are words."""
    texts = [f"{number / 4}" for number in np.random.default_rng(0).integers(40, size=n_rows)]
    return [*words, *texts[len(words) :]]


@pytest.fixture
def mixed():
    """Two columns of numbers with a few words, and one of states."""
    return pd.DataFrame(
        {
            "age": numbers_with(["-", "-", ".", "NA"]),
            "fare": numbers_with(["inf"]),
            "deck": ["A", "B"] * (N_ROWS // 2),
        }
    )


def test_words_among_numbers_are_named_in_one_warning_for_files_and_frames(mixed, tmp_path):
    path = tmp_path / "mixed.csv"
    mixed.to_csv(path, index=False)
    named = "'age' ('-': 2, '.': 1), 'fare' ('inf': 1). If these mean missing, list them in"
    for table in (path, mixed, pl.from_pandas(mixed)):
        with pytest.warns(MixedColumnWarning, match=re.escape(named)) as caught:
            open_table(table)
        assert len(caught) == 1
        assert "missing_values (on the command line --missing-values)" in str(caught[0].message)


def test_the_option_that_the_warning_names_makes_the_columns_numeric(mixed):
    learner = bt.NetworkLearner(1, search="chow-liu", missing_values=["-", ".", "inf", "NA"])
    with pytest.warns(bt.exceptions.DiscretizationWarning, match="'age', 'fare'") as caught:
        learner.fit(mixed)
    assert len(caught) == 1


def test_numbers_and_text_of_a_spreadsheet_are_mixed_too():
    table = pd.DataFrame({"v": [*range(10), "n.k."] * 2 + [7] * 200})
    with pytest.warns(MixedColumnWarning, match=re.escape("'v' ('n.k.': 2)")):
        open_table(table)


def test_many_different_numbers_need_be_no_more_than_half_of_a_mixed_column():
    table = pd.DataFrame({"most": numbers_with(["-"] * 90), "few": numbers_with(["-"] * 110)})
    with pytest.warns(MixedColumnWarning, match=r": 'most' \('-': 90\)\. If"):
        open_table(table)


@pytest.mark.parametrize(
    "cells",
    [
        ["4+"] * 11 + ["1", "2", "3"] * 63,
        numbers_with(["a", "b", "c", "d", "e", "f"]),
        ["x"] * 10 + ["y"] * 190,
        pd.Categorical(numbers_with(["-"])),
        numbers_with([]),
    ],
    ids=["too many words", "too many kinds", "text", "declared", "numbers as text"],
)
def test_other_columns_are_text_without_a_warning(cells):
    open_table(pd.DataFrame({"v": cells}))


def test_identifiers_and_dates_are_named_in_one_warning_that_says_what_to_do():
    random = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=60)
    few = days[:5]
    table = pd.DataFrame(
        {
            "ticket": [f"t{number}" for number in random.integers(200, size=N_ROWS)],
            "day": random.choice(days, N_ROWS),
            "written": random.choice(days.strftime("%Y-%m-%d"), N_ROWS),
            "us": random.choice(days.strftime("%m/%d/%Y"), N_ROWS),
            "visit": random.choice(few, N_ROWS),
            "town": [f"t{number}" for number in random.integers(60, size=N_ROWS)],
        }
    )
    n_states = table.nunique()
    expected = (
        f"'ticket' ({n_states['ticket']} states in 200 rows), 'day' ({n_states['day']} dates), "
        f"'written' ({n_states['written']} dates), 'us' ({n_states['us']} dates). Rows hardly"
    )
    with pytest.warns(IdentifierWarning, match=re.escape(expected)) as caught:
        open_table(table)
    assert len(caught) == 1
    assert "leave them out with ignore (on the command line --ignore)" in str(caught[0].message)


def test_half_as_many_states_as_rows_are_no_identifier():
    labels = [f"p{number}" for number in range(50)]
    open_table(pd.DataFrame({"v": labels * 2}))
    with pytest.warns(IdentifierWarning, match="51 states in 101 rows"):
        open_table(pd.DataFrame({"v": [*labels * 2, "p50"]}))
