"""Which column of a table holds which variable: by name, or by position in an array."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from baytree.exceptions import TableError
from baytree.messages.quoting import quoted
from baytree.tables.containers import TableView
from baytree.tables.containers.numpy_tables import NumpyView


def column_positions(
    view: TableView,
    variables: Sequence[Hashable],
    hidden: Collection[Hashable] = (),
    *,
    is_partial: bool = False,
) -> Sequence[int]:
    """Return the column of each variable in a table; -1 for a hidden one that is not there.

    A partial table may lack other variables too, though not all, and hold other columns.
    """
    if isinstance(view, NumpyView):
        return _array_positions(len(view.names), variables, hidden)
    columns = {name: column for column, name in enumerate(view.names)}
    if is_partial:
        if columns.keys().isdisjoint(variables):
            raise TableError(
                f"The table has no column that is a variable of the network: its columns are "
                f"{quoted(view.names)}, the variables {quoted(variables)}."
            )
        return [columns.get(name, -1) for name in variables]
    known = set(variables)
    absent = [name for name in variables if name not in columns and name not in hidden]
    extra = [name for name in view.names if name not in known]
    check_columns(absent, extra)
    return [columns.get(name, -1) for name in variables]


def check_columns(absent: Sequence[Hashable], extra: Sequence[Hashable]) -> None:
    """Refuse a table that lacks variables, or has columns that are none."""
    if not absent and not extra:
        return
    lacks = [f"lacks the variables {quoted(absent)}"] * bool(absent)
    holds = [f"holds the unknown variables {quoted(extra)}"] * bool(extra)
    wish = ["Drop or rename what is unknown."] * bool(extra)
    wish += ["Give a column, of gaps if need be, for each variable."] * bool(absent)
    raise TableError(f"The table {' and '.join(lacks + holds)}. {' '.join(wish)}")


def _array_positions(
    n_columns: int, variables: Sequence[Hashable], hidden: Collection[Hashable]
) -> Sequence[int]:
    """Return where each variable stands in an array, which has no names."""
    if n_columns == len(variables):
        return range(n_columns)
    shown = [name for name in variables if name not in hidden]
    if not shown or n_columns != len(shown):
        raise TableError(
            f"The array has {n_columns:,} columns; there are {len(variables):,} variables: "
            f"{quoted(variables)}. Give a column for each, in this order."
        )
    columns = {name: column for column, name in enumerate(shown)}
    return [columns.get(name, -1) for name in variables]
