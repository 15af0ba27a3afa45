"""Single iterations of k-MAX and k-greedy, written from the text of [k-max] in plain Python.

`sets` holds the cache: for each variable a dict from parent set (a sorted tuple) to score. Where the
text is silent: equals are drawn by lot, a variable whose sets all score the same has m = 1, and a
start that runs out of candidate parents goes on with any variable.
"""

from itertools import combinations, permutations


def candidate_parents(sets, variable):
    """Every variable that is in at least one parent set of the cache."""
    return {parent for parents in sets[variable] for parent in parents}


def linked_start(sets, n_wanted, random):
    """The first variables of k-MAX: each but the first a candidate parent of one before it."""
    chosen, candidates = [], set()
    while len(chosen) < n_wanted:
        left = sorted(candidates - {*chosen}) or sorted({*range(len(sets))} - {*chosen})
        chosen.append(random.choice(left))
        candidates |= candidate_parents(sets, chosen[-1])
    return chosen


def start_probabilities(sets, n_wanted, chosen=frozenset(), probability=1.0):
    """Probability of each start clique of k-MAX, by going through all draws."""
    if len(chosen) == n_wanted:
        return {chosen: probability}
    candidates = set().union(*(candidate_parents(sets, variable) for variable in chosen))
    left = (candidates - chosen) or ({*range(len(sets))} - chosen)
    total = {}
    for variable in left:
        further = start_probabilities(sets, n_wanted, chosen | {variable}, probability / len(left))
        for clique, part in further.items():
            total[clique] = total.get(clique, 0.0) + part
    return total


def best_network(sets, variables):
    """Parents in the best network over a few variables, by trying all their orders."""

    def along(order):
        return {
            child: max(
                (parents for parents in sets[child] if {*parents} <= {*order[:place]}),
                key=sets[child].__getitem__,
            )
            for place, child in enumerate(order)
        }

    networks = [along(order) for order in permutations(variables)]
    return max(networks, key=lambda network: total_score(sets, network))


def total_score(sets, parents):
    return sum(sets[child][chosen] for child, chosen in parents.items())


class Growth:
    """A network and its k-tree, while variables join."""

    def __init__(self, sets, k, start):
        self.sets, self.k = sets, k
        self.parents = best_network(sets, start)
        self.cliques = set()
        self.feasible = {v: {} for v in range(len(sets)) if v not in self.parents}
        self.add_cliques(start)

    def add_cliques(self, bag):
        self.cliques |= {frozenset(clique) for clique in combinations(bag, self.k)}
        possible = [s for size in range(self.k + 1) for s in combinations(sorted(bag), size)]
        for variable, feasible in self.feasible.items():
            known = self.sets[variable]
            feasible.update((parents, known[parents]) for parents in possible if parents in known)

    def m(self, variable):
        scores = self.sets[variable].values()
        best, worst, current = max(scores), min(scores), max(self.feasible[variable].values())
        return (current - worst) / (best - worst) if best > worst else 1.0

    def join(self, variable, random):
        feasible = self.feasible.pop(variable)
        parents = draw_best(feasible, feasible.get, random)
        holding = sorted(sorted(clique) for clique in self.cliques if clique >= {*parents})
        self.parents[variable] = parents
        self.add_cliques([variable, *random.choice(holding)])


def draw_best(items, value, random):
    """One of the items of the highest value, by lot."""
    values = {item: value(item) for item in items}
    best = max(values.values())
    return random.choice([item for item in items if values[item] == best])


def grow_k_max(sets, k, random):
    growth = Growth(sets, k, linked_start(sets, k + 1, random))
    while growth.feasible:
        growth.join(draw_best([*growth.feasible], growth.m, random), random)
    return total_score(sets, growth.parents)


def grow_k_greedy(sets, k, random):
    order = random.sample(range(len(sets)), len(sets))
    growth = Growth(sets, k, order[: k + 1])
    for variable in order[k + 1 :]:
        growth.join(variable, random)
    return total_score(sets, growth.parents)
