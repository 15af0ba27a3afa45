"""Single iterations of k-MAX and k-greedy, written from the text of [k-max] in plain Python.

`sets` is the cache: for each variable a dict from parent set (a sorted tuple) to score. Where the
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


def informativeness(sets, bags):
    """I(T) of [s2]: gains of the pairs in a k-tree, by the size of its best score with cycles."""
    pairs = {pair for bag in bags for pair in combinations(sorted(bag), 2)}
    gains = sum(
        max(0.0, *(sets[a].get((b,), sets[a][()]) - sets[a][()] for a, b in (pair, pair[::-1])))
        for pair in pairs
    )
    best = sum(
        max(score for parents, score in of_child.items() if fits(child, parents, bags))
        for child, of_child in enumerate(sets)
    )
    return gains / abs(best)


def fits(child, parents, bags):
    return any({child, *parents} <= bag for bag in bags)


def sample_s2(sets, k_trees, n_iterations, random):
    """Scores of the best networks in the k-trees that S2 accepts, of those given."""
    scores, highest = [], 0.0
    known = {}
    while len(scores) < n_iterations:
        bags = random.choice(k_trees)
        if bags not in known:
            inside = [
                {
                    parents: score
                    for parents, score in of_child.items()
                    if fits(child, parents, bags)
                }
                for child, of_child in enumerate(sets)
            ]
            best = total_score(sets, best_network(inside, range(len(sets))))
            known[bags] = informativeness(sets, bags), best
        informative, score = known[bags]
        if highest == 0.0 or random.random() < informative / highest:
            scores.append(score)
        highest = max(highest, informative)
    return scores


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
