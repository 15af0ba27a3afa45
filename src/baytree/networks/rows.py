"""What a network says about the rows of a table, whatever is missing in them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from baytree import _core
from baytree.messages.arguments import integer_at_least, one_of
from baytree.networks.base import NetworkBase
from baytree.networks.evidence import Evidence, encode_evidence
from baytree.networks.row_calls import answer_rows
from baytree.networks.row_sampling import NetworkTables, drawn_rows
from baytree.networks.score_rules import score_rule
from baytree.networks.state_indexes import grouped_index, state_index
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.containers import Table
from baytree.tables.encoding import StateCodes
from baytree.tables.variable_encoding import UnknownPolicy
from baytree.tables.weighted_rows import refuse_gaps, weighted_rows

CompletionName: TypeAlias = Literal["joint", "independent"]

COMPLETIONS = {"joint": _core.Completion.joint, "independent": _core.Completion.independent}
_BIC_REMEDY = (
    "The BIC of a structure counts complete rows. Fill the cells (impute), or drop the rows."
)


class NetworkRows(NetworkBase):
    """Methods of `BayesianNetwork` that take whole tables, or make them."""

    def log_likelihood(
        self, table: Table, *, unknown: UnknownPolicy = "error", n_jobs: int | None = 1
    ) -> npt.NDArray[np.float64]:
        """Return the log probability of what is observed in each row.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows of the network's variables. Missing cells are summed out exactly. No rows give no
            numbers; a file must have rows.
        unknown : {"error", "missing"}, default="error"
            What to do with a state that the variable does not have.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1. The result does not depend on them.

        Returns
        -------
        ndarray of float, shape (n_rows,)
            Natural logarithms; minus infinity for a row that the network holds impossible, and 0
            for one in which nothing is observed.

        Raises
        ------
        TableError
            If the table lacks a variable or holds one too many.
        UnknownStateError
            If a cell holds a state that its variable does not have, unless that is missing.
        InferenceTooLargeError
            If the missing cells of a row need more than a thread's share of a quarter of the
            machine's memory.
        ValueError
            If the network has a structure alone.

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
        codes = self._encoding.encode(table, unknown=unknown, may_be_empty=True)
        return self._log_likelihoods(codes, n_jobs)

    def predict(
        self,
        table: Table,
        target: Any,
        *,
        unknown: UnknownPolicy = "error",
        n_jobs: int | None = 1,
    ) -> Any:
        """Return the most probable state of a variable in each row.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows of the network's variables; other cells may be missing. The target's own column
            is not looked at, and may be absent. No rows give no labels; a file must have rows.
        target : hashable, or list of them
            The variable to predict, or several, each on its own.
        unknown : {"error", "missing"}, default="error"
            What to do with a state that the variable does not have.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1.

        Returns
        -------
        Series, DataFrame or ndarray
            Labels of states: a Series with the index of the table if that is a pandas frame,
            else an ndarray. For a list of targets a DataFrame, or an ndarray of two dimensions.
            Of equally probable states the first.

        Raises
        ------
        UnknownVariableError
            If a target is no variable.
        TableError
            If the table lacks another variable or holds one too many.
        UnknownStateError
            If a cell holds a state that its variable does not have, unless that is missing.
        InferenceTooLargeError
            If the missing cells of a row need more than a thread's share of a quarter of the
            machine's memory.
        ValueError
            If the network has a structure alone.

        See Also
        --------
        BayesianNetwork.impute : Fills all missing cells.

        Notes
        -----
        In a row that the network holds impossible, evidence that contradicts itself is not used.

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
        targets, is_one = self._targets(target)
        labels = {
            name: state_index(name, self.states(name)).take(marginals.argmax(axis=1))
            for name, marginals in self._marginals(table, targets, unknown, n_jobs).items()
        }
        index = _row_index(table)
        if is_one:
            found = labels[target]
            return found.to_numpy() if index is None else pd.Series(found, index, name=target)
        frame = pd.DataFrame(labels, index=index)
        frame.columns = pd.Index(targets, tupleize_cols=False)
        return frame.to_numpy() if index is None else frame

    def predict_proba(
        self,
        table: Table,
        target: Any,
        *,
        unknown: UnknownPolicy = "error",
        n_jobs: int | None = 1,
    ) -> pd.DataFrame:
        """Return the probability of every state of a variable in each row.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows of the network's variables, as for `predict`.
        target : hashable, or list of them
            The variable, or several, each on its own.
        unknown : {"error", "missing"}, default="error"
            What to do with a state that the variable does not have.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1.

        Returns
        -------
        DataFrame
            A row for each of the table, with its index if it is a pandas frame, and a column for
            each state. For a list of targets, columns of (variable, state).

        Raises
        ------
        UnknownVariableError
            If a target is no variable.
        TableError
            If the table lacks another variable or holds one too many.
        UnknownStateError
            If a cell holds a state that its variable does not have, unless that is missing.
        InferenceTooLargeError
            If the missing cells of a row need more than a thread's share of a quarter of the
            machine's memory.
        ValueError
            If the network has a structure alone.

        Notes
        -----
        In a row that the network holds impossible, evidence that contradicts itself is not used:
        the probabilities are then those without evidence.

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
        targets, is_one = self._targets(target)
        marginals = self._marginals(table, targets, unknown, n_jobs)
        states = {name: self.states(name) for name in targets}
        columns: pd.Index[Any] = grouped_index(states, ("variable", "state"))
        if is_one:
            columns = state_index(target, states[target])
        cells = np.concatenate([marginals[name] for name in targets], axis=1)
        return pd.DataFrame(cells, index=_row_index(table), columns=columns)

    def impute(
        self, table: Table, method: CompletionName = "joint", *, n_jobs: int | None = 1
    ) -> Any:
        """Return the table with its missing cells filled.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows of the network's variables. A table without rows comes back as it is; a file must
            have rows.
        method : {"joint", "independent"}, default="joint"
            Fill a row with the most probable joint states of all its missing cells, or each cell
            with its own most probable state.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1. The result does not depend on them.

        Returns
        -------
        table
            Same container, dtypes and index as `table`; a pandas frame for a file. Observed cells
            are untouched. Where states are equally probable, one of them is taken, always the
            same.

        Raises
        ------
        TableError
            If the table lacks a variable or holds one too many.
        UnknownStateError
            If a cell holds a state that its variable does not have.
        InferenceTooLargeError
            If the missing cells of a row need more than a thread's share of a quarter of the
            machine's memory.
        ValueError
            If the network has a structure alone, or there is no such method.

        Notes
        -----
        Missing cells that depend on observed ones which the network holds impossible get the most
        probable state of their variable without evidence.

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
        one_of("method", method, tuple(COMPLETIONS))
        self._known_cpts()
        codes = self._encoding.encode(table, may_be_empty=True)
        return self._encoding.fill(table, self._completed(codes, method, n_jobs))

    def sample(
        self,
        n: int,
        evidence: Evidence | None = None,
        random_state: Seed = None,
        *,
        n_jobs: int | None = 1,
    ) -> pd.DataFrame:
        """Return rows drawn from the network.

        Parameters
        ----------
        n : int
            Number of rows.
        evidence : mapping of variable to state, optional
            Draw from the exact distribution given these states. A dict of likelihoods by state in
            place of a state is virtual evidence.
        random_state : int, RandomState instance or None, default=None
            Seed; None for a new one every time.
        n_jobs : int or None, default=1
            Threads; -1 for all processors, None for 1. The rows do not depend on them.

        Returns
        -------
        DataFrame
            The rows, with the dtypes of the table that the network was learned from if that was
            a pandas frame. Variables that were cut into bins hold the medians of their bins.

        Raises
        ------
        UnknownVariableError, UnknownStateError
            If the evidence names a variable or a state that does not exist.
        ImpossibleEvidenceError
            If the evidence has probability zero.
        InferenceTooLargeError
            If the evidence needs more than a quarter of the machine's memory.
        ValueError
            If the network has a structure alone.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
        ...     [("rain", "wet")],
        ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> rows = network.sample(1000, {"wet": "yes"}, random_state=0)
        >>> bool(0.6 < (rows["rain"] == "yes").mean() < 0.73)
        True
        """
        n_rows = integer_at_least("n", n, 0)
        self._known_cpts()
        codes = drawn_rows(
            self._row_network,
            self._tables,
            encode_evidence(self._encoding, evidence),
            n_rows=n_rows,
            seed=drawn_seed(random_state),
            n_jobs=n_jobs,
        )
        return self._encoding.decode_frame(codes)

    def bic(self, table: Table) -> float:
        """Return the BIC of the structure on a table.

        Parameters
        ----------
        table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
            Rows of the network's variables, at least one. No cell may be missing.

        Returns
        -------
        float
            Log-likelihood with maximum-likelihood counts of this table, less log(N)/2 for each free
            probability. The network's own probabilities, if it has any, do not matter.

        Raises
        ------
        MissingCellError
            If cells are missing.
        TableError
            If the table lacks a variable or holds one too many.
        UnknownStateError
            If a cell holds a state that its variable does not have.
        ValueError
            If the states of the variables are not known.

        Examples
        --------
        >>> import baytree as bt
        >>> network = bt.BayesianNetwork({"rain": ["no", "yes"]})
        >>> round(network.bic(pd.DataFrame({"rain": ["no", "no", "yes", "yes"]})), 3)
        -3.466
        """
        codes = self._encoding.encode(table)
        rows = weighted_rows(self.variables, self._encoding.arities, codes, None)
        refuse_gaps(rows.n_missing, rows.variables, remedy=_BIC_REMEDY)
        scorer = _core.FamilyScorer(rows.dataset(), **score_rule("bic", 1.0), n_table_entries=0)
        return float(
            sum(
                scorer.score(child, parents) for child, parents in enumerate(self._parent_positions)
            )
        )

    @property
    def _tables(self) -> NetworkTables:
        return NetworkTables(
            self._encoding.arities.tolist(),
            self._parent_positions,
            self._known_cpts(),
            self._elimination_order,
        )

    @cached_property
    def _row_network(self) -> _core.RowNetwork:
        """The network with all that rows look up, as the core takes it."""
        return _core.RowNetwork(self._tabular, elimination_order=self._elimination_order)

    _made_again = frozenset({"_row_network"})

    def _log_likelihoods(self, codes: StateCodes, n_jobs: int | None) -> npt.NDArray[np.float64]:
        return answer_rows(_core.log_likelihoods, self._row_network, codes, n_jobs=n_jobs)

    def _completed(
        self, codes: StateCodes, method: CompletionName, n_jobs: int | None
    ) -> StateCodes:
        return answer_rows(
            _core.complete_rows,
            self._row_network,
            codes,
            completion=COMPLETIONS[method],
            n_jobs=n_jobs,
        )

    def _marginals(
        self,
        table: Table,
        targets: Sequence[Hashable],
        unknown: UnknownPolicy,
        n_jobs: int | None,
    ) -> dict[Hashable, npt.NDArray[np.float64]]:
        """Return the distributions of variables, of which each is hidden from the others."""
        self._known_cpts()
        codes = self._encoding.encode(table, hidden=targets, unknown=unknown, may_be_empty=True)
        positions = sorted(self._positions[name] for name in targets)
        found = answer_rows(
            _core.target_marginals, self._row_network, codes, targets=positions, n_jobs=n_jobs
        )
        by_position = dict(zip(positions, found, strict=True))
        return {
            name: by_position[self._positions[name]].reshape(len(codes), len(self.states(name)))
            for name in targets
        }


def _row_index(table: Any) -> pd.Index[Any] | None:
    return table.index if isinstance(table, pd.DataFrame) else None
