"""Which variables of a network to draw: all of a small one, else the neighbourhood of one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from baytree.messages.arguments import integer_at_least
from baytree.networks.network import BayesianNetwork
from baytree.plots.axes import short_texts
from baytree.plots.layouts.neighbourhoods import nearest, neighbours_of


@dataclass(frozen=True)
class NetworkView:
    """Variables to draw, by number, the arcs among them, and what to say about the choice."""

    numbers: Sequence[int]
    arcs: Sequence[tuple[int, int]]  # places in `numbers`
    chosen: int | None  # a place
    near: frozenset[int]  # places of the Markov blanket of the chosen one
    cut: frozenset[int]  # places of variables with neighbours that are not drawn
    title: str


def network_view(
    network: BayesianNetwork, variable: Hashable | None, max_variables: int
) -> NetworkView:
    """Return what to draw around a variable; without one, around that of the most arcs."""
    most = integer_at_least("max_variables", max_variables, 1)
    n_variables = len(network.variables)
    neighbours = neighbours_of(n_variables, _arc_numbers(network))
    is_whole = n_variables <= most
    if variable is not None:
        centre = network._position(variable)
    elif is_whole:
        return _view(network, neighbours, list(range(n_variables)), None, "")
    else:
        centre = max(range(n_variables), key=lambda number: len(neighbours[number]))
    if is_whole:
        return _view(network, neighbours, list(range(n_variables)), centre, "")
    blanket = [network._position(name) for name in _blanket(network, centre)]
    numbers = sorted(nearest(neighbours, [centre, *blanket], most))
    title = _title(network, centre, len(numbers), is_own_choice=variable is None)
    return _view(network, neighbours, numbers, centre, title)


def _view(
    network: BayesianNetwork,
    neighbours: Sequence[set[int]],
    numbers: list[int],
    centre: int | None,
    title: str,
) -> NetworkView:
    place = {number: at for at, number in enumerate(numbers)}
    blanket = () if centre is None else _blanket(network, centre)
    near = (network._position(name) for name in blanket)
    return NetworkView(
        numbers=numbers,
        arcs=[(place[a], place[b]) for a, b in _arc_numbers(network) if a in place and b in place],
        chosen=None if centre is None else place[centre],
        near=frozenset(place[number] for number in near if number in place),
        cut=frozenset(place[n] for n in numbers if not place.keys() >= neighbours[n]),
        title=title,
    )


def _title(network: BayesianNetwork, centre: int, n_drawn: int, *, is_own_choice: bool) -> str:
    name = short_texts([network.variables[centre]])[0]
    why = ", which has the most arcs" if is_own_choice else ""
    return (
        f"{n_drawn:,} of {len(network.variables):,} variables, nearest to {name}{why}\n"
        "dashed: has neighbours that are not drawn"
    )


def _blanket(network: BayesianNetwork, number: int) -> tuple[Hashable, ...]:
    return network.markov_blanket(network.variables[number])


def _arc_numbers(network: BayesianNetwork) -> list[tuple[int, int]]:
    return [
        (parent, child)
        for child, parents in enumerate(network._parent_positions)
        for parent in parents
    ]
