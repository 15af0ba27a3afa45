"""Independence selection with every extension in one queue, as the definition has it."""

from heapq import heapify, heappop, heappush
from math import log, prod

from score_oracle import family_score


def scored_in_order(codes, arities, child, *, max_parents, n_sets, score="bic"):
    """The first `n_sets` parent sets to be scored, in this order, with their scores."""
    candidates = [variable for variable in range(len(arities)) if variable != child]
    bic = log(len(codes)) / 2  # EBIC's penalty of an arc is in both scores that are added up
    penalty = {"bic": bic, "ebic": bic, "aic": 1.0}.get(score, 0.0) * (arities[child] - 1)
    scores = {
        parents: family_score(codes, arities, child, parents, score=score)
        for parents in [(), *((candidate,) for candidate in candidates)]
    }

    def extensions(parents):
        for more in candidates:
            if more not in parents and len(parents) < max_parents:
                value = estimate(scores, arities, penalty, parents, more)
                yield -value, tuple(sorted((*parents, more)))

    queue = [extension for candidate in candidates for extension in extensions((candidate,))]
    heapify(queue)
    while queue and len(scores) < n_sets:
        _, parents = heappop(queue)
        if parents not in scores:
            scores[parents] = family_score(codes, arities, child, parents, score=score)
            for extension in extensions(parents):
                heappush(queue, extension)
    return dict(list(scores.items())[:n_sets])


def estimate(scores, arities, penalty, parents, more):
    """Score of the parents with one more, if both told the child something of their own."""
    n, m = prod(arities[parent] for parent in parents), arities[more]
    inter = penalty * (n + m - n * m - 1) - scores[()]
    return scores[parents] + scores[more,] + inter
