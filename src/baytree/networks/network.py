"""BayesianNetwork: variables, states, arcs and probabilities, with their queries and files.

The class documents its methods; the work is in the modules of this package.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree import _core
from baytree.exceptions import FileFormatError, UnknownVariableError
from baytree.messages.arguments import positive_number
from baytree.messages.quoting import shortened
from baytree.networks import conversions, display, graph, queries, rows, sampling
from baytree.networks.arcs import Arc, arcs_by_child, check_acyclic
from baytree.networks.cpdag import Cpdag, cpdag_of
from baytree.networks.cpts import Cpt, checked_cpts, labelled_cpt
from baytree.networks.decomposition import (
    TreeDecomposition,
    check_decomposition,
    min_degree_decomposition,
    named_bags,
    order_along,
)
from baytree.networks.engines import Engine, InferenceEngine
from baytree.networks.evidence import Evidence
from baytree.networks.files.network_draft import NetworkParts
from baytree.networks.files.network_files import read_parts, write_parts
from baytree.networks.graph import hamming_distance
from baytree.networks.query_results import InferenceCost, Marginals, MostProbable
from baytree.networks.row_answers import CompletionName, NetworkAnswers
from baytree.networks.state_indexes import state_index
from baytree.networks.variables import checked_names, checked_states, known_group, known_variable
from baytree.plots.requirement import require_matplotlib
from baytree.runtime.seeds import Seed
from baytree.tables.columns import StateCodes
from baytree.tables.containers import Table
from baytree.tables.encoding import TableEncoding
from baytree.tables.variable_encoding import UnknownPolicy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_KEPT_BYTES = 2**28  # of tables, from one query to the next


class BayesianNetwork:
    """Variables, states, arcs and probabilities; immutable.

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
        to 1 within rounding are normalised. Without parents, a mapping or a Series of every state
        to its probability will do. A network without `cpts` has a structure alone.
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

    Methods that take names or states raise `UnknownVariableError` and `UnknownStateError` if there
    are none such. Queries, and methods that take rows, raise `ValueError` if the network has a
    structure alone, `ImpossibleEvidenceError` if evidence has probability zero,
    `InferenceTooLargeError` if they need more memory than they may use, and `TableError` if a
    table holds none of the variables. Those from and to other packages raise `ImportError` if the
    package is not installed.

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

    _cpts: tuple[Cpt, ...] | None

    def __init__(
        self,
        variables: Mapping[Hashable, Sequence[Hashable]] | Iterable[Hashable],
        arcs: Iterable[Arc] = (),
        *,
        cpts: Mapping[Hashable, object] | None = None,
        decomposition: TreeDecomposition | None = None,
        score: float | None = None,
    ) -> None:
        names = checked_names(variables)
        states = checked_states(variables) if isinstance(variables, Mapping) else None
        parents = arcs_by_child(names, arcs, "arcs")
        check_acyclic(names, parents, "arcs")
        self._store(names, states, parents, score)
        if decomposition is None:
            decomposition = min_degree_decomposition(names, self._parent_positions)
        else:
            check_decomposition(decomposition, self._parents)
        self._decomposition = decomposition
        if cpts is not None:
            self._cpts = checked_cpts(cpts, self._parents, self._encoded_states)

    # ---- Structure

    @property
    def variables(self) -> tuple[Hashable, ...]:
        """Names of the variables."""
        return self._variables

    @property
    def arcs(self) -> tuple[Arc, ...]:
        """The arcs (parent, child), by child in the order of the variables."""
        return tuple(
            (parent, child) for child, parents in self._parents.items() for parent in parents
        )

    @property
    def decomposition(self) -> TreeDecomposition:
        """Bags that prove the treewidth."""
        return self._decomposition

    @property
    def treewidth(self) -> int:
        """Width of the decomposition."""
        return self._decomposition.width

    @property
    def score(self) -> float | None:
        """Score of the structure on the table that it was learned from, if it was."""
        return self._score

    @property
    def binned_variables(self) -> tuple[Hashable, ...]:
        """Numeric variables whose states are bins: evidence on them may be a number."""
        return self._encoding.binned_variables if self.has_states else ()

    @property
    def has_states(self) -> bool:
        """Whether the states of the variables are known, and not their names alone."""
        return self._states is not None

    @property
    def has_probabilities(self) -> bool:
        """Whether the network has probabilities, and not a structure alone."""
        return self._cpts is not None

    @property
    def n_parameters(self) -> int:
        """Number of free probabilities: for every joint state of the parents, all but one."""
        arities = [len(self.states(variable)) for variable in self._variables]
        return sum(
            (arity - 1) * math.prod(arities[parent] for parent in parents)
            for arity, parents in zip(arities, self._parent_positions, strict=True)
        )

    def states(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the labels of a variable's states, in order.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Labels; intervals as text if the states are bins of numbers.

        Raises
        ------
        ValueError
            If the states are not known, as in a structure that was searched on a cache of parent
            sets alone.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork({"rain": ["no", "yes"]}).states("rain")
        ('no', 'yes')
        """
        name = self._known(variable)
        if self._states is None:
            raise ValueError(
                "The network has a structure alone; the states of its variables are not known. "
                "Learn it from a table, or give the states when it is made."
            )
        return self._states[name]

    def cpt(self, variable: Hashable) -> pd.DataFrame:
        """Return the conditional probability table of a variable.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        DataFrame
            A row per joint state of the parents, whose names are those of the index, and a column
            per state of the variable. A variable without parents has one row. States that are
            equal in Python, as 0 and False, stay apart, but `loc` finds them together.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> network.cpt("wet")
        wet    no  yes
        rain
        no    0.9  0.1
        yes   0.2  0.8
        """
        cpt = self._known_cpts()[self._position(variable)]
        return labelled_cpt(variable, self._parents[variable], self._encoded_states, cpt)

    def parents(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the parents of a variable.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names of its parents, in the order of the variables.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")]).parents("wet")
        ('rain',)
        """
        return self._parents[self._known(variable)]

    def children(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the children of a variable.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names of its children, in the order of the variables.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")]).children("rain")
        ('wet',)
        """
        return self._names(self._child_positions[self._position(variable)])

    def markov_blanket(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the Markov blanket: the parents, the children, and the children's other parents.

        Given these, the variable is independent of all others.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names, in the order of the variables.

        Examples
        --------
        >>> import baytree as bt
        >>> arcs = [("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]
        >>> names = ["rain", "sprinkler", "wet", "slippery"]
        >>> bt.BayesianNetwork(names, arcs).markov_blanket("rain")
        ('sprinkler', 'wet')
        """
        own = self._position(variable)
        return self._names(graph.markov_blanket(self._parent_positions, self._child_positions, own))

    def ancestors(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the ancestors of a variable: its parents, their parents, and so on.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names, in the order of the variables, without the variable itself.

        Examples
        --------
        >>> import baytree as bt
        >>> chain = bt.BayesianNetwork(["a", "b", "c"], [("a", "b"), ("b", "c")])
        >>> chain.ancestors("c")
        ('a', 'b')
        """
        own = self._position(variable)
        return self._names(graph.reachable([own], self._parent_positions) - {own})

    def descendants(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the descendants of a variable: its children, their children, and so on.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Names, in the order of the variables, without the variable itself.

        Examples
        --------
        >>> import baytree as bt
        >>> chain = bt.BayesianNetwork(["a", "b", "c"], [("a", "b"), ("b", "c")])
        >>> chain.descendants("a")
        ('b', 'c')
        """
        own = self._position(variable)
        return self._names(graph.reachable([own], self._child_positions) - {own})

    def is_d_separated(
        self,
        a: Hashable | Iterable[Hashable],
        b: Hashable | Iterable[Hashable],
        given: Hashable | Iterable[Hashable] = (),
    ) -> bool:
        """Test if the arcs make variables independent of others, given a third group.

        Parameters
        ----------
        a, b : hashable or iterable of hashable
            The name of a variable, or several names.
        given : hashable or iterable of hashable, optional
            Variables whose states are known.

        Returns
        -------
        bool
            True if the arcs alone make the two groups independent. If they do not, the
            probabilities still may.

        Raises
        ------
        ValueError
            If a variable is in two of the groups.

        Notes
        -----
        Takes a time linear in the arcs [bayes-ball]. An empty group is independent of all others.

        Examples
        --------
        >>> import baytree as bt
        >>> arcs = [("rain", "wet"), ("sprinkler", "wet")]
        >>> network = bt.BayesianNetwork(["rain", "sprinkler", "wet"], arcs)
        >>> network.is_d_separated("rain", "sprinkler")
        True
        >>> network.is_d_separated("rain", "sprinkler", given="wet")
        False
        """
        one, two, known = groups = [known_group(names, self._positions) for names in (a, b, given)]
        graph.check_disjoint(groups, self._variables)
        found = graph.connected(self._parent_positions, self._child_positions, one, known)
        return two.isdisjoint(found)

    def to_cpdag(self) -> Cpdag:
        """Return the completed partially directed graph of the equivalent networks.

        Returns
        -------
        Cpdag
            Arcs that have one direction in all networks with the same independences, and edges
            for the others.

        Examples
        --------
        >>> import baytree as bt
        >>> arcs = [("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery"), ("cold", "rain")]
        >>> names = ["cold", "rain", "sprinkler", "wet", "slippery"]
        >>> cpdag = bt.BayesianNetwork(names, arcs).to_cpdag()
        >>> cpdag.arcs
        (('rain', 'wet'), ('sprinkler', 'wet'), ('wet', 'slippery'))
        >>> cpdag.edges
        (('cold', 'rain'),)
        """
        return cpdag_of(self._variables, self._parent_positions)

    def structural_hamming_distance(self, other: BayesianNetwork, *, graph: str = "cpdag") -> int:
        """Return the number of pairs of variables that two networks connect differently.

        Parameters
        ----------
        other : BayesianNetwork
            A network of the same variables, in any order.
        graph : {"cpdag", "dag"}, default="cpdag"
            "cpdag" compares the graphs of the equivalence classes, as is usual [mmhc], so that
            arcs whose direction cannot be learned do not count. "dag" compares the arcs as they
            are.

        Returns
        -------
        int
            Number of pairs that are connected in one network only, or in another direction.

        Raises
        ------
        ValueError
            If the networks have different variables.

        Examples
        --------
        >>> import baytree as bt
        >>> one = bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")])
        >>> other = bt.BayesianNetwork(["rain", "wet"], [("wet", "rain")])
        >>> one.structural_hamming_distance(other)
        0
        >>> one.structural_hamming_distance(other, graph="dag")
        1
        """
        if not isinstance(other, BayesianNetwork):
            raise ValueError(f"other must be a BayesianNetwork; got {shortened(other)}.")
        return hamming_distance(self, other, graph)

    def adjacency(self) -> pd.DataFrame:
        """Return the arcs as a matrix.

        Returns
        -------
        DataFrame
            1 where the variable of the row is a parent of that of the column, else 0.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")]).adjacency()
              rain  wet
        rain     0    1
        wet      0    0
        """
        return graph.adjacency(self._variables, self._parent_positions)

    def equals(self, other: object, *, tolerance: float = 1e-9) -> bool:
        """Test if two networks are the same, probabilities included.

        Parameters
        ----------
        other : object
            Network to compare with.
        tolerance : float, default=1e-9
            Largest difference of two probabilities that does not count.

        Returns
        -------
        bool
            True if variables, states and arcs are the same and no probability differs by more.
            The order of the variables, the decomposition and the score do not matter. A structure
            alone equals structures alone.

        Examples
        --------
        >>> import baytree as bt
        >>> one = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.8, 0.2]})
        >>> other = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.7, 0.3]})
        >>> one == other, one.equals(other), one.equals(other, tolerance=0.2)
        (False, False, True)
        """
        largest = 0.0 if tolerance == 0 else positive_number("tolerance", tolerance)
        return isinstance(other, BayesianNetwork) and graph.are_equal(self, other, largest)

    # ---- Queries

    def posterior(
        self,
        target: Hashable | list[Hashable],
        evidence: Evidence | None = None,
        *,
        engine: Engine = "exact",
        max_memory: float | None = None,
    ) -> pd.Series[float]:
        """Return the distribution of one variable, or the joint one of several, given evidence.

        Parameters
        ----------
        target : hashable, or list of them
            Name of a variable, or a list of names, for the joint distribution.
        evidence : mapping of variable to state, optional
            Observed states. None and NaN mean not observed. A mapping of every state to its
            likelihood in place of a state, or such a Series, is virtual evidence.
        engine : "exact" or IJGP, default="exact"
            `IJGP(i_bound=...)` is iterative join-graph propagation, an approximation for networks
            whose exact inference is too large; it takes one target.
        max_memory : float, optional
            Bytes that the query may use; a quarter of the machine's memory if not given.

        Returns
        -------
        Series of float
            Probabilities, indexed by the states of the variable, or by those of all targets in a
            MultiIndex. An observed target has its state with probability 1. An approximation has
            a `Convergence` in `attrs["convergence"]`, and a variable that was cut into bins has its
            posterior mean in `attrs["mean"]`. States that are equal in Python, as 0 and
            False, stay apart, but `loc` finds them together: use `iloc`.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.75, 0.25], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> network.posterior("wet", {"rain": "yes"})
        wet
        no     0.2
        yes    0.8
        Name: probability, dtype: float64
        >>> network.posterior(["rain", "wet"], {"wet": {"no": 1, "yes": 3}}).round(3)
        rain  wet
        no    no     0.435
              yes    0.145
        yes   no     0.032
              yes    0.387
        Name: probability, dtype: float64
        """
        return queries.posterior(self, target, evidence, engine, max_memory)

    def marginals(
        self,
        evidence: Evidence | None = None,
        *,
        engine: Engine = "exact",
        max_memory: float | None = None,
    ) -> Marginals:
        """Return the distribution of every variable given evidence.

        Parameters
        ----------
        evidence : mapping of variable to state, optional
            Observed states, as in `posterior`.
        engine, max_memory
            As in `posterior`.

        Returns
        -------
        Marginals
            A mapping of variable to Series, indexed by state. `to_frame` has all in one frame, and
            `convergence` describes the convergence of an approximation.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> network.marginals()["rain"]
        rain
        no     0.75
        yes    0.25
        Name: probability, dtype: float64
        """
        return queries.marginals(self, evidence, engine, max_memory)

    def probability(
        self,
        evidence: Evidence,
        *,
        engine: Engine = "exact",
        max_memory: float | None = None,
    ) -> float:
        """Return the probability of evidence.

        Parameters
        ----------
        evidence : mapping of variable to state
            Observed states, as in `posterior`. Virtual evidence gives the expected likelihood.
        engine : "exact" or IJGP, default="exact"
            As in `posterior`. `IJGP` gives an estimate, which is no bound.
        max_memory : float, optional
            As in `posterior`.

        Returns
        -------
        float
            The probability; 0.0 if the evidence is impossible, or less probable than any float.

        See Also
        --------
        log_probability : Does not vanish for many observed variables.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> network.probability({"rain": "yes"})
        0.25
        """
        return queries.probability(self, evidence, engine, max_memory)[0]

    def log_probability(
        self,
        evidence: Evidence,
        *,
        engine: Engine = "exact",
        max_memory: float | None = None,
    ) -> float:
        """Return the natural logarithm of the probability of evidence.

        Parameters
        ----------
        evidence : mapping of variable to state
            Observed states, as in `posterior`.
        engine, max_memory
            As in `posterior`.

        Returns
        -------
        float
            The logarithm; minus infinity if the evidence is impossible.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> network.log_probability({"rain": "yes"})
        -1.386...
        """
        return queries.probability(self, evidence, engine, max_memory)[1]

    def most_probable(
        self, evidence: Evidence | None = None, *, max_memory: float | None = None
    ) -> MostProbable:
        """Return the most probable joint state of all variables given evidence.

        Parameters
        ----------
        evidence : mapping of variable to state, optional
            Observed states, as in `posterior`.
        max_memory : float, optional
            As in `posterior`.

        Returns
        -------
        MostProbable
            `assignment`, a dict with a state per variable, and `log_probability` of these states.
            Ties are always broken in the same way.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.75, 0.25], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> network.most_probable({"wet": "yes"}).assignment
        {'rain': 'yes', 'wet': 'yes'}
        """
        return queries.most_probable(self, evidence, max_memory)

    def inference_cost(self, evidence: Evidence | None = None) -> InferenceCost:
        """Return the cost of `marginals` without computing them.

        Parameters
        ----------
        evidence : mapping of variable to state, optional
            States that will be observed; they make tables smaller.

        Returns
        -------
        InferenceCost
            Largest clique, table entries, bytes and estimated seconds. Other queries usually take
            less, as irrelevant variables are left out.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> network.inference_cost().table_entries
        2
        """
        return queries.inference_cost(self, evidence)

    # ---- Rows of tables

    def log_likelihood(
        self, table: Table, *, handle_unknown: UnknownPolicy = "error", n_jobs: int | None = 1
    ) -> npt.NDArray[np.float64]:
        """Return the log probability of the observed cells of each row.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows. Missing cells are summed out exactly. Variables that the table lacks are missing
            in every row, and other columns are ignored. A table in memory may have no rows.
        handle_unknown : {"error", "missing"}, default="error"
            Whether a state that the variable does not have raises an error or counts as missing.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1. The result does not depend on them.

        Returns
        -------
        ndarray of float, shape (n_rows,)
            Natural logarithms; minus infinity for an impossible row, and 0 for a row without
            observed cells.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> table = pd.DataFrame({"rain": ["yes", None], "wet": ["yes", "yes"]})
        >>> np.exp(network.log_likelihood(table)).round(6)
        array([0.16, 0.24])
        """
        self._known_cpts()
        codes = rows.open_rows(self, table, handle_unknown=handle_unknown, n_jobs=n_jobs).codes
        return self._row_answers.log_likelihoods(codes, n_jobs)

    def predict(
        self,
        table: Table,
        target: Any,
        *,
        handle_unknown: UnknownPolicy = "error",
        n_jobs: int | None = 1,
    ) -> Any:
        """Return the most probable state of a variable in each row, or the mean of a number.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows, as in `log_likelihood`. The column of the target is ignored, and may be absent.
        target : hashable, or list of them
            The variable to predict, or several, each on its own.
        handle_unknown, n_jobs
            As in `log_likelihood`.

        Returns
        -------
        Series, DataFrame or ndarray
            States: a pandas Series with the index of the table for a pandas frame, a polars Series
            for a polars frame, else an ndarray. A list of targets gives a DataFrame, or an ndarray
            of two dimensions. Of equally probable states the first. A variable that was cut into
            bins gets the mean of its distribution, rounded if it held integers; `predict_proba` has
            its bins.

        See Also
        --------
        BayesianNetwork.impute : Fills all missing cells.

        Notes
        -----
        In a row that is impossible, evidence that contradicts itself is not used.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> network.predict(pd.DataFrame({"wet": ["yes", "no"]}), "rain").tolist()
        ['yes', 'no']
        """
        return rows.predict(self, table, target, handle_unknown, n_jobs)

    def predict_proba(
        self,
        table: Table,
        target: Any,
        *,
        handle_unknown: UnknownPolicy = "error",
        n_jobs: int | None = 1,
    ) -> Any:
        """Return the probability of every state of a variable in each row.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows, as in `predict`.
        target : hashable, or list of them
            The variable, or several, each on its own.
        handle_unknown, n_jobs
            As in `log_likelihood`.

        Returns
        -------
        DataFrame
            A row per row of the table, with its index if it is a pandas frame, and a column per
            state. A list of targets gives columns (variable, state). For a polars frame a polars
            DataFrame, whose columns are called as the states, or "variable=state" for a list.

        Notes
        -----
        In a row that is impossible, evidence that contradicts itself is not used: the
        probabilities are then those without evidence.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> network.predict_proba(pd.DataFrame({"wet": ["yes", None]}), "rain").round(3)
        rain     no    yes
        0     0.333  0.667
        1     0.800  0.200
        """
        return rows.predict_proba(self, table, target, handle_unknown, n_jobs)

    def impute(
        self, table: Table, completion: CompletionName = "joint", *, n_jobs: int | None = 1
    ) -> Any:
        """Return the table with its missing cells filled.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows, as in `log_likelihood`.
        completion : {"joint", "independent"}, default="joint"
            Fill a row with the most probable joint state of all its missing cells, or each cell
            with its own most probable state. In a variable that was cut into bins, the number is
            the median of that bin, or for "independent" the mean of the cell's distribution.
        n_jobs : int or None, default=1
            As in `log_likelihood`.

        Returns
        -------
        table
            Same container, columns, dtypes and index as `table`; a pandas frame for a file.
            Observed cells and columns that are no variables are untouched. Ties are always broken
            in the same way.

        Notes
        -----
        Missing cells that depend on impossible evidence get the most probable state of their
        variable without evidence.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> network.impute(pd.DataFrame({"rain": [None, "yes"], "wet": ["yes", None]}))
          rain  wet
        0  yes  yes
        1  yes  yes
        """
        return rows.impute(self, table, completion, n_jobs)

    def sample(
        self,
        n: int,
        evidence: Evidence | None = None,
        random_state: Seed = None,
        *,
        n_jobs: int | None = 1,
    ) -> pd.DataFrame:
        """Return random rows of the network's distribution.

        Parameters
        ----------
        n : int
            Number of rows.
        evidence : mapping of variable to state, optional
            Draw from the exact distribution given this evidence, as in `posterior`.
        random_state : int, RandomState instance or None, default=None
            Seed; None for a new one every time.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1. The rows do not depend on them.

        Returns
        -------
        DataFrame
            The rows, with the dtypes of the table that the network was learned from if that was
            a pandas frame. Numbers of variables that were cut into bins are drawn again, within
            their bin, as they are spread in that table; numbers in `evidence` stay as they are.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> rows = network.sample(1000, random_state=0)
        >>> bool(0.2 < (rows["rain"] == "yes").mean() < 0.3)
        True
        """
        return sampling.sample(self, n, evidence, random_state, n_jobs)

    def bic(self, table: Table) -> float:
        """Return the BIC of the structure on a table.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows, at least one. No cell may be missing; columns that are no variables are ignored.

        Returns
        -------
        float
            Log-likelihood with maximum-likelihood counts of this table, less log(N)/2 per free
            probability. The network's own probabilities, if it has any, do not matter.

        Raises
        ------
        MissingCellError
            If cells or variables are missing.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]})
        >>> round(network.bic(pd.DataFrame({"rain": ["no", "no", "yes", "yes"]})), 3)
        -3.466
        """
        return rows.bic(self, table)

    def read_table(
        self, path: str | os.PathLike[str], *, missing_values: Collection[str] | None = None
    ) -> pd.DataFrame:
        r"""Read a table of the network's variables from a file.

        Parameters
        ----------
        path : str or path
            File to read: .csv, .tsv, .parquet or .dat.
        missing_values : collection of str, optional
            Words that mark missing cells; if not given, those that the network was learned with,
            where they are no states.

        Returns
        -------
        DataFrame
            The table. Names of columns and cells that spell a variable or a state are this
            variable or state, whatever its type. Columns that are no variables are kept.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> network = BayesianNetwork({"rain": [True, False]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "rows.csv"
        ...     _ = path.write_text("day,rain\nMon,True\nTue,?\n")
        ...     network.read_table(path)["rain"].tolist()
        [True, None]
        """
        return rows.read_table(self, path, missing_values)

    def state_codes(self, table: Table, *, handle_unknown: UnknownPolicy = "error") -> StateCodes:
        """Return the position of each cell's state among the states of its variable.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows, as in `log_likelihood`.
        handle_unknown : {"error", "missing"}, default="error"
            As in `log_likelihood`.

        Returns
        -------
        ndarray of int32, shape (n_rows, n_variables)
            Positions in `states`, from 0; -1 for missing cells.

        Examples
        --------
        >>> network = BayesianNetwork({"rain": ["no", "yes"], "wet": ["no", "yes"]})
        >>> network.state_codes(pd.DataFrame({"rain": ["yes", None], "day": ["Mon", "Tue"]}))
        array([[ 1, -1],
               [-1, -1]], dtype=int32)
        """
        return rows.open_rows(self, table, handle_unknown=handle_unknown).codes

    # ---- Files, other packages and pictures

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file, in place of any file of that name.

        Parameters
        ----------
        path : str or path
            File to write. The suffix of its name is the format: .json, .bif, .xml (XMLBIF; also
            .xmlbif, .bifxml), .uai, .net (Hugin) or .xdsl (GeNIe); a further .gz or .xz means
            compressed.

        Raises
        ------
        ValueError
            If the suffix is none of these, two names or states would be the same in the file, or
            the network has a structure alone and the format is not .json; nothing is written
            then.

        Warns
        -----
        EscapedLabelWarning
            If the format cannot hold some names or states, and other words stand for them; if they
            are no text, numbers or truth values; or if it cannot hold the bins of a variable.

        Notes
        -----
        Names and states that are text, numbers or truth values come back as they are, and
        probabilities to the last bit, in every format; other labels (tuples, timestamps, bytes)
        are written as their text, and come back as text. Only .json holds the score, the tree
        decomposition, and the bins of numeric variables.

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
        write_parts(path, self._to_parts())

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
        >>> BayesianNetwork.read("network.csv")
        Traceback (most recent call last):
        ...
        ValueError: network.csv: the name of a network must end in .json...
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
            Axes to draw into; a new figure if not given.
        variable : hashable, optional
            Variable to mark, with its Markov blanket. Of a network of more than `max_variables`,
            only those nearest to it are drawn. If not given, that is the variable with the most
            arcs, the first of several; the title says so.
        max_variables : int, default=40
            Maximum number of variables to draw. The Markov blanket comes first, then neighbours,
            then theirs.
        strength : DataFrame, optional
            Result of `arc_strength`: strong arcs are drawn thick, those of fewer than half of
            the networks dashed.

        Returns
        -------
        matplotlib Axes
            The axes with the drawing.

        Raises
        ------
        ImportError
            If matplotlib is missing.

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
    def from_networkx(
        cls,
        graph: Any,
        *,
        states: Mapping[Hashable, Sequence[Hashable]] | None = None,
        cpts: Mapping[Hashable, object] | None = None,
    ) -> Self:
        """Return a network with the nodes and edges of a networkx graph.

        Parameters
        ----------
        graph : networkx.DiGraph
            An acyclic graph; its nodes are the variables, its edges the arcs.
        states : mapping of variable to sequence of states, optional
            Labels of the states. If not given, the attribute ``states`` of the nodes is taken.
        cpts : mapping of variable to probabilities, optional
            As `BayesianNetwork` takes them. If not given, the attribute ``cpt`` of the nodes.

        Returns
        -------
        BayesianNetwork
            A structure alone where there are no probabilities.

        Raises
        ------
        ValueError
            If the graph is undirected or has a cycle, or some variables lack states or
            probabilities that others have.

        Examples
        --------
        >>> import networkx as nx
        >>> import baytree as bt
        >>> graph = nx.DiGraph([("rain", "wet"), ("sprinkler", "wet")])
        >>> bt.BayesianNetwork.from_networkx(graph).parents("wet")
        ('rain', 'sprinkler')
        """
        return cls(**conversions.from_networkx(graph, states, cpts)._asdict())

    def to_networkx(self) -> Any:
        """Return the network as a networkx graph.

        Returns
        -------
        networkx.DiGraph
            Nodes are variables, with the attributes ``states`` and ``cpt`` (a frame) where these
            are known.

        Examples
        --------
        >>> import baytree as bt
        >>> graph = bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")]).to_networkx()
        >>> list(graph.edges)
        [('rain', 'wet')]
        """
        return conversions.to_networkx(self)

    @classmethod
    def from_pgmpy(cls, model: Any) -> Self:
        """Return a network of pgmpy as one of baytree.

        Parameters
        ----------
        model : pgmpy.models.DiscreteBayesianNetwork
            The network; without probabilities it gives a structure alone.

        Returns
        -------
        BayesianNetwork
            The same variables, states, arcs and probabilities.

        Raises
        ------
        ValueError
            If some variables lack the probabilities that others have, or tables disagree on the
            states of a variable.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork.from_pgmpy("asia")
        Traceback (most recent call last):
        ...
        ValueError: model must be a network of pgmpy; got 'asia'.
        """
        return cls(**conversions.from_pgmpy(model)._asdict())

    def to_pgmpy(self) -> Any:
        """Return the network as one of pgmpy, version 1.0 or newer.

        Returns
        -------
        pgmpy.models.DiscreteBayesianNetwork
            With the same names, labels and probabilities; without the latter if there are none.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.8, 0.2]})
        >>> model = network.to_pgmpy()
        >>> model.get_cpds("rain").values
        array([0.8, 0.2])
        """
        return conversions.to_pgmpy(self)

    @classmethod
    def from_pyagrum(cls, model: Any) -> Self:
        """Return a network of pyAgrum as one of baytree.

        Parameters
        ----------
        model : pyagrum.BayesNet
            The network. States of integer and range variables become integers, those of numerical
            ones numbers, all others text.

        Returns
        -------
        BayesianNetwork
            The same variables, states, arcs and probabilities.

        Raises
        ------
        ValueError
            If the rows of a table are no probabilities: pyAgrum starts with zeros.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.BayesianNetwork.from_pyagrum("asia")
        Traceback (most recent call last):
        ...
        ValueError: model must be a BayesNet of pyAgrum; got 'asia'.
        """
        return cls(**conversions.from_pyagrum(model)._asdict())

    def to_pyagrum(self) -> Any:
        """Return the network as one of pyAgrum, version 2.0 or newer.

        Returns
        -------
        pyagrum.BayesNet
            With the same probabilities. Names and states become text; only integers in ascending
            order stay what they are.

        Raises
        ------
        ValueError
            If the network has a structure alone, or two names or states are the same as text.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.8, 0.2]})
        >>> model = network.to_pyagrum()
        >>> model.cpt("rain").tolist()
        [0.8, 0.2]
        """
        return conversions.to_pyagrum(self)

    # ---- Comparison and display

    def __eq__(self, other: object) -> bool:
        """Compare variables, states, arcs and probabilities."""
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return self.equals(other, tolerance=0)

    def __hash__(self) -> int:
        """Return a hash that equal networks share."""
        return hash((frozenset(self._variables), frozenset(self.arcs)))

    def __repr__(self) -> str:
        """Return the class and the sizes."""
        return display.network_text(self)

    def _repr_html_(self) -> str:
        """Return the sizes and the variables for a notebook."""
        return display.network_html(self)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse public names, as they would look like a change of the network."""
        if not name.startswith("_"):
            raise AttributeError(f"A network is frozen: {name!r} cannot be set. Make a new one.")
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out objects of the core, which are made again when they are needed."""
        return {k: v for k, v in self.__dict__.items() if k not in self._CORE_OBJECTS}

    # ---- Construction from the results of other modules

    @classmethod
    def _from_encoding(cls, encoding: TableEncoding, *args: Any, **kwargs: Any) -> Self:
        """Return a network that decodes to cells as a table had them, bins and dtypes included."""
        network = cls({name: encoding.states(name) for name in encoding.variables}, *args, **kwargs)
        network.__dict__["_encoding"] = encoding
        return network

    @classmethod
    def _from_search(
        cls,
        encoding: TableEncoding,
        parents: Sequence[Iterable[int]],
        *,
        cpts: Sequence[Cpt],
        elimination_order: Sequence[int],
        bags: _core.TreeDecomposition,
        score: float | None,
    ) -> Self:
        """Return the result of a search in a table. It comes from the core: nothing is checked."""
        network = cls.__new__(cls)
        network._store(encoding.variables, encoding.plain_states, parents, score)
        network._search_order = elimination_order
        network._search_bags = bags
        network._cpts = tuple(cpts)
        for cpt in cpts:
            cpt.setflags(write=False)
        network.__dict__["_encoding"] = encoding
        return network

    @classmethod
    def _from_parts(cls, parts: NetworkParts, encoding: TableEncoding | None = None) -> Self:
        names = checked_names(parts.variables)  # before a dict drops a repeated name
        states, bags = parts.states, parts.bags
        network = cls(
            names if states is None else dict(zip(names, states, strict=True)),
            parts.arcs,
            cpts=None if parts.cpts is None else dict(zip(names, parts.cpts, strict=True)),
            decomposition=None
            if bags is None
            else TreeDecomposition(tuple(map(tuple, bags)), tuple(parts.edges)),
            score=parts.score,
        )
        if encoding is not None or parts.bins:
            network.__dict__["_encoding"] = encoding or network._encoding.with_bins(parts.bins)
        return network

    def _to_parts(self) -> NetworkParts:
        has_score = self._score is not None and math.isfinite(self._score)
        return NetworkParts(
            variables=self._variables,
            states=None if self._states is None else [*self._states.values()],
            arcs=self.arcs,
            cpts=self._cpts,
            bags=self._decomposition.bags,
            edges=self._decomposition.edges,
            score=self._score if has_score else None,
            bins={} if self._states is None else self._encoding.bins,
        )

    def _store(
        self,
        names: tuple[Hashable, ...],
        states: dict[Hashable, tuple[Hashable, ...]] | None,
        parents: Sequence[Iterable[int]],
        score: float | None,
    ) -> None:
        self._variables = names
        self._states = states
        self._parent_positions = [tuple(sorted(members)) for members in parents]
        self._score = None if score is None else float(score)
        self._cpts = None

    # ---- Derived on first use: an imputer averages many networks and needs little of this, and
    # the names of bags and parents take 2 ms in a network of 500 variables. Positions, the core's
    # numbers of variables, follow the order of `variables`.

    _CORE_OBJECTS = frozenset(
        {
            "_tabular",
            "_search_bags",
            "_exact_inference",
            "_join_graph_inference",
            "_row_network",
            "_row_answers",
        }
    )
    _search_order: Sequence[int] = ()  # of elimination, if a search found the network

    @cached_property
    def _parents(self) -> dict[Hashable, tuple[Hashable, ...]]:
        members = map(self._names, self._parent_positions)
        return dict(zip(self._variables, members, strict=True))

    @cached_property
    def _child_positions(self) -> list[list[int]]:
        return graph.children_of(self._parent_positions)

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self._variables)}

    @cached_property
    def _decomposition(self) -> TreeDecomposition:
        """Decomposition of a network that a search found; `__init__` sets that of others."""
        return named_bags(self._variables, self._search_bags)

    @cached_property
    def _search_bags(self) -> _core.TreeDecomposition:
        return _core.decompose(self._parent_positions, self._search_order)

    @cached_property
    def _elimination_order(self) -> list[int]:
        """Positions of the variables, in an order of elimination that the decomposition allows."""
        if self._search_order:
            return self._search_bags.elimination_order
        return [self._positions[variable] for variable in order_along(self._decomposition)]

    @cached_property
    def _encoded_states(self) -> dict[Hashable, tuple[Hashable, ...]]:
        return {variable: self.states(variable) for variable in self._variables}

    @cached_property
    def _state_indexes(self) -> dict[Hashable, pd.Index[Any]]:
        return {name: state_index(name, states) for name, states in self._encoded_states.items()}

    @cached_property
    def _encoding(self) -> TableEncoding:
        """Labels of states to codes and back."""
        return TableEncoding.from_states(self._encoded_states)

    @cached_property
    def _tabular(self) -> _core.TabularNetwork:
        return _core.TabularNetwork(
            self._encoding.arities.tolist(),
            parents=self._parent_positions,
            tables=[cpt.ravel() for cpt in self._known_cpts()],
        )

    @cached_property
    def _exact_inference(self) -> _core.ExactInference:
        return _core.ExactInference(
            self._tabular, order=self._elimination_order, max_kept_bytes=_MAX_KEPT_BYTES
        )

    @cached_property
    def _join_graph_inference(self) -> _core.JoinGraphInference:
        return _core.JoinGraphInference(self._tabular, order=self._elimination_order)

    @cached_property
    def _row_network(self) -> _core.RowNetwork:
        return _core.RowNetwork(self._tabular, elimination_order=self._elimination_order)

    @cached_property
    def _row_answers(self) -> NetworkAnswers:
        return NetworkAnswers(self._row_network, self._encoding.arities.tolist())

    def _engine(self, engine: Engine, max_memory: float | None) -> InferenceEngine:
        return queries.network_engine(self, engine, max_memory)

    def _known_cpts(self) -> tuple[Cpt, ...]:
        if self._cpts is None:
            raise ValueError(
                "The network has a structure alone, without probabilities. Estimate them from a "
                "table with fit_parameters, or give cpts when it is made."
            )
        return self._cpts

    def _known(self, variable: Any) -> Hashable:
        return known_variable(variable, self._positions)

    def _position(self, variable: Any) -> int:
        return self._positions[self._known(variable)]

    def _names(self, positions: Iterable[int]) -> tuple[Hashable, ...]:
        return tuple(self._variables[position] for position in sorted(positions))
