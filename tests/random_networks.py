"""Networks drawn at random, for tests that need any network at all."""


def random_parents(random, n_variables, max_parents):
    """Parents of every variable, ascending; they come before it in a random order."""
    parents = [[] for _ in range(n_variables)]
    order = random.sample(range(n_variables), n_variables)
    for i, child in enumerate(order):
        parents[child] = sorted(random.sample(order[:i], random.randint(0, min(max_parents, i))))
    return parents
