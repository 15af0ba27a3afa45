"""Networks from and to networkx, pgmpy and pyAgrum, all of which are optional.

Axes of probability tables: in pgmpy the variable's own comes first, then those of its parents in
the order of the table; in pyAgrum those of its parents, the last one first, and its own last.
"""

from __future__ import annotations

import importlib
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from baytree.messages.arguments import is_integer
from baytree.messages.quoting import shortened
from baytree.networks.arcs import Arc

if TYPE_CHECKING:
    from baytree.networks.network import BayesianNetwork

Floats: TypeAlias = npt.NDArray[np.float64]
States: TypeAlias = dict[Hashable, tuple[Hashable, ...]]


class ModelParts(NamedTuple):
    """Arguments of a network; tables have an axis per parent, in the order of the variables."""

    variables: States | list[Hashable]
    arcs: list[Arc]
    cpts: Mapping[Hashable, object] | None


def from_networkx(
    graph: Any,
    states: Mapping[Hashable, Sequence[Hashable]] | None,
    cpts: Mapping[Hashable, object] | None,
) -> ModelParts:
    """Return the parts of a graph; states and cpts default to attributes of its nodes."""
    if not callable(getattr(graph, "is_directed", None)):
        raise ValueError(f"graph must be a networkx DiGraph; got {shortened(graph)}.")
    if not graph.is_directed():
        raise ValueError(
            "graph must be directed, as its edges are to be arcs; got an undirected one. Give "
            "them directions."
        )
    known_states = states or _attributes(graph, "states")
    known_cpts = cpts or _attributes(graph, "cpt")
    variables: States | list[Hashable] = list(graph.nodes)
    if known_states is not None:
        _check_names(known_states, graph.nodes, "states")
        variables = {name: tuple(known_states[name]) for name in graph.nodes}
    elif known_cpts is not None:
        raise ValueError(
            "The probabilities of a graph need the states of its variables. Pass states."
        )
    return ModelParts(variables, [(parent, child) for parent, child in graph.edges()], known_cpts)


def to_networkx(network: BayesianNetwork) -> Any:
    """Return a DiGraph whose nodes have states and probabilities as attributes, if known."""
    graph = _imported("networkx", "to_networkx").DiGraph()
    for name in network.variables:
        graph.add_node(name)
        if network.has_states:
            graph.nodes[name]["states"] = network.states(name)
        if network.has_probabilities:
            graph.nodes[name]["cpt"] = network.cpt(name)
    graph.add_edges_from(network.arcs)
    return graph


def from_pgmpy(model: Any) -> ModelParts:
    """Return the parts of a DiscreteBayesianNetwork."""
    if not callable(getattr(model, "get_cpds", None)):
        raise ValueError(f"model must be a network of pgmpy; got {shortened(model)}.")
    variables, arcs = list(model.nodes()), [(parent, child) for parent, child in model.edges()]
    tables = {table.variable: table for table in model.get_cpds() or []}
    if not tables:
        return ModelParts(variables, arcs, None)
    _check_names(tables, variables, "The model's probabilities")
    states = {name: tuple(tables[name].state_names[name]) for name in variables}
    return ModelParts(
        states, arcs, {name: _pgmpy_array(tables[name], states) for name in variables}
    )


def _pgmpy_array(table: Any, states: States) -> Floats:
    values = np.asarray(table.values, np.float64)
    for axis, name in enumerate(table.variables):
        labels = list(table.state_names[name])
        if labels != list(range(len(labels))) or set(labels) == set(states[name]):
            if {*labels} != {*states[name]}:
                raise ValueError(
                    f"The probabilities of {table.variable!r} call the states of {name!r} "
                    f"{tuple(labels)!r}; those of {name!r} itself call them {states[name]!r}. "
                    "Rename them in one of the two."
                )
            values = values.take([labels.index(state) for state in states[name]], axis)
    return _in_order(values, table.variables, table.variable, states)


def to_pgmpy(network: BayesianNetwork) -> Any:
    """Return a DiscreteBayesianNetwork."""
    model = _imported("pgmpy.models", "to_pgmpy").DiscreteBayesianNetwork()
    for name in network.variables:
        model.add_node(name)
    model.add_edges_from(network.arcs)
    if network.has_probabilities:
        make_table = _imported("pgmpy.factors.discrete", "to_pgmpy").TabularCPD
        for name in network.variables:
            model.add_cpds(_pgmpy_table(network, name, make_table))
    return model


def _pgmpy_table(network: BayesianNetwork, name: Hashable, make_table: Any) -> Any:
    parents = network.parents(name)
    return make_table(
        name,
        len(network.states(name)),
        network.cpt(name).to_numpy().T,
        evidence=list(parents) or None,
        evidence_card=[len(network.states(parent)) for parent in parents] or None,
        state_names={member: list(network.states(member)) for member in (name, *parents)},
    )


def from_pyagrum(model: Any) -> ModelParts:
    """Return the parts of a BayesNet."""
    if not callable(getattr(model, "cpt", None)) or not callable(getattr(model, "arcs", None)):
        raise ValueError(f"model must be a BayesNet of pyAgrum; got {shortened(model)}.")
    gum = _imported("pyagrum", "from_pyagrum")
    variables = {number: model.variable(number) for number in sorted(model.nodes())}
    names = {number: variable.name() for number, variable in variables.items()}
    states = {variable.name(): _pyagrum_states(gum, variable) for variable in variables.values()}
    arcs = sorted(model.arcs(), key=lambda arc: (arc[1], arc[0]))
    cpts = {}
    for number, name in names.items():
        table = model.cpt(number)
        cpts[name] = _in_order(table.toarray(), table.names[::-1], name, states)
    return ModelParts({**states}, [(names[p], names[c]) for p, c in arcs], cpts)


def _pyagrum_states(gum: Any, variable: Any) -> tuple[Hashable, ...]:
    """Return labels; those of numeric variables as numbers."""
    numbers = range(variable.domainSize())
    if variable.varType() in (gum.VarType_INTEGER, gum.VarType_RANGE):
        return tuple(int(variable.numerical(number)) for number in numbers)
    if variable.varType() == gum.VarType_NUMERICAL:
        return tuple(float(variable.numerical(number)) for number in numbers)
    return tuple(variable.labels())


def to_pyagrum(network: BayesianNetwork) -> Any:
    """Return a BayesNet."""
    gum = _imported("pyagrum", "to_pyagrum")
    names = dict(zip(network.variables, _texts(network.variables, "variables"), strict=True))
    cpts = {name: network.cpt(name).to_numpy() for name in network.variables}
    model = gum.BayesNet()
    for name, text in names.items():
        model.add(_pyagrum_variable(gum, text, network.states(name)))
    for child, text in names.items():
        for parent in reversed(network.parents(child)):
            model.addArc(names[parent], text)
        model.cpt(text).fillWith(cpts[child].ravel().tolist())
    return model


def _pyagrum_variable(gum: Any, name: str, states: Sequence[Hashable]) -> Any:
    """Return an integer variable if all states are integers in ascending order, else labels."""
    if all(is_integer(state) and abs(state) < 2**31 for state in states):
        values = [int(state) for state in states if is_integer(state)]
        if values == sorted(values):
            return gum.IntegerVariable(name, "", values)
    return gum.LabelizedVariable(name, "", _texts(states, f"states of {name!r}"))


def _texts(labels: Sequence[Hashable], what: str) -> list[str]:
    """Return labels as text, the only type of pyAgrum; different labels must differ as text."""
    texts = [str(label) for label in labels]
    if len({*texts}) < len(texts):
        text, _ = Counter(texts).most_common(1)[0]
        raise ValueError(
            f"pyAgrum needs {what} that differ as text; {text!r} stands for several. Rename them."
        )
    return texts


def _in_order(
    values: Floats, axes: Sequence[Hashable], variable: Hashable, states: Iterable[Hashable]
) -> Floats:
    """Return a table with an axis per parent, in the order of the variables, its own last."""
    parents = [name for name in states if name in axes and name != variable]
    return np.transpose(values, [list(axes).index(name) for name in (*parents, variable)])


def _attributes(graph: Any, attribute: str) -> dict[Hashable, Any] | None:
    """Return an attribute of all nodes; None if no node has it."""
    found = {name: data[attribute] for name, data in graph.nodes(data=True) if attribute in data}
    return found or None


def _check_names(given: Iterable[Hashable], variables: Iterable[Hashable], what: str) -> None:
    known = set(given)
    for name in variables:
        if name not in known:
            raise ValueError(f"{what} must cover every variable; {name!r} is not there. Add it.")


def _imported(module: str, method: str) -> Any:
    package = module.partition(".")[0]
    try:
        with warnings.catch_warnings():
            # pyAgrum crashes where a warning of its own start becomes an error.
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{method} needs {package}, which cannot be imported ({error}). "
            f"Install it: pip install {package}"
        ) from error
