"""Networks from files."""

from __future__ import annotations

import os

from baytree.networks.network import BayesianNetwork


def read_network(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Return the network in a file.

    Parameters
    ----------
    path : str or path
        File to read. The ending of its name is the format: .json, .bif, .xml (XMLBIF; also
        .xmlbif, .bifxml), .uai, .net (Hugin) or .xdsl (GeNIe); .gz and .xz are decompressed.

    Returns
    -------
    BayesianNetwork
        The network. Its tree decomposition is that of a .json file, and is found anew for other
        formats.

    Raises
    ------
    FileFormatError
        If the file is broken; the message names the line and the column.
    ValueError
        If the name ends otherwise.

    See Also
    --------
    BayesianNetwork.write : Writes a network to a file.

    Notes
    -----
    Rows of probabilities that sum to 1 within 0.01 are put right. Names and states of files that
    other programs wrote are text, also where they look like numbers.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> text = '''
    ... network weather { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... variable wet { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }
    ... probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "weather.bif"
    ...     _ = path.write_text(text)
    ...     read_network(path).cpt("wet")
    wet    no  yes
    rain
    no    0.9  0.1
    yes   0.2  0.8
    """
    return BayesianNetwork.read(path)
