"""The proof that a structure is a DAG of bounded treewidth: plain Python, no code of baytree."""


def check_structure(parents, bags, edges, max_treewidth):
    """Raise AssertionError with a reason unless bags and edges prove the width of a DAG.

    `parents` maps every variable to its parents (a list does for variables 0, 1, ...); `bags` are
    groups of variables and `edges` pairs of bag numbers.
    """
    parents = dict(parents) if isinstance(parents, dict) else dict(enumerate(parents))
    parents = {child: list(members) for child, members in parents.items()}
    bags = [list(bag) for bag in bags]
    edges = [tuple(edge) for edge in edges]
    check_parents(parents)
    check_acyclic(parents)
    check_bags(parents, bags, max_treewidth)
    check_forest(len(bags), edges)
    check_families(parents, bags)
    check_running_intersection(parents, bags, edges)


def check_parents(parents):
    for child, members in parents.items():
        for parent in members:
            assert parent in parents, f"parent {parent!r} of {child!r} is not a variable"
        assert len(set(members)) == len(members), f"{child!r} has a parent twice"


def check_acyclic(parents):
    left = {child: set(members) for child, members in parents.items()}
    while left:
        roots = {child for child, members in left.items() if not members & left.keys()}
        assert roots, f"the arcs among {sorted(left, key=str)} form a cycle"
        left = {child: members for child, members in left.items() if child not in roots}


def check_bags(parents, bags, max_treewidth):
    for number, bag in enumerate(bags):
        assert len(set(bag)) == len(bag), f"bag {number} holds a variable twice"
        assert set(bag) <= parents.keys(), f"bag {number} holds something that is no variable"
        assert len(bag) - 1 <= max_treewidth, f"bag {number} has width {len(bag) - 1}"
    missing = parents.keys() - {variable for bag in bags for variable in bag}
    assert not missing, f"in no bag: {sorted(missing, key=str)}"


def check_forest(n_bags, edges):
    """Merge the trees that an edge joins; an edge inside a tree closes a cycle."""
    tree_of = list(range(n_bags))
    for edge in edges:
        assert len(edge) == 2, f"edge {edge} is not a pair"
        assert all(0 <= end < n_bags for end in edge), f"edge {edge} leads to no bag"
        first, second = (tree_of[end] for end in edge)
        assert first != second, f"edge {edge} closes a cycle of bags"
        tree_of = [first if tree == second else tree for tree in tree_of]


def check_families(parents, bags):
    bags_of = {variable: [] for variable in parents}
    for bag in map(set, bags):
        for variable in bag:
            bags_of[variable].append(bag)
    for child, members in parents.items():
        is_held = any(set(members) <= bag for bag in bags_of[child])
        assert is_held, f"no bag holds {child!r} and its parents {members}"


def check_running_intersection(parents, bags, edges):
    """Walk from one bag of a variable to the others, through bags that hold it."""
    next_to = [[] for _ in bags]
    for a, b in edges:
        next_to[a].append(b)
        next_to[b].append(a)
    holders = {variable: set() for variable in parents}
    for number, bag in enumerate(bags):
        for variable in bag:
            holders[variable].add(number)
    for variable, unseen in holders.items():
        walk = [unseen.pop()]
        while walk:
            steps = unseen.intersection(next_to[walk.pop()])
            unseen -= steps
            walk += steps
        assert not unseen, f"the bags of {variable!r} are not connected"
