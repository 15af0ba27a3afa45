"""Scores of families from their definitions, row by row, without any of the core's short cuts."""

from collections import Counter
from math import inf, lgamma, log, prod

import numpy as np

SCORES = ("bic", "aic", "ebic", "bdeu", "k2", "log-likelihood")


def family_score(
    codes,
    arities,
    child,
    parents=(),
    *,
    score="bic",
    weights=None,
    equivalent_sample_size=1.0,
    of_rows=None,
    number=float,
):
    """Score of the child alone, and what the parents add on the rows that have the family whole.

    `of_rows` may replace `score_of_rows`, and compute with another type of `number`.
    """
    of_rows = of_rows or score_of_rows
    codes = np.asarray(codes)
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
    options = {"score": score, "equivalent_sample_size": equivalent_sample_size}
    n_rows = number(weights.sum())

    def on_rows(used, family_parents):
        used_weights = np.where(used, weights, 0.0)
        value = of_rows(codes, arities, child, family_parents, used_weights, n_rows, **options)
        return value, number(used_weights.sum())

    alone, n_observed = on_rows(codes[:, child] >= 0, ())
    whole = (codes[:, [*parents, child]] >= 0).all(axis=1)
    with_parents, n_whole = on_rows(whole, parents)
    if n_whole == 0:
        return -inf
    gain = with_parents - on_rows(whole, ())[0]
    return alone * (n_rows / n_observed) + gain * (n_rows / n_whole)


def score_of_rows(
    codes, arities, child, parents, weights, n_rows, *, score, equivalent_sample_size
):
    """Score of the rows with a positive weight, all of them observed; the penalty is for n_rows."""
    cells, row_sums = family_counts(codes, child, parents, weights)
    n_states, n_configurations = int(arities[child]), prod(float(arities[p]) for p in parents)
    if score in ("bdeu", "k2"):
        prior = 1.0 if score == "k2" else equivalent_sample_size / n_configurations / n_states
        value = log_marginal_likelihood(cells, row_sums, n_states, prior)
    else:
        penalty = {"aic": 1.0, "log-likelihood": 0.0}.get(score, log(n_rows) / 2)
        penalty_an_arc = log(len(arities)) if score == "ebic" else 0.0
        value = sum(n * log(n / row_sums[configuration]) for (configuration, _), n in cells.items())
        value -= penalty * (n_states - 1) * n_configurations + penalty_an_arc * len(parents)
    return value


def family_counts(codes, child, parents, weights):
    """Weight of every occurring (configuration of the parents, state) and configuration."""
    cells, row_sums = Counter(), Counter()
    family = np.asarray(codes)[:, [*parents, child]]
    used = (family >= 0).all(axis=1) & (weights > 0)
    for row, weight in zip(family[used].tolist(), weights[used].tolist(), strict=True):
        *configuration, state = row
        cells[tuple(configuration), state] += weight
        row_sums[tuple(configuration)] += weight
    return cells, row_sums


def log_marginal_likelihood(cells, row_sums, n_states, prior):
    """Dirichlet-multinomial integral with `prior` counts in every cell."""
    of_cells = sum(lgamma(prior + n) - lgamma(prior) for n in cells.values())
    row_prior = prior * n_states
    return of_cells - sum(lgamma(row_prior + n) - lgamma(row_prior) for n in row_sums.values())
