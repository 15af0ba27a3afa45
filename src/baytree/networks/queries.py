"""Questions to a network: posteriors, probabilities of evidence, most probable states."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, Literal, NoReturn, TypeAlias

import pandas as pd

from baytree import _core
from baytree.exceptions import ImpossibleEvidenceError
from baytree.messages.arguments import positive_number
from baytree.messages.quoting import quoted, shortened
from baytree.networks.base import NetworkBase
from baytree.networks.engines import IJGP, ExactEngine, InferenceEngine, JoinGraphEngine
from baytree.networks.evidence import EncodedEvidence, Evidence, encode_evidence
from baytree.networks.query_results import InferenceCost, Marginals, MostProbable
from baytree.networks.state_indexes import joint_index, state_index
from baytree.runtime.memory import available_memory

Engine: TypeAlias = Literal["exact"] | IJGP
_MAX_KEPT_BYTES = 2**28  # of tables, from one query to the next


class NetworkQueries(NetworkBase):
    """Single queries, answered exactly or, where that is too large, by an approximation."""

    _made_again = frozenset({"_exact_inference", "_join_graph_inference"})

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
            What was observed. A variable that is None or NaN was not. A mapping of every state to
            its likelihood in place of a state, or such a Series, is virtual evidence.
        engine : "exact" or IJGP, default="exact"
            `IJGP(i_bound=...)` is iterative join-graph propagation, an approximation for networks
            whose exact inference is too large; it takes one target.
        max_memory : float, optional
            Bytes that the query may use; a quarter of the machine's memory if not given.

        Returns
        -------
        Series of float
            Probabilities, indexed by the states of the variable, or by those of all targets in a
            MultiIndex. A target that is observed has its state with probability 1. An
            approximation has a `Convergence` in `attrs["convergence"]`. States that are equal in
            Python, as 0 and False, stay apart, but `loc` finds them together: go by `iloc`.

        Raises
        ------
        ImpossibleEvidenceError
            If the evidence has probability zero.
        InferenceTooLargeError
            If the query needs more memory than it may use.
        UnknownVariableError
            If there is no variable of such a name.
        UnknownStateError
            If a variable has no such state.

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
        targets, is_one = self._targets(target)
        encoded = encode_evidence(self._encoding, evidence)
        positions = [self._positions[name] for name in targets]
        asked = self._engine(engine, max_memory)
        probabilities = asked.posterior(positions, encoded)
        if not len(probabilities):
            self._raise_impossible(encoded)
        index = (
            self._state_indexes[targets[0]]
            if is_one
            else joint_index({name: self._encoded_states[name] for name in targets})
        )
        series = pd.Series(probabilities, index=index, name="probability", copy=False)
        if asked.convergence is not None:
            series.attrs["convergence"] = asked.convergence
        return series

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
            What was observed, as for `posterior`.
        engine : "exact" or IJGP, default="exact"
            As for `posterior`.
        max_memory : float, optional
            Bytes that the query may use; a quarter of the machine's memory if not given.

        Returns
        -------
        Marginals
            A mapping of variable to Series, indexed by state. `to_frame` has all in one frame, and
            `convergence` says how an approximation came to rest.

        Raises
        ------
        ImpossibleEvidenceError
            If the evidence has probability zero.
        InferenceTooLargeError
            If the query needs more memory than it may use.

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
        encoded = encode_evidence(self._encoding, evidence)
        asked = self._engine(engine, max_memory)
        probabilities = asked.marginals(encoded)
        if not len(probabilities):
            self._raise_impossible(encoded)
        return Marginals(self._state_indexes, probabilities, convergence=asked.convergence)

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
            What was observed, as for `posterior`. With virtual evidence, the likelihood that is
            expected.
        engine : "exact" or IJGP, default="exact"
            As for `posterior`.
        max_memory : float, optional
            Bytes that the query may use; a quarter of the machine's memory if not given.

        Returns
        -------
        float
            The probability; 0.0 if the evidence is impossible, or less probable than any float. By
            `IJGP` an estimate, which is no bound.

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
        encoded = encode_evidence(self._encoding, evidence)
        asked = self._engine(engine, max_memory)
        return asked.probability(encoded)[0]

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
            What was observed, as for `posterior`.
        engine : "exact" or IJGP, default="exact"
            As for `posterior`.
        max_memory : float, optional
            Bytes that the query may use; a quarter of the machine's memory if not given.

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
        encoded = encode_evidence(self._encoding, evidence)
        asked = self._engine(engine, max_memory)
        return asked.probability(encoded)[1]

    def most_probable(
        self, evidence: Evidence | None = None, *, max_memory: float | None = None
    ) -> MostProbable:
        """Return the most probable states of all variables together, given evidence.

        Parameters
        ----------
        evidence : mapping of variable to state, optional
            What was observed, as for `posterior`.
        max_memory : float, optional
            Bytes that the query may use; a quarter of the machine's memory if not given.

        Returns
        -------
        MostProbable
            `assignment`, a dict with a state for every variable, and `log_probability` of these
            states. Of states that are equally probable, the same are returned every time.

        Raises
        ------
        ImpossibleEvidenceError
            If the evidence has probability zero.
        InferenceTooLargeError
            If the query needs more memory than it may use.

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
        encoded = encode_evidence(self._encoding, evidence)
        codes, log_probability = self._exact_engine(max_memory).most_probable(encoded)
        if log_probability == float("-inf"):
            self._raise_impossible(encoded)
        states = self._encoded_states
        assignment = {
            variable: states[variable][code]
            for variable, code in zip(self._variables, codes, strict=True)
        }
        return MostProbable(assignment, log_probability)

    def inference_cost(self, evidence: Evidence | None = None) -> InferenceCost:
        """Return what `marginals` takes, before anything is computed.

        Parameters
        ----------
        evidence : mapping of variable to state, optional
            What will be observed; it makes tables smaller.

        Returns
        -------
        InferenceCost
            Largest clique, table entries, bytes and estimated seconds. Other queries usually take
            less: what does not bear on them is left out.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.75, 0.25], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> network.inference_cost().table_entries
        4
        >>> network.inference_cost({"rain": "yes"}).table_entries
        2
        """
        return self._exact_engine(None).cost(encode_evidence(self._encoding, evidence))

    @cached_property
    def _exact_inference(self) -> _core.ExactInference:
        return _core.ExactInference(
            self._tabular, order=self._elimination_order, max_kept_bytes=_MAX_KEPT_BYTES
        )

    @cached_property
    def _join_graph_inference(self) -> _core.JoinGraphInference:
        return _core.JoinGraphInference(self._tabular, order=self._elimination_order)

    def _exact_engine(self, max_memory: float | None) -> ExactEngine:
        return ExactEngine(self._exact_inference, _bytes_allowed(max_memory))

    def _engine(self, engine: Engine, max_memory: float | None) -> InferenceEngine:
        if isinstance(engine, IJGP):
            return JoinGraphEngine(self._join_graph_inference, _bytes_allowed(max_memory), engine)
        if engine != "exact":
            raise ValueError(
                f'engine must be "exact" or an IJGP object, as in engine=IJGP(i_bound=6); '
                f"got {shortened(engine)}."
            )
        return self._exact_engine(max_memory)

    @cached_property
    def _state_indexes(self) -> dict[Hashable, pd.Index[Any]]:
        return {
            variable: state_index(variable, states)
            for variable, states in self._encoded_states.items()
        }

    def _raise_impossible(self, evidence: EncodedEvidence) -> NoReturn:
        observed = {
            self._variables[position]: self._encoded_states[self._variables[position]][code]
            for position, code in evidence.states
        }
        virtual = [self._variables[position] for position, _ in evidence.likelihoods]
        what = f"evidence {shortened(observed)}" if observed else "virtual evidence"
        also = f" with the likelihoods of {quoted(virtual)}" if virtual else ""
        raise ImpossibleEvidenceError(
            f"The {what}{also} has probability zero, so nothing follows from it. Look for states "
            "that exclude each other."
        )


def _bytes_allowed(max_memory: float | None) -> float:
    if max_memory is None:
        return available_memory() / 4
    return positive_number("max_memory", max_memory, "bytes")
