"""BayesianNetwork: the frozen result that other modules take or return."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable
from typing import TYPE_CHECKING, Self

from baytree.exceptions import FileFormatError, UnknownVariableError
from baytree.messages.plurals import counted
from baytree.networks.base import checked_names
from baytree.networks.conversion_methods import NetworkConversions
from baytree.networks.decomposition import TreeDecomposition
from baytree.networks.files.network_files import read_parts, write_parts
from baytree.networks.files.network_parts import NetworkParts
from baytree.networks.html import network_html
from baytree.networks.queries import NetworkQueries
from baytree.networks.rows import NetworkRows
from baytree.plots.requirement import require_matplotlib

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class BayesianNetwork(NetworkConversions, NetworkQueries, NetworkRows):
    """Variables, states, arcs and probabilities; never changed once it is made.

    Parameters
    ----------
    variables : mapping of variable to sequence of states, or iterable of variables
        Names of the variables with the labels of their states, or names alone where the states
        are not known. 0 and False are two states, 1 and 1.0 one; None and NaN mean missing and
        cannot be states.
    arcs : iterable of (parent, child), optional
        The arcs.
    cpts : mapping of variable to probabilities, optional
        For every variable a frame as `cpt` returns it, or an array with an axis for each of its
        parents, in the order of the variables, and the variable's own states last. Rows that sum
        to 1 within rounding are put right. Without parents, a mapping or a Series of every state to
        its probability will do. A network without `cpts` has a structure alone.
    decomposition : TreeDecomposition, optional
        One of this structure; found by elimination of the variable with the fewest neighbours if
        not given.
    score : float, optional
        Score of the structure, if it was learned.

    Attributes
    ----------
    variables : tuple
        Names of the variables.
    arcs : tuple of (parent, child)
        The arcs, by child in the order of the variables.
    decomposition : TreeDecomposition
        Bags that prove the treewidth.
    treewidth : int
        Width of the decomposition. For a network that was not learned, one of smaller width may
        exist.
    score : float or None
        Score of the structure on the table that it was learned from.

    See Also
    --------
    NetworkLearner : Learns a network from a table.

    Notes
    -----
    Two networks are equal if they have the same variables, states, arcs and probabilities. Order,
    decomposition and score do not matter. `equals` allows for rounding.

    Examples
    --------
    >>> import baytree as bt
    >>> states = {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "grass": ["dry", "wet"]}
    >>> network = bt.BayesianNetwork(states, [("rain", "grass"), ("sprinkler", "grass")])
    >>> network
    BayesianNetwork(3 variables, 2 arcs, treewidth 2)
    >>> network.parents("grass")
    ('rain', 'sprinkler')
    >>> network.states("rain")
    ('no', 'yes')
    >>> network.decomposition.bags
    (('rain', 'sprinkler', 'grass'),)
    """

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the network, in place of a file of that name.

        Parameters
        ----------
        path : str or path
            File to write. The ending of its name is the format: .json, .bif, .xml (XMLBIF; also
            .xmlbif, .bifxml), .uai, .net (Hugin) or .xdsl (GeNIe); compressed if .gz or .xz comes
            behind.

        Raises
        ------
        ValueError
            If the name ends otherwise, two names or states would be the same in the file, or the
            network has a structure alone and the format is not .json; nothing is written then.

        Warns
        -----
        EscapedLabelWarning
            If the format cannot hold some names or states, and other words stand for them.

        Notes
        -----
        Names and states that are text, numbers or truth values come back as they are, and
        probabilities to the last bit, in every format; other labels (tuples, timestamps, bytes)
        are written as their text, and come back as text. Only .json holds the score, the tree
        decomposition, and the bins of numeric variables, without which numbers cannot be told
        to be in a state.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> network = BayesianNetwork(
        ...     {"rain": [0, 1], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "network.bif"
        ...     network.write(path)
        ...     BayesianNetwork.read(path) == network
        True
        """
        has_score = self._score is not None and math.isfinite(self._score)
        parts = NetworkParts(
            variables=self._variables,
            states=None if self._states is None else [*self._states.values()],
            arcs=self.arcs,
            cpts=self._cpts,
            bags=self._decomposition.bags,
            edges=self._decomposition.edges,
            score=self._score if has_score else None,
            bins={} if self._states is None else self._encoding.bins,
        )
        write_parts(path, parts)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a network from a file.

        Parameters
        ----------
        path : str or path
            File to read. The suffix of its name is the format: .json, .bif, .xml (XMLBIF; also
            .xmlbif, .bifxml), .uai, .net (Hugin) or .xdsl (GeNIe); .gz and .xz are decompressed.

        Returns
        -------
        BayesianNetwork
            The network. A .json file holds its tree decomposition; for other formats a new one
            is computed.

        Raises
        ------
        FileFormatError
            If the file is broken, of a newer version, or no network: arcs that form a cycle,
            probabilities that do not sum to 1. The message names the line and the column.
        ValueError
            If the suffix is none of these.

        Notes
        -----
        Rows of probabilities that sum to 1 within 0.01 are normalised. Names and states in files
        of other programs are text, even if they look like numbers.

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
        ...     BayesianNetwork.read(path).cpt("wet")
        wet    no  yes
        rain
        no    0.9  0.1
        yes   0.2  0.8
        """
        parts = read_parts(path)
        try:
            return cls._from_parts(parts)
        except (ValueError, UnknownVariableError) as error:
            raise FileFormatError(f"{path}: {error}") from None

    def plot(
        self,
        ax: Axes | None = None,
        *,
        variable: Hashable | None = None,
        max_variables: int = 40,
        strength: pd.DataFrame | None = None,
    ) -> Axes:
        """Draw the variables and the arcs; of a large network, the neighbourhood of a variable.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        variable : hashable, optional
            Variable to mark, with its Markov blanket. Of a network of more than `max_variables`,
            only those nearest to it are drawn. If not given, that is the variable with the most
            arcs, the first of several; the title says so.
        max_variables : int, default=40
            Most variables to draw. The Markov blanket comes first, then neighbours, then theirs.
        strength : DataFrame, optional
            What `arc_strength` returned: strong arcs are drawn thick, those of fewer than half of
            the networks dashed.

        Returns
        -------
        matplotlib Axes
            The axes with the drawing.

        Raises
        ------
        ImportError
            If matplotlib is missing.
        UnknownVariableError
            If there is no variable of this name.

        Notes
        -----
        Parents are drawn above their children, unless there are too many arcs for that. More than
        80 variables may become points, which have names where there is room.

        Examples
        --------
        >>> network = BayesianNetwork(["rain", "wet"], [("rain", "wet")])
        >>> ax = network.plot(variable="wet")
        >>> ax.figure.savefig("network.png")  # doctest: +SKIP
        """
        require_matplotlib()
        from baytree.plots.network_plots import draw_network

        return draw_network(
            self, ax, variable=variable, max_variables=max_variables, strength=strength
        )

    @classmethod
    def _from_parts(cls, parts: NetworkParts) -> Self:
        names = checked_names(parts.variables)  # a dict would swallow a name that comes twice
        states = parts.states
        decomposition = None
        if parts.bags is not None:
            bags = tuple(tuple(bag) for bag in parts.bags)
            decomposition = TreeDecomposition(bags, tuple(parts.edges))
        network = cls(
            names if states is None else dict(zip(names, states, strict=True)),
            parts.arcs,
            cpts=None if parts.cpts is None else dict(zip(names, parts.cpts, strict=True)),
            decomposition=decomposition,
            score=parts.score,
        )
        if parts.bins:
            network.__dict__["_encoding"] = network._encoding.with_bins(parts.bins)
        return network

    def __eq__(self, other: object) -> bool:
        """Return whether variables, states, arcs and probabilities are the same."""
        return (
            self.equals(other, tolerance=0)
            if isinstance(other, BayesianNetwork)
            else NotImplemented
        )

    def __hash__(self) -> int:
        """Return a hash that equal networks share."""
        return hash((frozenset(self._variables), frozenset(self.arcs)))

    def __repr__(self) -> str:
        """Say how large the network is."""
        return f"BayesianNetwork({', '.join(self._sizes())})"

    def _repr_html_(self) -> str:
        """Show the sizes and the variables in a notebook."""
        return network_html(self, self._sizes())

    def _sizes(self) -> list[str]:
        n_arcs = sum(len(parents) for parents in self._parent_positions)
        sizes = [
            counted(len(self._variables), "variable"),
            counted(n_arcs, "arc"),
            f"treewidth {self.treewidth:,}",
        ]
        if self.has_probabilities:
            sizes.append(counted(self.n_parameters, "parameter"))
        if self._score is not None:
            sizes.append(f"score {self._score:,.3f}")
        return sizes
