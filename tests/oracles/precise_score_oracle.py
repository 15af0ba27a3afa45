"""Scores of families to sixty digits, to tell a tie from a difference that is merely small."""

from decimal import Decimal, localcontext
from functools import cache
from math import prod

from score_oracle import family_counts, family_score

DIGITS = 60
ROUNDING = Decimal("1e-45")  # far above that of sums of sixty digits, far below any difference


def precisely_exceeds(codes, arities, child, parents, others, **score_options):
    """Whether one parent set of a child scores more than another."""
    options = {**score_options, "of_rows": score_of_rows, "number": Decimal}
    with localcontext(prec=DIGITS):
        score = family_score(codes, arities, child, parents, **options)
        return score > family_score(codes, arities, child, others, **options) + ROUNDING


def score_of_rows(
    codes, arities, child, parents, weights, n_rows, *, score, equivalent_sample_size
):
    """The same as of `score_oracle`; BDeu and K2 for whole weights only."""
    cells, row_sums = (
        {key: Decimal(n) for key, n in counts.items()}
        for counts in family_counts(codes, child, parents, weights)
    )
    n_states, n_configurations = int(arities[child]), prod(int(arities[p]) for p in parents)
    if score in ("bdeu", "k2"):
        n_cells = n_configurations * n_states
        prior = Decimal(1) if score == "k2" else Decimal(equivalent_sample_size) / n_cells
        of_cells = sum(log_rising(prior, n) for n in cells.values())
        return of_cells - sum(log_rising(prior * n_states, n) for n in row_sums.values())
    penalty = {"aic": Decimal(1), "log-likelihood": Decimal(0)}.get(score, log(n_rows) / 2)
    penalty_an_arc = log(Decimal(len(arities))) if score == "ebic" else Decimal(0)
    value = sum(n * log(n) for n in cells.values()) - sum(n * log(n) for n in row_sums.values())
    return value - penalty * (n_states - 1) * n_configurations - penalty_an_arc * len(parents)


@cache
def log(number):
    with localcontext(prec=DIGITS):
        return number.ln()


@cache
def log_rising(start, n):
    """Logarithm of gamma(start + n) / gamma(start), or start (start + 1) ... (start + n - 1)."""
    assert n == int(n)
    with localcontext(prec=DIGITS):
        return sum((log(start + i) for i in range(int(n))), Decimal(0))
