"""Parent sets worth keeping, by scoring all of them."""

from itertools import combinations

from score_oracle import family_score


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
    return without_dominated(scores)


def without_dominated(scores):
    """The sets among `scores` that score more than every proper subset among them."""
    return {
        parents: score
        for parents, score in scores.items()
        if all(
            exceeds(score, scores[subset])
            for size in range(len(parents))
            for subset in combinations(parents, size)
            if subset in scores
        )
    }


def exceeds(score, other):
    """Whether `score` is more than `other` by more than rounding."""
    return score > other + (1e-10 * abs(other) if other > float("-inf") else 0.0)
