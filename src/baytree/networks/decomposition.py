"""Tree decompositions: the proof that a network has a bounded treewidth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from baytree import _core
from baytree.messages.arguments import is_integer
from baytree.messages.quoting import pluralize, shortened

MAX_NEIGHBOURS = 64  # with two states each, a table has more entries than addresses


@dataclass(frozen=True, repr=False)
class TreeDecomposition:
    """Bags of variables, joined to a tree or to several.

    Every variable shares a bag with its parents, and the bags that hold a variable are connected.
    Inference works along the tree, and its cost is exponential in the size of the largest bag.

    Parameters
    ----------
    bags : tuple of tuple
        Names of the variables in every bag.
    edges : tuple of (int, int)
        Pairs of numbers of bags, from 0.

    See Also
    --------
    BayesianNetwork : Has one as `decomposition`.

    Examples
    --------
    >>> chain = TreeDecomposition((("cloud", "rain"), ("rain", "wet")), ((0, 1),))
    >>> chain
    TreeDecomposition(2 bags of up to 2 variables)
    >>> chain.width
    1
    """

    bags: tuple[tuple[Hashable, ...], ...]
    edges: tuple[tuple[int, int], ...]

    @cached_property
    def width(self) -> int:
        """Number of variables in the largest bag, less one."""
        return max((len(bag) for bag in self.bags), default=1) - 1

    @classmethod
    def from_order(
        cls, variables: Sequence[Hashable], parents: Sequence[Sequence[int]], order: Sequence[int]
    ) -> TreeDecomposition:
        """Return the decomposition of an elimination order.

        Parameters
        ----------
        variables : sequence
            Names of the variables.
        parents : sequence of sequence of int
            Parents of every variable, by position.
        order : sequence of int
            All positions, in the order of their elimination.

        Returns
        -------
        TreeDecomposition
            No bag lies inside another.

        Examples
        --------
        >>> TreeDecomposition.from_order(["rain", "wet"], [[], [0]], [1, 0]).bags
        (('rain', 'wet'),)
        """
        return named_bags(variables, _core.decompose([sorted(p) for p in parents], list(order)))

    def __repr__(self) -> str:
        """Return the number of bags and the size of the largest."""
        size = pluralize(self.width + 1, "variable")
        return f"TreeDecomposition({pluralize(len(self.bags), 'bag')} of up to {size})"


def named_bags(variables: Sequence[Hashable], core: _core.TreeDecomposition) -> TreeDecomposition:
    """Return a decomposition of the core with names in place of positions."""
    bags = tuple(tuple(variables[position] for position in bag) for bag in core.bags)
    return TreeDecomposition(bags, tuple((int(a), int(b)) for a, b in core.edges))


def check_decomposition(
    decomposition: TreeDecomposition, parents: Mapping[Hashable, Iterable[Hashable]]
) -> None:
    """Refuse bags that are no tree decomposition of the network with these parents."""
    bags_of: dict[Hashable, list[int]] = {variable: [] for variable in parents}
    bags = [frozenset(bag) for bag in decomposition.bags]
    for number, bag in enumerate(bags):
        if len(bag) != len(decomposition.bags[number]):
            raise ValueError(f"Bag {number} of the decomposition holds a variable twice.")
        for variable in bag:
            if variable not in bags_of:
                raise ValueError(
                    f"Bag {number} of the decomposition holds {variable!r}, which is no variable."
                )
            bags_of[variable].append(number)
    _check_forest(len(bags), decomposition.edges)
    for child, members in parents.items():
        family = {child, *members}
        rarest = min(family, key=lambda variable: len(bags_of[variable]))
        if not any(family <= bags[number] for number in bags_of[rarest]):
            raise ValueError(
                f"No bag of the decomposition holds variable {child!r} and its parents."
            )
    # In a forest, bags are connected if and only if the edges among them are one less.
    n_edges = Counter(v for a, b in decomposition.edges for v in bags[a] & bags[b])
    for variable, numbers in bags_of.items():
        if n_edges[variable] != len(numbers) - 1:
            raise ValueError(
                f"The bags of the decomposition that hold {variable!r} are not connected."
            )


def _check_forest(n_bags: int, edges: Iterable[tuple[int, int]]) -> None:
    tree_of = list(range(n_bags))

    def tree(bag: int) -> int:
        while tree_of[bag] != bag:
            tree_of[bag] = tree_of[tree_of[bag]]
            bag = tree_of[bag]
        return bag

    for edge in edges:
        if not all(is_integer(end) and 0 <= end < n_bags for end in edge):
            raise ValueError(
                f"An edge of the decomposition must join two of its {n_bags} bags; "
                f"got {shortened(edge)}."
            )
        first, second = (tree(end) for end in edge)
        if first == second:
            raise ValueError("The edges of the decomposition form a cycle of bags.")
        tree_of[first] = second


def order_along(decomposition: TreeDecomposition) -> list[Hashable]:
    """Return an elimination order that never joins variables without a common bag."""
    names = list(dict.fromkeys(variable for bag in decomposition.bags for variable in bag))
    positions = {name: position for position, name in enumerate(names)}
    bags = [[positions[variable] for variable in bag] for bag in decomposition.bags]
    edges = [(int(first), int(second)) for first, second in decomposition.edges]
    return [names[position] for position in _core.order_along(bags, edges)]


def min_degree_decomposition(
    variables: Sequence[Hashable], parents: Sequence[Sequence[int]]
) -> TreeDecomposition:
    """Return the decomposition of the minimum-degree elimination order.

    When all remaining variables have more than `MAX_NEIGHBOURS`, they form one bag: the table of
    a smaller one would fit into no memory, and the time to find it is cubic in their number.
    """
    order = _core.min_degree_order([sorted(p) for p in parents], max_degree=MAX_NEIGHBOURS)
    if len(order) == len(parents):
        return TreeDecomposition.from_order(variables, parents, order)
    return _with_last_bag(variables, parents, order)


def min_degree_order(parents: Sequence[Iterable[int]]) -> list[int]:
    """Return the minimum-degree elimination order of an acyclic structure.

    The same parents always give the same order.
    """
    return _core.min_degree_order([sorted(p) for p in parents], max_degree=len(parents))


def _with_last_bag(
    variables: Sequence[Hashable], parents: Sequence[Sequence[int]], order: Sequence[int]
) -> TreeDecomposition:
    """Return the bags of a partial elimination; one holds all remaining variables."""
    later = _later_neighbours(parents, order)
    place = {variable: number for number, variable in enumerate(order)}
    rest = [variable for variable in range(len(parents)) if variable not in place]
    bags, edges = [set(rest)], []
    bag_of = dict.fromkeys(rest, 0)
    for variable in reversed(order):
        bag = later[variable] | {variable}
        bag_of[variable] = len(bags)
        if later[variable]:
            first = min(later[variable], key=lambda other: place.get(other, len(place)))
            if bags[bag_of[first]] <= bag:
                bag_of[variable] = bag_of[first]
                bags[bag_of[first]] = bag
                continue
            edges.append((bag_of[first], len(bags)))
        bags.append(bag)
    names = (tuple(variables[position] for position in sorted(bag)) for bag in bags)
    return TreeDecomposition(tuple(names), tuple(edges))


def _later_neighbours(
    parents: Sequence[Sequence[int]], order: Sequence[int]
) -> dict[int, set[int]]:
    """Return the neighbours that each variable of an order has when it is eliminated."""
    neighbours: list[set[int]] = [set() for _ in parents]
    for child, members in enumerate(parents):
        for variable in (family := {child, *members}):
            neighbours[variable] |= family - {variable}
    for variable in order:
        for other in neighbours[variable]:
            neighbours[other] |= neighbours[variable]
            neighbours[other] -= {other, variable}
    return {variable: neighbours[variable] for variable in order}
