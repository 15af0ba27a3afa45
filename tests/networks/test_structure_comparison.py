import math

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import MissingCellError


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    rain = random.integers(0, 2, 60)
    wet = np.where(random.random(60) < 0.2, 1 - rain, rain)
    return pd.DataFrame({"rain": rain, "wet": wet})


@pytest.fixture
def tree(table):
    return bt.fit_parameters({"wet": ["rain"]}, table)


@pytest.fixture
def empty(table):
    return bt.fit_parameters({}, table)


def test_the_log_bayes_factor_is_the_difference_in_bic_by_hand(table, tree, empty):
    counts = table.value_counts()
    joint = sum(n * math.log(n / 60) for n in counts)
    alone = sum(n * math.log(n / 60) for name in table.columns for n in table[name].value_counts())
    expected = joint - alone - 0.5 * math.log(60)  # one free probability more
    comparison = bt.compare_structures(tree, empty, table)
    assert comparison.log_bayes_factor == pytest.approx(expected)
    assert comparison.delta_bic == comparison.log_bayes_factor
    assert comparison.first_bic == tree.bic(table)
    assert comparison.second_bic == empty.bic(table)


def test_the_posterior_probability_is_bayes_rule_for_equal_priors():
    comparison = bt.StructureComparison(-4.0, -5.5)
    first, second = math.exp(-4.0), math.exp(-5.5)
    assert comparison.posterior_probability == pytest.approx(first / (first + second))
    swapped = bt.StructureComparison(-5.5, -4.0)
    assert swapped.posterior_probability == pytest.approx(second / (first + second))
    assert bt.StructureComparison(-1e6, -1.0).posterior_probability == 0.0
    assert bt.StructureComparison(-1.0, -1e6).posterior_probability == 1.0


@pytest.mark.parametrize(
    ("bayes_factor", "evidence"),
    [
        (1, "weak"),
        (2.7, "weak"),
        (3, "positive"),
        (19, "positive"),
        (21, "strong"),
        (151, "very strong"),
    ],
)
def test_classes_are_those_of_raftery_by_the_bayes_factor(bayes_factor, evidence):
    """In his table, Bayes factors of about 3, 20 and 150 bound the classes."""
    difference = math.log(bayes_factor)
    assert bt.StructureComparison(difference, 0.0).evidence == evidence
    assert bt.StructureComparison(0.0, difference).evidence == evidence


@pytest.mark.parametrize(
    ("second", "better"), [(-2.0, "first"), (0.0, "second"), (-1.0, "neither")]
)
def test_the_structure_of_the_higher_bic_is_better(second, better):
    comparison = bt.StructureComparison(-1.0, second)
    assert comparison.better == better
    assert f"better='{better}'" in repr(comparison)


def test_equivalent_structures_are_equally_probable(table, tree):
    reversed_tree = bt.fit_parameters({"rain": ["wet"]}, table)
    comparison = bt.compare_structures(tree, reversed_tree, table)
    assert comparison.delta_bic == pytest.approx(0, abs=1e-9)
    assert comparison.posterior_probability == pytest.approx(0.5)


def test_networks_of_other_variables_or_states_are_refused(table, tree):
    other = bt.fit_parameters({}, table.rename(columns={"wet": "cold"}))
    with pytest.raises(ValueError, match="other lacks 'wet'"):
        bt.compare_structures(tree, other, table)
    finer = bt.fit_parameters({}, table.assign(wet=table["wet"] + 1))
    with pytest.raises(ValueError, match="same states; those of 'wet' differ"):
        bt.compare_structures(tree, finer, table)
    with pytest.raises(ValueError, match="second must be a BayesianNetwork; got 3"):
        bt.compare_structures(tree, 3, table)


def test_missing_cells_are_refused(table, tree, empty):
    with pytest.raises(MissingCellError):
        bt.compare_structures(tree, empty, bt.ampute(table, 0.2, random_state=0))
