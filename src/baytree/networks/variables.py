"""Names and states of variables: checked, and found among those of a network."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any

from baytree.messages.quoting import shortened
from baytree.messages.suggestions import unknown_variable
from baytree.tables.columns import is_missing_cell, label_key, to_python_scalar


def checked_names(variables: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return the names of variables, or refuse those that cannot be names."""
    if isinstance(variables, str) or not isinstance(variables, Iterable):
        raise ValueError(f"variables must be names, or states by name; got {shortened(variables)}.")
    names = tuple(variables)
    seen: set[Hashable] = set()
    for name in names:
        if not isinstance(name, Hashable):
            raise ValueError(f"The name of a variable must be hashable; got {shortened(name)}.")
        if name in seen:
            raise ValueError(f"variables names {name!r} twice. Rename one of them.")
        seen.add(name)
    if not names:
        raise ValueError("A network needs at least one variable.")
    return names


def checked_states(
    variables: Mapping[Hashable, Sequence[Hashable]],
) -> dict[Hashable, tuple[Hashable, ...]]:
    """Return the states of every variable, or refuse those that cannot be states."""
    states = {}
    for name, labels in variables.items():
        # A set has no order, which arrays of probabilities need.
        is_list = isinstance(labels, Iterable) and not isinstance(labels, (str, Set))
        states[name] = tuple(map(to_python_scalar, labels)) if is_list else ()
        if not is_list or not all(isinstance(label, Hashable) for label in states[name]):
            raise ValueError(
                f"The states of variable {name!r} must be a list of labels, in order; "
                f"got {shortened(labels)}."
            )
        if any(is_missing_cell(label) for label in states[name]):
            raise ValueError(
                f"Variable {name!r} has a missing value among its states; got {shortened(labels)}. "
                "NaN, None and the like mean that nothing was observed: leave them out, or use a "
                "word such as 'unknown'."
            )
        distinct = {label_key(label) for label in states[name]}
        if not distinct or len(distinct) < len(states[name]):
            problem = "has no states" if not distinct else "has a state twice"
            raise ValueError(f"Variable {name!r} {problem}; got {shortened(labels)}.")
    return states


def known_variable(variable: Any, positions: Mapping[Hashable, int]) -> Hashable:
    """Return the name of a variable, or refuse one that is unknown."""
    if not isinstance(variable, Hashable) or variable not in positions:
        raise unknown_variable(variable, [*positions])
    return variable


def known_targets(target: Any, positions: Mapping[Hashable, int]) -> tuple[list[Hashable], bool]:
    """Return the targets of a query, and True if it is one variable and not a list."""
    if isinstance(target, Hashable) and target in positions:
        return [target], True
    if isinstance(target, (str, bytes)) or not isinstance(target, Iterable):
        return [known_variable(target, positions)], True
    targets = [known_variable(name, positions) for name in target]
    if not targets or len(set(targets)) < len(targets):
        raise ValueError(
            f"target must be a variable, or a list of different ones; got {shortened(target)}."
        )
    return targets, False


def known_group(names: Any, positions: Mapping[Hashable, int]) -> set[int]:
    """Return the positions of one variable, given by its name, or of several."""
    if isinstance(names, Hashable) and names in positions:
        return {positions[names]}
    if isinstance(names, str) or not isinstance(names, Iterable):
        names = [names]
    return {positions[known_variable(name, positions)] for name in names}
