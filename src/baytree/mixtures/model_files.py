"""Files that hold a network or a mixture."""

from __future__ import annotations

import os
import re
from pathlib import Path

from baytree.messages.file_names import network_suffix
from baytree.mixtures.mixture import NetworkMixture
from baytree.networks.files.file_contents import DECOMPRESSION_ERRORS, open_compressed
from baytree.networks.files.json_documents import MIXTURE_FORMAT
from baytree.networks.network import BayesianNetwork

_MAX_HEAD = 1000  # bytes
_MIXTURE = re.compile(rb'\s*\{\s*"format"\s*:\s*"%b"' % MIXTURE_FORMAT.encode())


def read_model(path: str | os.PathLike[str]) -> BayesianNetwork | NetworkMixture:
    """Read a network or a mixture of networks from a file.

    Parameters
    ----------
    path : str or path
        File that `BayesianNetwork.write` or `NetworkMixture.write` wrote, or a network in another
        format that `BayesianNetwork.read` reads.

    Returns
    -------
    BayesianNetwork or NetworkMixture
        What the file holds. Both have the same queries.

    Raises
    ------
    FileFormatError
        If the file is broken or none of these.
    ValueError
        If its suffix is that of no network.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import baytree as bt
    >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     bt.NetworkMixture([rain]).write(path)
    ...     bt.read_model(path)
    NetworkMixture(1 variable, 1 component, treewidth 0)
    """
    is_mixture = network_suffix(path) == ".json" and _MIXTURE.match(_head(path))
    return NetworkMixture.read(path) if is_mixture else BayesianNetwork.read(path)


def _head(path: str | os.PathLike[str]) -> bytes:
    """Return the first bytes of a file; nothing where the reader will refuse it."""
    try:
        with open_compressed(Path(path)) as stream:
            return stream.read(_MAX_HEAD)
    except DECOMPRESSION_ERRORS:
        return b""
