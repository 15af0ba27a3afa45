"""Tables in files, in the variables and states of a network."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Sequence

import pandas as pd

from baytree.exceptions import TableError
from baytree.networks.network import BayesianNetwork
from baytree.tables.encoding import StateCodes
from baytree.tables.files.table_files import read_table


def network_table(
    network: BayesianNetwork,
    path: str | os.PathLike[str],
    *,
    missing_values: Collection[str] | None = None,
) -> pd.DataFrame:
    """Return the table in a file; a column whose name spells that of a variable is called like it.

    `missing_values` are those that the network was learned with, unless they are given.
    """
    encoding, binned = network._encoding, set(network.binned_variables)
    known: dict[Hashable, Sequence[Hashable]] = {
        str(name): network.states(name) for name in network.variables if name not in binned
    }
    words = encoding.missing_values if missing_values is None else missing_values
    table = read_table(path, missing_values=words, known_states=known)
    names = {str(name): name for name in network.variables}
    table.columns = pd.Index(
        [names.get(str(name), name) for name in table.columns], dtype=object, tupleize_cols=False
    )
    return table


def network_codes(
    network: BayesianNetwork,
    path: str | os.PathLike[str],
    *,
    missing_values: Collection[str] | None = None,
) -> StateCodes:
    """Return the codes of all cells of a table in a file, -1 for gaps.

    Variables that the table lacks are gaps in every row, and columns that are no variables do not
    matter.
    """
    table = network_table(network, path, missing_values=missing_values)
    present = [name for name in network.variables if name in table.columns]
    if not present or not len(table):
        what = "no column that is a variable of the network" if len(table) else "no rows"
        raise TableError(f"{path}: the table has {what}. Give one that the network fits.")
    lacking = [name for name in network.variables if name not in table.columns]
    return network._encoding.encode(table[present], hidden=lacking)
