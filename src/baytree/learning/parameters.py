"""Parameter learning: probabilities of a structure, by counts or by EM."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from baytree import _core
from baytree.exceptions import InterruptedWarning
from baytree.learning.bin_choice import open_binned
from baytree.learning.cache_search import SearchResult
from baytree.learning.constraints import GivenArcs, check_kind, given_parents
from baytree.messages.arguments import integer_at_least, is_number
from baytree.messages.quoting import shortened
from baytree.messages.user_warnings import warn_user
from baytree.networks.cpts import Cpt
from baytree.networks.decomposition import order_along
from baytree.networks.network import BayesianNetwork
from baytree.networks.row_calls import call_rows
from baytree.runtime.limits import run_control
from baytree.tables.columns import StateCodes
from baytree.tables.containers import Table
from baytree.tables.encoding import TableEncoding
from baytree.tables.inputs import check_columns, open_table
from baytree.tables.variable_encoding import BinNumber
from baytree.tables.weighted_rows import Weights, weighted_rows
from baytree.vocabulary import DEFAULT_MISSING_VALUES

MAX_EM_ITERATIONS = 100
TOLERANCE = 1e-5


@dataclass(frozen=True)
class EstimationSettings:
    """Checked settings of parameter learning."""

    equivalent_sample_size: float = 1.0
    max_em_iterations: int = MAX_EM_ITERATIONS
    tolerance: float = TOLERANCE
    n_jobs: int | None = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be used."""
        not_negative("equivalent_sample_size", self.equivalent_sample_size)
        integer_at_least("max_em_iterations", self.max_em_iterations, 1)
        not_negative("tolerance", self.tolerance)


def learn_cpts(
    codes: StateCodes,
    weights: npt.NDArray[np.float64] | None,
    *,
    arities: Sequence[int],
    parents: Sequence[Sequence[int]],
    elimination_order: Sequence[int],
    settings: EstimationSettings,
) -> list[Cpt]:
    """Return the CPTs; after Ctrl-C those of the last iteration, with a warning."""
    control = run_control(math.inf, None)
    found = call_rows(
        _core.estimate_network,
        codes,
        arities=list(arities),
        parents=[sorted(members) for members in parents],
        elimination_order=list(elimination_order),
        weights=weights,
        equivalent_sample_size=float(settings.equivalent_sample_size),
        max_iterations=int(settings.max_em_iterations),
        tolerance=float(settings.tolerance),
        initial=None,
        n_jobs=settings.n_jobs,
        control=control,
    )
    if control.is_interrupted:
        if not found.objectives:  # not even counts are complete
            raise KeyboardInterrupt
        message = "Interrupted: the probabilities of the last complete iteration are returned."
        warn_user(message, InterruptedWarning)
    return cpts_of(found, arities)


def cpts_of(network: _core.EstimatedNetwork, arities: Sequence[int]) -> list[Cpt]:
    """Return the CPTs of a network, one row for each joint state of the parents."""
    return [table.reshape(-1, arity) for table, arity in zip(network.tables, arities, strict=True)]


def not_negative(argument: str, value: object) -> float:
    """Return a finite number of at least 0."""
    if not is_number(value) or not 0 <= value < math.inf:
        raise ValueError(
            f"{argument} must be a finite number of at least 0; got {shortened(value)}."
        )
    return float(value)


def fit_parameters(
    structure: BayesianNetwork | SearchResult | GivenArcs,
    table: Table,
    *,
    equivalent_sample_size: float = 1.0,
    sample_weight: Weights | None = None,
    max_em_iterations: int = MAX_EM_ITERATIONS,
    tolerance: float = TOLERANCE,
    n_bins: BinNumber = "auto",
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    n_jobs: int | None = 1,
) -> BayesianNetwork:
    """Return a network with the arcs of a structure and the probabilities of a table.

    Parameters
    ----------
    structure : BayesianNetwork, SearchResult, mapping or iterable of pairs
        The arcs and their tree decomposition. States are those of the structure, if it has them,
        else those of the table. Arcs alone, as parents by variable or as pairs (parent, child),
        are arcs among the variables of the table.
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows of the structure's variables. Cells may be missing.
    equivalent_sample_size : float, default=1.0
        Weight of the prior in rows, spread evenly over the entries of each table, as in BDeu; 0
        for maximum likelihood.
    sample_weight : sequence of float, optional
        Weight of each row, by position.
    max_em_iterations : int, default=100
        Maximum number of EM iterations, where cells are missing.
    tolerance : float, default=1e-5
        EM ends when an iteration gains less than this, in nats per row. The likelihood is then
        close to its maximum, but probabilities given rare states of the parents may still be off by
        some hundredths; 0 goes on to `max_em_iterations`.
    n_bins : int, "auto" or "error", default="auto"
        Bins of numeric variables without known states: a number of bins of equal numbers of
        rows, or as many as tell about other variables, with edges chosen by the data. "error"
        refuses such variables.
    missing_values : iterable of str
        Words that mean missing in cells of text, in files and in memory, if states are not known;
        [] for none. The empty cell of a file is always missing.
    n_jobs : int or None, default=1
        Threads; -1 for all processors, None for 1. The result does not depend on them.

    Returns
    -------
    BayesianNetwork
        Same arcs, decomposition and score as the structure. After Ctrl-C, with the probabilities
        of the last complete iteration of EM.

    Raises
    ------
    TableError
        If the table lacks a variable, has one too many, or has no observed cell of one.
    UnknownVariableError
        If parents or pairs name something that is not a variable of the table.
    UnknownStateError
        If a cell has a state that the structure lacks.
    InferenceTooLargeError
        If the missing cells of a row need more than a thread's share of a quarter of the
        machine's memory.
    ValueError
        If an argument cannot be used; the message names it.

    Warns
    -----
    InterruptedWarning
        If Ctrl-C ended EM.

    See Also
    --------
    NetworkLearner : Learns the structure too.

    Notes
    -----
    With missing cells, EM starts from the rows where a variable and its parents are observed, and
    uses exact expected counts of every family. The log-likelihood of the observed cells plus the
    logarithm of the prior never falls.

    Given states of the parents that never occur together, a variable without prior has its
    distribution in the whole table.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> structure = bt.BayesianNetwork(["rain", "wet"], [("rain", "wet")])
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1], "wet": ["no", "no", "yes", None]})
    >>> bt.fit_parameters(structure, table).cpt("wet").round(2)
    wet     no   yes
    rain
    0     0.90  0.10
    1     0.17  0.83
    >>> bt.fit_parameters({"wet": ["rain"]}, table).arcs
    (('rain', 'wet'),)
    """
    settings = EstimationSettings(equivalent_sample_size, max_em_iterations, tolerance, n_jobs)
    if hasattr(structure, "columns") or hasattr(structure, "column_names"):
        raise ValueError(
            f"structure must come first, then the table; got a {type(structure).__name__} first."
        )
    given = structure.network if isinstance(structure, SearchResult) else structure
    check_kind(given, "structure", "a BayesianNetwork, a SearchResult")
    if isinstance(given, BayesianNetwork) and given.has_states:
        network, encoding = given, given._encoding
        codes = open_table(table, encoding, n_jobs=n_jobs).codes
    else:
        opened = open_binned(
            table,
            n_bins,
            missing_words=missing_values,
            sample_weight=sample_weight,
            n_jobs=n_jobs,
        )
        encoding, codes = opened.encoding, opened.codes
        network = _network_of(given, encoding)
    rows = weighted_rows(encoding.variables, encoding.arities, codes, sample_weight)
    names, position = encoding.variables, encoding.position
    cpts = learn_cpts(
        rows.codes,
        rows.weights,
        arities=encoding.arities.tolist(),
        parents=[[position(parent) for parent in network.parents(name)] for name in names],
        elimination_order=[position(name) for name in order_along(network.decomposition)],
        settings=settings,
    )
    return BayesianNetwork._from_encoding(
        encoding,
        network.arcs,
        cpts=dict(zip(names, cpts, strict=True)),
        decomposition=network.decomposition,
        score=network.score,
    )


def _network_of(structure: BayesianNetwork | GivenArcs, encoding: TableEncoding) -> BayesianNetwork:
    """Return a network over the variables of a table."""
    if isinstance(structure, BayesianNetwork):
        _check_variables(structure, encoding)
        return structure
    names = encoding.variables
    parents = given_parents(structure, names, "structure")
    arcs = [(names[p], names[child]) for child, members in enumerate(parents) for p in members]
    return BayesianNetwork(names, arcs)


def _check_variables(structure: BayesianNetwork, encoding: TableEncoding) -> None:
    absent = [name for name in structure.variables if name not in encoding.variables]
    extra = [name for name in encoding.variables if name not in structure.variables]
    check_columns(absent, extra)
