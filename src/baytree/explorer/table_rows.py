"""Rows of a table in the states of a network."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Sequence

from baytree._encoding import StateCodes
from baytree.exceptions import TableError
from baytree.formats.missing_words import DEFAULT_MISSING_VALUES
from baytree.formats.table_files import read_table
from baytree.network import BayesianNetwork


def table_codes(
    network: BayesianNetwork,
    path: str | os.PathLike[str],
    *,
    missing_values: Collection[str] = DEFAULT_MISSING_VALUES,
) -> StateCodes:
    """Return the codes of all cells, -1 for gaps.

    Variables that the table lacks are gaps in every row, and columns that are no variables do not
    matter.
    """
    binned = set(network._encoding.binned_variables)
    known: dict[Hashable, Sequence[Hashable]] = {
        str(name): network.states(name) for name in network.variables if name not in binned
    }
    table = read_table(path, missing_values=missing_values, known_states=known)
    table.columns = table.columns.astype(str)
    columns = {name: str(name) for name in network.variables if str(name) in table.columns}
    if not columns or not len(table):
        what = "no column that is a variable of the network" if len(table) else "no rows"
        raise TableError(f"{path}: the table has {what}. Give one that the network fits.")
    own = table[list(columns.values())]
    own.columns = own.columns.map({text: name for name, text in columns.items()})
    lacking = [name for name in network.variables if name not in columns]
    return network._encoding.encode(own, hidden=lacking)
