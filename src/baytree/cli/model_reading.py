"""The network that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import baytree as bt
from baytree.cli.startup import LeavingAtCtrlC

if TYPE_CHECKING:
    from baytree import BayesianNetwork


def read_model(path: str) -> BayesianNetwork:
    """Return the network of a file, once the modules are loaded that takes."""
    with LeavingAtCtrlC():
        network_class = bt.BayesianNetwork  # loads pandas and more
    return network_class.read(path)
