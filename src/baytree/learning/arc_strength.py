"""Arc strength: the fraction of bootstrap networks that have an arc."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from sklearn.base import clone

from baytree.exceptions import InterruptedWarning
from baytree.learning.bin_choice import open_binned
from baytree.learning.constraints import check_reusable
from baytree.learning.learner import NetworkLearner
from baytree.messages.arguments import integer_at_least, one_of, verbosity
from baytree.messages.quoting import shortened
from baytree.messages.user_warnings import warn_user
from baytree.networks.arcs import Arc
from baytree.networks.cpdag import Cpdag
from baytree.runtime.limits import thread_count
from baytree.runtime.pool import InterruptiblePool
from baytree.runtime.progress import progress_bar
from baytree.runtime.seeds import Seed, drawn_seed
from baytree.tables.containers import Table, as_table
from baytree.tables.weighted_rows import bootstrap_weights

GraphName: TypeAlias = Literal["cpdag", "dag"]


def arc_strength(
    table: Table,
    n_bootstraps: int = 100,
    *,
    learner: NetworkLearner | None = None,
    graph: GraphName = "cpdag",
    n_jobs: int | None = 1,
    random_state: Seed = None,
    verbose: int = 0,
) -> pd.DataFrame:
    """Return the strength of arcs: the fraction of bootstrap networks that have them.

    A bootstrap is a sample of as many rows as the table has, drawn with replacement. A network is
    learned from each. Arcs of most networks are supported by the table; arcs of a few networks
    are there by chance.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows are data points, columns are variables. Cells may be missing.
    n_bootstraps : int, default=100
        Networks to learn.
    learner : NetworkLearner, optional
        Learner whose settings are used, except `random_state` and `verbose`; it is not fitted. By
        default ``NetworkLearner(search="hill-climb")``.
    graph : {"cpdag", "dag"}, default="cpdag"
        Arcs to count: those of the equivalence classes of the networks, where an arc without
        direction counts half for each way, or those of the networks. "dag" shows directions set
        by tiers or required arcs.
    n_jobs : int or None, default=1
        Networks to learn at the same time, each with the threads of `learner`; -1 for one per
        processor, None for 1. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws and of the searches; None for a new one every time.
    verbose : int, default=0
        Above 0, show progress, as in `NetworkLearner`.

    Returns
    -------
    DataFrame
        Two rows for every pair of variables that some network connects, the strongest first.
        Columns: from, to, strength (fraction of the networks that connect the pair) and direction
        (fraction of these with an arc this way). All other pairs have strength 0.

    Raises
    ------
    TableError
        If the table cannot be encoded, or has a variable without a single observed cell.
    KeyboardInterrupt
        If Ctrl-C came before the first network was learned.
    ValueError
        If an argument or a setting of the learner cannot be used; the message names it.

    Warns
    -----
    InterruptedWarning
        If Ctrl-C ended it; the fractions are those of the networks learned so far.

    See Also
    --------
    BayesianNetwork.plot : Draws arcs as thick as they are strong.

    Notes
    -----
    The time is `n_bootstraps` times that of one network. A `time_limit` of the learner holds for
    each network and makes the result depend on the speed of the machine; `max_iterations` does
    not. The method is that of [friedman-bootstrap], as in ``boot.strength`` of bnlearn.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> bt.arc_strength(table, 20, random_state=0)
       from    to  strength  direction
    0  rain   wet       1.0        0.5
    1   wet  rain       1.0        0.5
    """
    n_networks = integer_at_least("n_bootstraps", n_bootstraps, 1)
    one_of("graph", graph, ("cpdag", "dag"))
    n_threads, is_shown = thread_count(n_jobs), verbosity(verbose) > 0
    model = _checked_learner(learner)
    own_threads = max(thread_count(model.n_jobs) // n_threads, 1)
    opened = open_binned(
        as_table(table),
        model.n_bins,
        missing_words=model.missing_values,
        ignore=model.ignore,
    )
    encoding, codes = opened.encoding, opened.codes

    def learned(seed: int) -> Cpdag:
        own = clone(model).set_params(random_state=seed, verbose=0, n_jobs=own_threads)
        own._fit_codes(encoding, codes, bootstrap_weights(codes, seed))
        network = own.network_
        return network.to_cpdag() if graph == "cpdag" else Cpdag((), network.arcs, ())

    random = np.random.RandomState(drawn_seed(random_state))
    seeds = random.randint(1, np.iinfo(np.int32).max, size=n_networks).tolist()
    with progress_bar("Learning networks", "networks", shown=is_shown) as on_progress:
        graphs, is_interrupted = InterruptiblePool(learned, seeds).run(n_threads, on_progress)
    if is_interrupted:
        _report_interrupt(len(graphs), n_networks)
    return _strength_frame(encoding.variables, graphs)


def _checked_learner(learner: object) -> NetworkLearner:
    if learner is None:
        return NetworkLearner(search="hill-climb")
    if not isinstance(learner, NetworkLearner):
        raise ValueError(f"learner must be a NetworkLearner or None; got {shortened(learner)}.")
    check_reusable(learner.initial_network)
    return learner


def _report_interrupt(n_learned: int, n_networks: int) -> None:
    if n_learned == 0:
        raise KeyboardInterrupt
    warn_user(
        f"Interrupted: the strengths are fractions of {n_learned:,} networks, not of "
        f"{n_networks:,}.",
        InterruptedWarning,
    )


def _strength_frame(variables: Sequence[Hashable], graphs: Sequence[Cpdag]) -> pd.DataFrame:
    """Return the strengths of all pairs that some graph connects."""
    halves = _counted_halves(graphs)
    place = {name: position for position, name in enumerate(variables)}
    arcs = {arc for a, b in halves for arc in ((a, b), (b, a))}
    both = {(a, b): halves[a, b] + halves[b, a] for a, b in arcs}

    def rank(arc: Arc) -> tuple[int, ...]:
        pair = sorted(place[end] for end in arc)
        return (-both[arc], *pair, -halves[arc], place[arc[0]])

    order = sorted(arcs, key=rank)
    most = 2 * len(graphs)
    return pd.DataFrame(
        {
            "from": [first for first, _ in order],
            "to": [second for _, second in order],
            "strength": np.array([both[arc] / most for arc in order], dtype=np.float64),
            "direction": np.array([halves[arc] / both[arc] for arc in order], dtype=np.float64),
        }
    )


def _counted_halves(graphs: Iterable[Cpdag]) -> Counter[Arc]:
    """Return twice the number of arcs each way; an edge is half an arc each way."""
    halves: Counter[Arc] = Counter()
    for graph in graphs:
        for arc in graph.arcs:
            halves[arc] += 2
        for first, second in graph.edges:
            halves[first, second] += 1
            halves[second, first] += 1
    return halves
