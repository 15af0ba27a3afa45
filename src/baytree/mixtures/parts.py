"""Parts of a mixture: components of one structure, as one network with a hidden variable."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import TableError
from baytree.messages.quoting import shortened
from baytree.networks.arcs import check_acyclic
from baytree.networks.cpts import Cpt
from baytree.networks.decomposition import min_degree_order
from baytree.networks.network import BayesianNetwork
from baytree.networks.row_answers import Floats
from baytree.tables.columns import StateCodes, label_key
from baytree.tables.encoding import TableEncoding

COMPONENT = "component"


@dataclass(frozen=True, eq=False)
class MixturePart:
    """Components that have the same arcs.

    Attributes
    ----------
    network : BayesianNetwork
        The variables and, as the last one, the component, which is a parent of all others.
    weight : float
        Weight of all components of the part.
    """

    network: BayesianNetwork
    weight: float

    @property
    def n_components(self) -> int:
        """Number of components."""
        return len(self.component_weights)

    @property
    def hidden(self) -> Hashable:
        """Name of the component as a variable."""
        return self.network.variables[-1]

    @property
    def component_weights(self) -> Floats:
        """Weight of each component within the part."""
        weights: Floats = self.network._known_cpts()[-1][0]
        return weights

    @property
    def parents(self) -> list[tuple[int, ...]]:
        """Parents of each variable, without the component."""
        return [own[:-1] for own in self.network._parent_positions[:-1]]

    @property
    def cpts(self) -> Sequence[Cpt]:
        """Table of each variable, of which the component is the last parent."""
        return self.network._known_cpts()[:-1]

    @property
    def elimination_order(self) -> Sequence[int]:
        """An order of elimination of the variables, in which the component comes last."""
        return self.network._search_order[:-1]

    def component(self, number: int, encoding: TableEncoding) -> BayesianNetwork:
        """Return a component as a network of its own."""
        n = self.n_components
        cpts = [cpt.reshape(-1, n, cpt.shape[1])[:, number].copy() for cpt in self.cpts]
        return _network(encoding, self.parents, cpts, self.elimination_order)

    def codes(self, codes: StateCodes) -> StateCodes:
        """Return codes with a column for the component, missing in every row unless it is alone.

        If it were missing then, no row would fall apart into what its missing cells depend on.
        """
        return _with_component(codes, 0 if self.n_components == 1 else -1)


class PartCodes:
    """Codes of rows for each part, of which there are no more than two kinds."""

    def __init__(self, codes: StateCodes) -> None:
        self._codes = codes
        self._made: dict[bool, StateCodes] = {}

    def of(self, part: MixturePart) -> StateCodes:
        """Return the codes of a part."""
        is_alone = part.n_components == 1
        if is_alone not in self._made:
            self._made[is_alone] = part.codes(self._codes)
        return self._made[is_alone]


def _with_component(codes: StateCodes, component: int) -> StateCodes:
    extended = np.empty((len(codes), codes.shape[1] + 1), dtype=np.int32, order="F")
    extended[:, :-1] = codes
    extended[:, -1] = component
    return extended


def hidden_name(variables: Iterable[Hashable]) -> str:
    """Return a name for the component that no variable has."""
    taken, name, number = set(variables), COMPONENT, 1
    while name in taken:
        number += 1
        name = f"{COMPONENT} {number}"
    return name


def make_part(
    encoding: TableEncoding,
    parents: Sequence[Sequence[int]],
    cpts: Sequence[Cpt],
    component_weights: Floats,
    elimination_order: Sequence[int],
    weight: float,
) -> MixturePart:
    """Return a part; of the tables, the component is the last parent."""
    hidden = len(parents)
    name = hidden_name(encoding.variables)
    states = TableEncoding.from_states({name: range(len(component_weights))})
    visible = encoding.restricted(range(hidden))
    extended = replace(
        visible, variable_encodings=visible.variable_encodings + states.variable_encodings
    )
    network = _network(
        extended,
        [*((*own, hidden) for own in parents), ()],
        [*cpts, component_weights[None, :].copy()],
        [*elimination_order, hidden],
    )
    return MixturePart(network, weight)


def parts_of_networks(networks: Sequence[BayesianNetwork], weights: Floats) -> list[MixturePart]:
    """Return parts that hold networks of the same variables and states, each as a component."""
    first = networks[0]
    groups: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for number, network in enumerate(networks):
        _check_alike(first, network, number)
        groups.setdefault(tuple(network._parent_positions), []).append(number)
    parts = []
    for parents, members in groups.items():
        own = [networks[number]._known_cpts() for number in members]
        cpts = [
            np.stack(tables, axis=1).reshape(-1, tables[0].shape[1])
            for tables in zip(*own, strict=True)
        ]
        order = networks[members[0]]._elimination_order
        total = weights[members].sum()
        parts.append(
            make_part(first._encoding, parents, cpts, weights[members] / total, order, total)
        )
    return parts


def _check_alike(first: BayesianNetwork, network: BayesianNetwork, number: int) -> None:
    network._known_cpts()
    if network.variables != first.variables:
        raise TableError(
            f"Components must have the same variables in the same order; component {number} has "
            f"{shortened(network.variables)}, component 0 has {shortened(first.variables)}."
        )
    for name in first.variables:
        if [*map(label_key, network.states(name))] != [*map(label_key, first.states(name))]:
            raise TableError(
                f"Components must have the same states; of {name!r}, component {number} has "
                f"{shortened(network.states(name))}, component 0 has "
                f"{shortened(first.states(name))}."
            )


def _network(
    encoding: TableEncoding,
    parents: Sequence[Sequence[int]],
    cpts: Sequence[Cpt],
    elimination_order: Sequence[int],
) -> BayesianNetwork:
    return BayesianNetwork._from_search(
        encoding,
        parents,
        cpts=cpts,
        elimination_order=elimination_order,
        bags=_core.decompose([sorted(own) for own in parents], list(elimination_order)),
        score=None,
    )


def merged_network(
    parts: Sequence[MixturePart], encoding: TableEncoding, max_entries: float
) -> BayesianNetwork:
    """Return one network with the arcs of all parts and the component as a parent of all."""
    n_variables = len(encoding.variables)
    parents = [
        tuple(sorted(set().union(*(part.parents[child] for part in parts))))
        for child in range(n_variables)
    ]
    _refuse_cycle(encoding.variables, parents)
    arities = encoding.arities.astype(float)
    n_components = sum(part.n_components for part in parts)
    n_entries = n_components * sum(
        arities[child] * np.prod(arities[list(own)]) for child, own in enumerate(parents)
    )
    if n_entries > max_entries:
        raise ValueError(
            f"The network of the whole mixture would have {n_entries:,.0f} probabilities, more "
            f"than max_entries={max_entries:,.0f}, since its components have different arcs. "
            "Query the mixture itself, or raise max_entries."
        )
    cpts = [
        np.concatenate(
            [_widened(part, child, parents[child], encoding.arities) for part in parts], axis=1
        ).reshape(-1, encoding.arities[child])
        for child in range(n_variables)
    ]
    weights = np.concatenate([part.weight * part.component_weights for part in parts])
    order = min_degree_order(parents)
    return make_part(encoding, parents, cpts, weights, order, 1.0).network


def _refuse_cycle(variables: Sequence[Hashable], parents: Sequence[Sequence[int]]) -> None:
    try:
        check_acyclic(variables, parents, "The arcs of all components together")
    except ValueError as error:
        problem = str(error).partition(". ")[0]
        raise ValueError(
            f"{problem}, so there is no network of the whole mixture. Query the mixture itself."
        ) from None


def _widened(
    part: MixturePart, child: int, parents: Sequence[int], arities: StateCodes
) -> npt.NDArray[np.float64]:
    """Return the table of a child given more parents, by configuration, component and state."""
    own = part.parents[child]
    shape = [int(arities[parent]) if parent in own else 1 for parent in parents]
    arity = int(arities[child])
    table = part.cpts[child].reshape(*shape, part.n_components, arity)
    wide = [int(arities[parent]) for parent in parents]
    broad = np.broadcast_to(table, (*wide, part.n_components, arity))
    return np.ascontiguousarray(broad).reshape(-1, part.n_components, arity)
