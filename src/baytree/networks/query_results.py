"""Results of queries that are more than a number or a Series."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree.messages.suggestions import unknown_variable

SECONDS_PER_YEAR = 365.25 * 24 * 3600


class MostProbable(NamedTuple):
    """The most probable joint state of all variables and its probability.

    Parameters
    ----------
    assignment : dict of variable to state
        A state per variable, observed ones included.
    log_probability : float
        Natural logarithm of the joint probability of these states, including the likelihoods of
        virtual evidence.

    Examples
    --------
    >>> best = MostProbable({"rain": "no"}, -0.25)
    >>> best.assignment
    {'rain': 'no'}
    """

    assignment: dict[Hashable, Hashable]
    log_probability: float


@dataclass(frozen=True, repr=False)
class InferenceCost:
    """Cost of the marginals of a network, estimated before anything is computed.

    Parameters
    ----------
    clique_variables : int
        Number of variables in the largest clique, whose joint table must be held.
    clique_states : float
        Number of entries of that table; infinite if it exceeds all floats.
    table_entries : float
        Number of entries of the tables of all cliques.
    n_bytes : float
        Upper bound on memory.
    seconds : float
        Rough estimate of the time of the first such query on a network, mostly right within a
        factor of 3. Later queries reuse its results and often take far less.

    Examples
    --------
    >>> InferenceCost(3, 8, 20, 240, 1e-6)
    InferenceCost(largest clique: 3 variables with 8 joint states; 20 table entries, 240 bytes, ...)
    """

    clique_variables: int
    clique_states: float
    table_entries: float
    n_bytes: float
    seconds: float

    def __repr__(self) -> str:
        """Return the figures in words."""
        return f"InferenceCost({self})"

    def __str__(self) -> str:
        """Return the figures with their units."""
        return (
            f"largest clique: {_amount(self.clique_variables, 'variable')} with "
            f"{_amount(self.clique_states, 'joint state')}; "
            f"{_amount(self.table_entries, 'table entry', 'table entries')}, "
            f"{bytes_in_words(self.n_bytes)}, about {_seconds_in_words(self.seconds)}"
        )


@dataclass(frozen=True)
class Convergence:
    """Convergence of approximate inference.

    Parameters
    ----------
    is_converged : bool
        Whether messages stopped changing.
    n_sweeps : int
        Number of sweeps, in each of which all messages are sent.
    largest_change : float
        Largest change of a message in the last sweep; the largest number in a message is 1.
    is_exact : bool
        Whether the result is exact, because no cluster had to be split.

    Examples
    --------
    >>> Convergence(True, 2, 0.0, True).is_exact
    True
    """

    is_converged: bool
    n_sweeps: int
    largest_change: float
    is_exact: bool


class Marginals(Mapping[Hashable, "pd.Series[float]"]):
    """Distributions of all variables: a mapping of variable to Series, indexed by state.

    Parameters
    ----------
    indexes : dict of variable to Index
        States of every variable, under its name.
    probabilities : ndarray
        Probabilities of all states of all variables, one after the other.
    convergence : Convergence, optional
        Convergence of an approximation.

    Attributes
    ----------
    convergence : Convergence or None
        Convergence of an approximation; None for exact inference.

    Examples
    --------
    >>> rain = pd.Index(["no", "yes"], name="rain")
    >>> marginals = Marginals({"rain": rain}, np.array([0.8, 0.2]))
    >>> marginals["rain"]["yes"]
    np.float64(0.2)
    >>> marginals.to_frame()
      variable state  probability
    0     rain    no          0.8
    1     rain   yes          0.2
    """

    def __init__(
        self,
        indexes: dict[Hashable, pd.Index[Any]],
        probabilities: npt.NDArray[np.float64],
        *,
        convergence: Convergence | None = None,
    ) -> None:
        self.convergence = convergence
        self._indexes = indexes
        self._probabilities = probabilities
        self._begins: dict[Hashable, int] = {}
        begin = 0
        for variable, index in indexes.items():
            self._begins[variable] = begin
            begin += len(index)

    def __getitem__(self, variable: Hashable) -> pd.Series[float]:
        """Return the distribution of one variable."""
        if variable not in self._indexes:
            raise unknown_variable(variable, [*self._indexes])
        begin, index = self._begins[variable], self._indexes[variable]
        own = self._probabilities[begin : begin + len(index)]
        return pd.Series(own, index=index, name="probability")

    def __iter__(self) -> Iterator[Hashable]:
        """Iterate over the variables."""
        return iter(self._indexes)

    def __len__(self) -> int:
        """Return the number of variables."""
        return len(self._indexes)

    def __repr__(self) -> str:
        """Return the number of variables."""
        return f"Marginals({_amount(len(self), 'variable')})"

    @property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """Probabilities of all states of all variables, one after the other; read-only."""
        flat = self._probabilities.view()
        flat.setflags(write=False)
        return flat

    def to_frame(self) -> pd.DataFrame:
        """Return all distributions in one frame.

        Returns
        -------
        DataFrame
            Columns variable, state and probability; a row per state of every variable.

        Examples
        --------
        >>> Marginals({"rain": pd.Index(["no"])}, np.array([1.0])).to_frame()
          variable state  probability
        0     rain    no          1.0
        """
        names = [variable for variable, index in self._indexes.items() for _ in index]
        states = [state for index in self._indexes.values() for state in index]
        return pd.DataFrame(
            {
                "variable": pd.Series(names, dtype=object).infer_objects(),
                "state": pd.Series(states, dtype=object).infer_objects(),
                "probability": self._probabilities,
            }
        )


def bytes_in_words(n_bytes: float) -> str:
    """Return a number of bytes with a unit that fits."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:,.1f} {unit}" if n_bytes < 1e18 else f"{_power(n_bytes)} bytes"
    return "1 byte" if n_bytes == 1 else f"{n_bytes:.0f} bytes"


def _seconds_in_words(seconds: float) -> str:
    if seconds < 0.01:
        return "a millisecond" if seconds < 0.0015 else f"{seconds * 1000:.0f} milliseconds"
    if seconds > SECONDS_PER_YEAR:
        is_countable = seconds < 1e12
        return f"{seconds / SECONDS_PER_YEAR:,.0f} years" if is_countable else "an age"
    return f"{seconds:,.2g} seconds" if seconds < 100 else f"{seconds:,.0f} seconds"


def _amount(number: float, one: str, many: str | None = None) -> str:
    text = f"{number:,.0f}" if number < 1e15 else _power(number)
    return f"{text} {one}" if number == 1 else f"{text} {many or one + 's'}"


def _power(number: float) -> str:
    return "over 1e308" if math.isinf(number) else f"{number:.1e}"
