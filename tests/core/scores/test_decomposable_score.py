from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core_calls import core_scorer, evaluate
from score_oracle import SCORES, family_score
from table_strategies import coded_tables, families


@pytest.mark.parametrize("score", SCORES)
@given(data=st.data(), table=coded_tables())
@settings(max_examples=40)
def test_score_equals_its_definition(data, score, table):
    options = {"score": score, "weights": table.weights, "equivalent_sample_size": 2.5}
    scorer = core_scorer(table.codes, table.arities, **options)
    for child, parents in data.draw(st.lists(families(len(table.arities)), min_size=1, max_size=4)):
        expected = family_score(table.codes, table.arities, child, parents, **options)
        assert evaluate(scorer, child, parents) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_bic_by_hand():
    # Parent state 0: the child is 0 three times and 1 once; state 1: twice 1; state 2 never occurs.
    codes = [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1], [1, 1]]
    by_hand = 3 * log(3 / 4) + 1 * log(1 / 4) + 2 * log(2 / 2) - log(6) / 2 * (2 - 1) * 3
    assert evaluate(core_scorer(codes, [2, 3]), 0, (1,)) == pytest.approx(by_hand, rel=1e-14)


def test_aic_by_hand():
    codes = [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1], [1, 1]]
    by_hand = 3 * log(3 / 4) + 1 * log(1 / 4) - (2 - 1) * 3
    assert evaluate(core_scorer(codes, [2, 3], score="aic"), 0, (1,)) == pytest.approx(by_hand)


def test_ebic_by_hand():
    codes = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0]]
    by_hand = 3 * log(3 / 4) + 1 * log(1 / 4) - log(6) / 2 * (2 - 1) * 3 - log(3)
    assert evaluate(core_scorer(codes, [2, 3, 2], score="ebic"), 0, (1,)) == pytest.approx(by_hand)


def log_probability_of_the_sequence(codes, arities, child, parents, prior):
    """Predict every row's child from the rows before it, `prior` counts in every cell ahead."""
    total = 0.0
    for row in range(len(codes)):
        seen = codes[:row][(codes[:row, parents] == codes[row, parents]).all(axis=1), child]
        n_agreeing = np.count_nonzero(seen == codes[row, child])
        total += log((n_agreeing + prior) / (len(seen) + prior * arities[child]))
    return total


@pytest.mark.parametrize("parents", [[], [1], [2], [1, 2]])
@pytest.mark.parametrize("n_rows", [1, 5, 60])
@pytest.mark.parametrize("score", ["k2", "bdeu"])
def test_bayesian_score_is_the_probability_of_the_states_in_sequence(parents, n_rows, score):
    arities = [3, 2, 4]
    codes = np.random.default_rng(n_rows).integers(0, arities, (n_rows, 3))
    n_cells = np.prod([arities[variable] for variable in (0, *parents)])
    prior = 1.0 if score == "k2" else 7.0 / n_cells
    scorer = core_scorer(codes, arities, score=score, equivalent_sample_size=7.0)
    expected = log_probability_of_the_sequence(codes, arities, 0, parents, prior)
    assert evaluate(scorer, 0, parents) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("equivalent_sample_size", [1e-3, 1.0, 10.0, 1e4])
def test_bdeu_scores_equivalent_structures_alike(equivalent_sample_size):
    codes = np.random.default_rng(0).integers(0, [3, 4], (200, 2))
    scorer = core_scorer(codes, [3, 4], score="bdeu", equivalent_sample_size=equivalent_sample_size)
    forward = evaluate(scorer, 0) + evaluate(scorer, 1, (0,))
    assert forward == pytest.approx(evaluate(scorer, 1) + evaluate(scorer, 0, (1,)), rel=1e-11)


@pytest.mark.parametrize("score", ["bic", "aic", "ebic", "log-likelihood"])
def test_penalised_likelihoods_score_equivalent_structures_alike(score):
    codes = np.random.default_rng(0).integers(0, [3, 4, 2], (200, 3))
    scorer = core_scorer(codes, [3, 4, 2], score=score)
    forward = evaluate(scorer, 0) + evaluate(scorer, 1, (0,))
    assert forward == pytest.approx(evaluate(scorer, 1) + evaluate(scorer, 0, (1,)), rel=1e-11)


@pytest.mark.parametrize("equivalent_sample_size", [1e-200, 1e-6, 1e6, 1e30])
def test_bdeu_stays_finite_under_extreme_priors(equivalent_sample_size):
    codes = np.random.default_rng(0).integers(0, 2, (30, 2))
    scorer = core_scorer(codes, [2, 2], score="bdeu", equivalent_sample_size=equivalent_sample_size)
    assert -1e5 < evaluate(scorer, 0, (1,)) < 0


def test_bdeu_under_a_heavy_prior_predicts_every_state_alike():
    codes = np.random.default_rng(0).integers(0, 2, (1000, 2))
    scorer = core_scorer(codes, [2, 2], score="bdeu", equivalent_sample_size=1e8)
    assert evaluate(scorer, 0, (1,)) == pytest.approx(-1000 * log(2), rel=1e-5)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n_copies", [2, 3])
def test_weights_say_how_many_times_a_row_counts(score, n_copies):
    codes = np.random.default_rng(0).integers(0, 3, (40, 3))
    repeated = core_scorer(np.repeat(codes, n_copies, axis=0), [3] * 3, score=score)
    weighted = core_scorer(codes, [3] * 3, score=score, weights=np.full(40, n_copies))
    assert evaluate(weighted, 0, (1, 2)) == evaluate(repeated, 0, (1, 2))


@pytest.mark.parametrize("weight", [1, 0.1, 12_345_678])
def test_what_parents_determine_has_the_log_likelihood_0_and_never_more(weight):
    parents = np.random.default_rng(0).integers(0, [2, 2, 3, 5], (300, 4))
    codes = np.column_stack([parents[:, 0] ^ parents[:, 1], parents])
    weights = np.full(300, weight)
    scorer = core_scorer(codes, [2, 2, 2, 3, 5], score="log-likelihood", weights=weights)
    for determining in [(1, 2), (1, 2, 3), (1, 2, 4), (1, 2, 3, 4)]:
        assert -1e-9 <= evaluate(scorer, 0, determining) <= 0


@pytest.mark.parametrize("score", SCORES)
def test_a_family_that_no_row_has_observed_scores_minus_infinity(score):
    codes = np.array([[0, -1], [-1, 1], [1, -1]])
    assert evaluate(core_scorer(codes, [2, 2], score=score), 0, (1,)) == -np.inf


@pytest.mark.parametrize("score", ["bic", "aic", "ebic", "bdeu", "log-likelihood"])
def test_with_missing_cells_too_an_arc_gains_the_same_in_both_directions(score):
    random = np.random.default_rng(0)
    codes = random.integers([2, 3, 4], size=(300, 3))
    codes[:, 1] = (codes[:, 0] + codes[:, 1] // 2) % 3
    codes[random.random(codes.shape) < 0.3] = -1
    scorer = core_scorer(codes, [2, 3, 4], score=score)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        gains = [
            evaluate(scorer, child, (parent,)) - evaluate(scorer, child)
            for child, parent in ((one, other), (other, one))
        ]
        assert gains[0] == pytest.approx(gains[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("missing_fraction", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("strength", [0.0, 0.3])
def test_missing_cells_at_random_lower_bic_on_average(missing_fraction, strength):
    random = np.random.default_rng(0)
    parent = random.integers(0, 3, 500)
    child = np.where(random.random(500) < strength, parent % 2, random.integers(0, 2, 500))
    is_missing = random.random((500, 1000)) < missing_fraction
    incomplete = np.where(is_missing, -1, parent[:, None])
    scorer = core_scorer(np.column_stack([child, parent, incomplete]), [2, *[3] * 1001])
    of_incomplete = [evaluate(scorer, 0, (variable,)) for variable in range(2, 1002)]
    assert np.mean(of_incomplete) < evaluate(scorer, 0, (1,))


@pytest.mark.parametrize("score", SCORES)
def test_missing_cells_that_follow_the_child_are_not_rewarded(score):
    random = np.random.default_rng(0)
    child, parent = random.integers(0, 2, (2, 400))
    scorer = core_scorer(
        np.column_stack([child, np.where(child == 1, parent, -1)]), [2, 2], score=score
    )
    assert evaluate(scorer, 0, (1,)) <= evaluate(scorer, 0, ()) + 1e-9


@pytest.mark.parametrize("n_complete", [1, 2, 3])
def test_a_family_with_few_complete_rows_scores_below_the_empty_set(n_complete):
    codes = np.random.default_rng(0).integers(0, 2, (200, 2))
    codes[n_complete:, 1] = -1
    codes[:n_complete, 0] = codes[:n_complete, 1]
    scorer = core_scorer(codes, [2, 2])
    assert evaluate(scorer, 0, (1,)) < evaluate(scorer, 0)


def test_an_unknown_score_is_refused():
    with pytest.raises(ValueError, match="unknown score 'mdl'"):
        core_scorer([[0]], [1], score="mdl")


@pytest.mark.parametrize("equivalent_sample_size", [0.0, -1.0, np.nan])
def test_bdeu_refuses_a_prior_without_weight(equivalent_sample_size):
    with pytest.raises(ValueError, match="equivalent_sample_size must be positive"):
        core_scorer([[0]], [1], score="bdeu", equivalent_sample_size=equivalent_sample_size)
