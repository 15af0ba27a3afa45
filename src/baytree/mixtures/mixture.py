"""NetworkMixture: a weighted sum of Bayesian networks, with the queries of one network."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.messages.quoting import pluralize, shortened
from baytree.mixtures import mixture_files, mixture_queries
from baytree.mixtures.mixture_queries import MixtureEngine
from baytree.mixtures.mixture_rows import MixtureAnswers
from baytree.mixtures.parts import MixturePart, merged_network, parts_of_networks
from baytree.networks import queries, rows
from baytree.networks.engines import Engine, InferenceEngine
from baytree.networks.evidence import Evidence
from baytree.networks.network import BayesianNetwork
from baytree.networks.query_results import InferenceCost, Marginals, MostProbable
from baytree.networks.row_answers import CompletionName, Floats
from baytree.networks.state_indexes import state_index
from baytree.networks.variables import known_variable
from baytree.runtime.seeds import Seed
from baytree.tables.columns import StateCodes
from baytree.tables.containers import Table
from baytree.tables.encoding import TableEncoding
from baytree.tables.variable_encoding import UnknownPolicy


class Components(Sequence[BayesianNetwork]):
    """Components of a mixture as networks, each made when it is asked for."""

    def __init__(self, mixture: NetworkMixture) -> None:
        self._parts = mixture._parts
        self._encoding = mixture._encoding

    def __len__(self) -> int:
        """Return the number of components."""
        return sum(part.n_components for part in self._parts)

    @overload
    def __getitem__(self, number: int) -> BayesianNetwork: ...
    @overload
    def __getitem__(self, number: slice) -> list[BayesianNetwork]: ...
    def __getitem__(self, number: int | slice) -> BayesianNetwork | list[BayesianNetwork]:
        """Return a component, or some of them."""
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        place = number + len(self) if number < 0 else number
        for part in self._parts:
            if 0 <= place < part.n_components:
                return part.component(place, self._encoding)
            place -= part.n_components
        raise IndexError(f"There are {len(self):,} components; got {number}.")

    def __iter__(self) -> Iterator[BayesianNetwork]:
        """Iterate over the components."""
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        """Return the number of components."""
        return f"Components({len(self):,})"


class NetworkMixture:
    """A mixture of Bayesian networks: each row is drawn from one of its components.

    A mixture describes data far better than one network of the same treewidth, and its queries stay
    exact: they are weighted sums over the components.

    Parameters
    ----------
    components : iterable of BayesianNetwork
        Networks with probabilities, all of the same variables and states.
    weights : sequence of float, optional
        Probability of each component; by default all are equally probable.

    Attributes
    ----------
    variables : tuple
        Names of the variables.
    components : sequence of BayesianNetwork
        The components, each made when it is asked for.
    n_components : int
        Number of components.
    weights : ndarray of float
        Probability of each component.
    treewidth : int
        Largest treewidth of a component.
    binned_variables : tuple
        Names of the numeric variables that were cut into bins.

    See Also
    --------
    MixtureLearner : Learns a mixture from a table.

    Notes
    -----
    Components with the same arcs are kept together, as one network with a hidden variable that is a
    parent of all others. Its treewidth is that of the components plus one, which bounds the cost of
    every query. So components with the same arcs follow each other in `components`, in the order in
    which they were given, and those of weight 0 are left out.

    Examples
    --------
    >>> import baytree as bt
    >>> states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    >>> winter = bt.BayesianNetwork(states, cpts={"rain": [0.2, 0.8], "wet": [0.3, 0.7]})
    >>> summer = bt.BayesianNetwork(states, cpts={"rain": [0.9, 0.1], "wet": [0.9, 0.1]})
    >>> year = bt.NetworkMixture([winter, summer])
    >>> year
    NetworkMixture(2 variables, 2 components, treewidth 0)
    >>> year.posterior("rain", {"wet": "yes"}).round(3)
    rain
    no     0.288
    yes    0.712
    Name: probability, dtype: float64
    """

    _parts: tuple[MixturePart, ...]

    def __init__(
        self, components: Iterable[BayesianNetwork], weights: Sequence[float] | None = None
    ) -> None:
        networks = list(components)
        for network in networks:
            if not isinstance(network, BayesianNetwork):
                raise ValueError(f"components must be networks; got {shortened(network)}.")
        if not networks:
            raise ValueError("components must hold at least one network.")
        own = _checked_weights(weights, len(networks))
        kept = [network for network, weight in zip(networks, own, strict=True) if weight > 0]
        self._parts = tuple(parts_of_networks(kept, own[own > 0]))

    @property
    def variables(self) -> tuple[Hashable, ...]:
        """Names of the variables."""
        return self._encoding.variables

    @property
    def components(self) -> Components:
        """Components as networks, each made when it is asked for."""
        return Components(self)

    @property
    def n_components(self) -> int:
        """Number of components."""
        return len(self.components)

    @property
    def weights(self) -> Floats:
        """Probability of each component."""
        return np.concatenate([part.weight * part.component_weights for part in self._parts])

    @property
    def treewidth(self) -> int:
        """Largest treewidth of a component."""
        return max(part.network.treewidth for part in self._parts) - 1

    @property
    def binned_variables(self) -> tuple[Hashable, ...]:
        """Names of the numeric variables that were cut into bins; the bins are their states."""
        return self._encoding.binned_variables

    def states(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the states of a variable.

        Parameters
        ----------
        variable : hashable
            Name of the variable.

        Returns
        -------
        tuple
            Labels of its states.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).states("rain")
        ('no', 'yes')
        """
        return self._encoding.plain_states[known_variable(variable, self._positions)]

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
        target, evidence, engine, max_memory
            As in `BayesianNetwork.posterior`.

        Returns
        -------
        Series of float
            Probabilities, as from `BayesianNetwork.posterior`.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = [bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": p})
        ...         for p in ([0.75, 0.25], [0.25, 0.75])]
        >>> bt.NetworkMixture(rain).posterior("rain")["no"]
        np.float64(0.5)
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
        evidence, engine, max_memory
            As in `BayesianNetwork.posterior`.

        Returns
        -------
        Marginals
            A mapping of variable to Series, indexed by state.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).marginals()["rain"]["yes"]
        np.float64(0.25)
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
        evidence, engine, max_memory
            As in `BayesianNetwork.posterior`.

        Returns
        -------
        float
            Probability; zero below the smallest float, where `log_probability` is exact.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).probability({"rain": "no"})
        0.75
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
        evidence, engine, max_memory
            As in `BayesianNetwork.posterior`.

        Returns
        -------
        float
            Logarithm; minus infinity for impossible evidence.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> round(bt.NetworkMixture([rain]).log_probability({"rain": "no"}), 4)
        -0.2877
        """
        return queries.probability(self, evidence, engine, max_memory)[1]

    def most_probable(
        self, evidence: Evidence | None = None, *, max_memory: float | None = None
    ) -> MostProbable:
        """Return joint states of all variables that are most probable with one component.

        The most probable joint states of a mixture cannot be found exactly in reasonable time.
        These are the best over all components; no other states have more than `n_components` times
        their probability.

        Parameters
        ----------
        evidence, max_memory
            As in `BayesianNetwork.posterior`.

        Returns
        -------
        MostProbable
            A state per variable, and the log probability of these states in the mixture.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).most_probable().assignment
        {'rain': 'no'}
        """
        return mixture_queries.most_probable(self, evidence, max_memory)

    def inference_cost(self, evidence: Evidence | None = None) -> InferenceCost:
        """Return the cost of the marginals given evidence, before it is paid.

        Parameters
        ----------
        evidence : mapping of variable to state, optional
            As in `BayesianNetwork.posterior`.

        Returns
        -------
        InferenceCost
            Sums over the parts of the mixture, each of all components with the same arcs. Of the
            cliques, the largest.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain, rain]).inference_cost().clique_variables
        2
        """
        return mixture_queries.total_cost(self, evidence)

    def log_likelihood(
        self, table: Table, *, handle_unknown: UnknownPolicy = "error", n_jobs: int | None = 1
    ) -> npt.NDArray[np.float64]:
        """Return the log probability of the observed cells of each row.

        Parameters
        ----------
        table, handle_unknown, n_jobs
            As in `BayesianNetwork.log_likelihood`.

        Returns
        -------
        ndarray of float, shape (n_rows,)
            Natural logarithms; minus infinity for an impossible row.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).log_likelihood(pd.DataFrame({"rain": ["no", None]})).round(3)
        array([-0.288,  0.   ])
        """
        codes = rows.open_rows(self, table, handle_unknown=handle_unknown, n_jobs=n_jobs).codes
        return self._row_answers.log_likelihoods(codes, n_jobs)

    def responsibilities(
        self, table: Table, *, handle_unknown: UnknownPolicy = "error", n_jobs: int | None = 1
    ) -> pd.DataFrame:
        """Return the probability of each component in each row: a soft clustering.

        Parameters
        ----------
        table, handle_unknown, n_jobs
            As in `BayesianNetwork.log_likelihood`.

        Returns
        -------
        DataFrame
            A row per row, a column per component, by number.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = [bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": p})
        ...         for p in ([0.75, 0.25], [0.25, 0.75])]
        >>> bt.NetworkMixture(rain).responsibilities(pd.DataFrame({"rain": ["no"]}))
           0     1
        0  0.75  0.25
        """
        opened = rows.open_rows(self, table, handle_unknown=handle_unknown, n_jobs=n_jobs)
        found = self._row_answers.responsibilities(opened.codes, n_jobs)
        return pd.DataFrame(found, index=opened.index)

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
        table, target, handle_unknown, n_jobs
            As in `BayesianNetwork.predict`.

        Returns
        -------
        Series, DataFrame or ndarray
            States, as from `BayesianNetwork.predict`.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).predict(pd.DataFrame({"rain": [None]}), "rain").tolist()
        ['no']
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
        table, target, handle_unknown, n_jobs
            As in `BayesianNetwork.predict_proba`.

        Returns
        -------
        DataFrame
            Probabilities, as from `BayesianNetwork.predict_proba`.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).predict_proba(pd.DataFrame({"rain": [None]}), "rain")
        rain    no   yes
        0     0.75  0.25
        """
        return rows.predict_proba(self, table, target, handle_unknown, n_jobs)

    def impute(
        self, table: Table, *, completion: CompletionName = "independent", n_jobs: int | None = 1
    ) -> Any:
        """Return the table with its missing cells filled.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows of the variables.
        completion : {"independent", "joint"}, default="independent"
            The most probable state of each missing cell on its own; or joint states of all missing
            cells of a row that are most probable together with one component, as in
            `most_probable`.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1. The result does not depend on them.

        Returns
        -------
        table
            As from `BayesianNetwork.impute`.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).impute(pd.DataFrame({"rain": ["yes", None]}))["rain"].tolist()
        ['yes', 'no']
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
        """Draw rows from the exact distribution given evidence.

        Parameters
        ----------
        n : int
            Number of rows.
        evidence : mapping of variable to state, optional
            As in `BayesianNetwork.posterior`.
        random_state : int, RandomState instance or None, default=None
            Seed; None for a new one every time.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1. The rows do not depend on them.

        Returns
        -------
        DataFrame
            Rows in random order.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> len(bt.NetworkMixture([rain]).sample(3, random_state=0))
        3
        """
        return mixture_queries.sample(self, n, evidence, random_state, n_jobs)

    def read_table(
        self, path: str | os.PathLike[str], *, missing_values: Collection[str] | None = None
    ) -> pd.DataFrame:
        """Read a table of rows; names and cells that spell variables and states become them.

        Parameters
        ----------
        path, missing_values
            As in `BayesianNetwork.read_table`.

        Returns
        -------
        DataFrame
            The table.

        Examples
        --------
        >>> mixture.read_table("rows.csv")  # doctest: +SKIP
        """
        return rows.read_table(self, path, missing_values)

    def state_codes(self, table: Table, *, handle_unknown: UnknownPolicy = "error") -> StateCodes:
        """Return the position of each cell's state among the states of its variable.

        Parameters
        ----------
        table, handle_unknown
            As in `BayesianNetwork.state_codes`.

        Returns
        -------
        ndarray of int32, shape (n_rows, n_variables)
            Positions in `states`, from 0; -1 for missing cells.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain]).state_codes(pd.DataFrame({"rain": ["yes", None]}))
        array([[ 1],
               [-1]], dtype=int32)
        """
        return rows.open_rows(self, table, handle_unknown=handle_unknown).codes

    def to_network(self, *, max_entries: float = 10_000_000) -> BayesianNetwork:
        """Return the mixture as one network with the component as a variable.

        Parameters
        ----------
        max_entries : float, default=10_000_000
            Largest number of probabilities of the network.

        Returns
        -------
        BayesianNetwork
            The variables and, as the last one, "component", a parent of all others. Where the
            components have different arcs, it has all of them, and may be of large treewidth.

        Raises
        ------
        ValueError
            If the network would have more probabilities, or the arcs of all components together
            form a cycle.

        Examples
        --------
        >>> import baytree as bt
        >>> rain = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.75, 0.25]})
        >>> bt.NetworkMixture([rain, rain]).to_network().arcs
        (('component', 'rain'),)
        """
        if len(self._parts) == 1:
            return self._parts[0].network
        return merged_network(self._parts, self._encoding, max_entries)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the mixture to a file, and replace a file of that name.

        Parameters
        ----------
        path : str or path
            File to write; its name must end in .json, .json.gz or .json.xz.

        Examples
        --------
        >>> mixture.write("mixture.json")  # doctest: +SKIP
        """
        mixture_files.write_parts(path, self._encoding, self._parts)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a mixture from a file.

        Parameters
        ----------
        path : str or path
            File that `write` wrote.

        Returns
        -------
        NetworkMixture
            The mixture.

        Raises
        ------
        FileFormatError
            If the file is broken or no mixture; the message names the line and the column.
        ValueError
            If the suffix is another one.

        Examples
        --------
        >>> NetworkMixture.read("mixture.csv")
        Traceback (most recent call last):
        ...
        ValueError: mixture.csv: the name of a mixture must end in .json...
        """
        return cls._from_parts(mixture_files.read_parts(path))

    def __eq__(self, other: object) -> bool:
        """Compare variables, states, components and weights."""
        if not isinstance(other, NetworkMixture):
            return NotImplemented
        own = [(part.weight, part.network) for part in self._parts]
        return own == [(part.weight, part.network) for part in other._parts]

    def __hash__(self) -> int:
        """Return a hash that equal mixtures share."""
        return hash((frozenset(self.variables), self.n_components))

    def __repr__(self) -> str:
        """Return the class and the sizes."""
        sizes = ", ".join(
            [
                pluralize(len(self.variables), "variable"),
                pluralize(self.n_components, "component"),
                f"treewidth {self.treewidth:,}",
            ]
        )
        return f"NetworkMixture({sizes})"

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse public names, as they would look like a change of the mixture."""
        if not name.startswith("_"):
            raise AttributeError(f"A mixture is frozen: {name!r} cannot be set. Make a new one.")
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is derived from the parts."""
        return {"_parts": self._parts}

    @classmethod
    def _from_parts(cls, parts: Iterable[MixturePart]) -> Self:
        """Return a mixture of parts whose weights sum to 1."""
        mixture = cls.__new__(cls)
        mixture._parts = tuple(parts)
        return mixture

    @cached_property
    def _encoding(self) -> TableEncoding:
        """Labels of states to codes and back, without the component."""
        network = self._parts[0].network
        return network._encoding.restricted(range(len(network.variables) - 1))

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {name: position for position, name in enumerate(self.variables)}

    @cached_property
    def _encoded_states(self) -> dict[Hashable, tuple[Hashable, ...]]:
        return {name: self.states(name) for name in self.variables}

    @cached_property
    def _state_indexes(self) -> dict[Hashable, pd.Index[Any]]:
        return {name: state_index(name, states) for name, states in self._encoded_states.items()}

    @cached_property
    def _row_answers(self) -> MixtureAnswers:
        return MixtureAnswers(self._parts)

    def _engine(self, engine: Engine, max_memory: float | None) -> InferenceEngine:
        engines = [part.network._engine(engine, max_memory) for part in self._parts]
        return MixtureEngine(self._parts, engines)


def _checked_weights(weights: Sequence[float] | None, n: int) -> Floats:
    if weights is None:
        return np.full(n, 1.0 / n)
    try:
        own = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        own = np.empty(0)
    if own.shape != (n,) or not np.isfinite(own).all() or (own < 0).any() or not own.sum() > 0:
        raise ValueError(
            f"weights must be one number of at least 0 for each of the {n:,} components, not all "
            f"of them 0; got {shortened(weights)}."
        )
    scaled: Floats = own / own.sum()
    return scaled
