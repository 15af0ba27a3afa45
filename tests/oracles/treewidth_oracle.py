"""Networks of a few variables and their tree decompositions, by trying everything."""

from functools import cache
from itertools import combinations, permutations, product

import numpy as np


def moral_edges(parents):
    """Pairs of variables that are in a family together."""
    return frozenset(
        frozenset(pair)
        for child, members in enumerate(parents)
        for pair in combinations({child, *members}, 2)
    )


def elimination_bags(edges, order):
    """Bags of the decomposition that an elimination order gives."""
    neighbours = {variable: set() for variable in order}
    for a, b in edges:
        neighbours[a].add(b)
        neighbours[b].add(a)
    bags = []
    for variable in order:
        left = neighbours.pop(variable)
        bags.append({variable} | left)
        for other in left:
            neighbours[other] |= left - {other}
            neighbours[other].discard(variable)
    return bags


@cache
def all_decompositions(edges, n_variables):
    return [elimination_bags(edges, order) for order in permutations(range(n_variables))]


def has_decomposition(parents, is_bag):
    """Whether some elimination order gives only bags for which `is_bag` holds."""
    decompositions = all_decompositions(moral_edges(parents), len(parents))
    return any(all(map(is_bag, bags)) for bags in decompositions)


@cache
def all_dags(n_variables):
    """Parents of every variable, for every network."""

    def subsets(child):
        others = [variable for variable in range(n_variables) if variable != child]
        return [s for size in range(n_variables) for s in combinations(others, size)]

    def is_acyclic(parents):
        left = set(range(n_variables))
        while roots := {child for child in left if not left & set(parents[child])}:
            left -= roots
        return not left

    return list(filter(is_acyclic, product(*map(subsets, range(n_variables)))))


@cache
def all_k_trees(n_variables, k):
    """Bags of every k-tree: each variable joins k members of a bag, in any order."""
    first = [frozenset([frozenset(bag)]) for bag in combinations(range(n_variables), k + 1)]
    trees = set(first)
    for _ in range(n_variables - k - 1):
        trees = {
            tree | {clique | {variable}}
            for tree in trees
            for variable in set(range(n_variables)).difference(*tree)
            for bag in tree
            for clique in (bag - {member} for member in bag)
        }
    return trees


def best_score(n_variables, score, is_network):
    """Highest sum of `score(child, parents)` among the networks for which `is_network` holds."""
    return max(
        (
            sum(score(child, members) for child, members in enumerate(parents))
            for parents in all_dags(n_variables)
            if is_network(parents)
        ),
        default=-np.inf,
    )
