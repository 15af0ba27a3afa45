"""Independence selection with every extension in one queue, as the definition has it."""

from heapq import heapify, heappop, heappush
from math import log, prod

from score_oracle import family_score


def scored_in_order(codes, arities, child, *, max_parents, n_sets, **score_options):
    """The first `n_sets` parent sets to be scored, in this order, with their scores."""
    score = score_options.get("score", "bic")
    penalty = {"bic": log(len(codes)) / 2, "aic": 1.0}.get(score, 0.0) * (arities[child] - 1)
    candidates = [variable for variable in range(len(arities)) if variable != child]
    scores = {}

    def add(parents):
        scores[parents] = family_score(codes, arities, child, parents, **score_options)

    def estimate(parents, more):
        n, m = prod(arities[p] for p in parents), arities[more]
        inter = penalty * (n + m - n * m - 1) - scores[()]
        return scores[parents] + scores[more,] + inter

    def extensions(parents):
        for more in candidates:
            if more not in parents and len(parents) < max_parents:
                yield -estimate(parents, more), tuple(sorted((*parents, more)))

    add(())
    for candidate in candidates:
        add((candidate,))
    queue = [extension for candidate in candidates for extension in extensions((candidate,))]
    heapify(queue)
    while queue and len(scores) < n_sets:
        _, parents = heappop(queue)
        if parents not in scores:
            add(parents)
            for extension in extensions(parents):
                heappush(queue, extension)
    return dict(list(scores.items())[:n_sets])
