"""Parent sets worth keeping, by scoring all of them."""

from itertools import combinations
from math import inf

from precise_score_oracle import precisely_exceeds
from score_oracle import family_score

CLOSE = 1e-6  # relative difference up to which floats are not trusted to tell the larger score


def undominated_parent_sets(
    codes, arities, child, *, max_parents, required=(), forbidden=(), **score_options
):
    """Scores of the parent sets with the required parents that beat all such subsets of theirs."""
    optional = [
        variable
        for variable in range(len(arities))
        if variable != child and variable not in {*required, *forbidden}
    ]
    scores = {}
    for n_more in range(max_parents - len(required) + 1):
        for more in combinations(optional, n_more):
            parents = tuple(sorted((*required, *more)))
            scores[parents] = family_score(codes, arities, child, parents, **score_options)

    def decide(parents, subset):
        return precisely_exceeds(codes, arities, child, parents, subset, **score_options)

    return without_dominated(scores, decide)


def without_dominated(scores, decide=None):
    """The sets among `scores` that score more than every proper subset among them.

    Scores that are close are left to `decide`; without it there may be none.
    """
    return {
        parents: score
        for parents, score in scores.items()
        if all(
            exceeds(scores, parents, subset, decide)
            for size in range(len(parents))
            for subset in combinations(parents, size)
            if subset in scores
        )
    }


def exceeds(scores, parents, subset, decide):
    score, other = scores[parents], scores[subset]
    if -inf in (score, other) or abs(score - other) > CLOSE * max(1.0, abs(other)):
        return score > other
    assert decide is not None, f"{parents} and {subset} are too close to tell the better one"
    return decide(parents, subset)
