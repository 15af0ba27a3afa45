"""Measurements of sections 6 and 8: queries on known networks and on networks learned from them."""

from __future__ import annotations

import math
import multiprocessing
import statistics
import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
from cells import Figures
from run_settings import Cell, RunSettings

import baytree as bt
from baytree.exceptions import InferenceTooLargeError

from .contests import TREEWIDTHS, Budgets, scored_sets
from .tasks import Task, has_stand_ins, network_of

N_OBSERVED = 5
Observed = dict[Hashable, Hashable]
KNOWN = ("andes", "diabetes", "pigs", "link", "munin")
RANDOM = ("r0", "r5", "r10")  # the first of each size
STAND_INS = ("random100", "random200")


def networks(settings: RunSettings) -> tuple[str, ...]:
    if has_stand_ins(settings):
        return STAND_INS
    return settings.pick(full=(*KNOWN, *RANDOM), quick=("andes", "link"))


def query_cell(name: str, settings: RunSettings) -> Cell:
    n_queries = settings.pick(full=100, quick=20)
    budgets = Budgets.of(settings)
    limit = settings.seconds(full=30, quick=10)
    text = (
        f"queries: {name}, {n_queries} queries, {budgets.search:g} s a search, "
        f"{limit:g} s a query at most"
    )
    return Cell(text, partial(measure, name, n_queries, limit, settings))


def measure(name: str, n_queries: int, limit: float, settings: RunSettings) -> Figures:
    """Time marginals and P(e) in the known network and in learned ones; compare their P(e)."""
    known = network_of(name)
    queries = random_evidence(known, n_queries, seed=5)
    truth = _truth(known, queries, limit)
    table = Task(name).learning_rows()
    budgets = Budgets.of(settings, len(table.columns))
    cache = scored_sets(table, max(TREEWIDTHS), budgets.sets)
    models = {}
    for k in TREEWIDTHS:
        result = bt.search_structure(
            cache, max_treewidth=k, search="k-max", time_limit=budgets.search, random_state=0
        )
        models[f"k-max {k}"] = bt.fit_parameters(result, table)
    chordalysis = bt.NetworkLearner(None, search="chordalysis", time_limit=300)
    models["chordalysis"] = chordalysis.fit(table).network_
    figures: Figures = {
        "variables": len(known.variables),
        "known": {
            "marginals": _seconds_of_marginals(known, limit),
            "marginals by ijgp": _seconds_of_marginals(known, limit, engine=bt.IJGP()),
            "query": truth["seconds"],
            "query engine": truth["engine"],
        },
    }
    for model, network in models.items():
        figures[model] = _measured(network, queries, truth["probabilities"], limit)
    return figures


def _measured(
    network: bt.BayesianNetwork,
    queries: Sequence[Observed],
    truth: Sequence[float] | None,
    limit: float,
) -> Figures:
    marginals = _seconds_of_marginals(network, limit)
    by_ijgp = _seconds_of_marginals(network, limit, engine=bt.IJGP())
    answers = [_answer(network, evidence) for evidence in queries]
    seconds = [s for _, s in answers if s is not None]
    figures: Figures = {
        "treewidth": network.treewidth,
        "marginals": marginals,
        "marginals by ijgp": by_ijgp,
        "query": statistics.median(seconds) if seconds else None,
        "slowest query": max(seconds, default=None),
        "mae": None,
    }
    if truth is not None:
        found = [probability for probability, _ in answers]
        figures["mae"] = float(np.abs(np.subtract(found, truth)).mean())
    return figures


def _answer(network: bt.BayesianNetwork, evidence: Observed) -> tuple[float, float | None]:
    """Return P(e) and its seconds; a state that no row had is impossible to a learned network."""
    if any(state not in network.states(name) for name, state in evidence.items()):
        return 0.0, None
    began = time.perf_counter()
    return network.probability(evidence), time.perf_counter() - began


def _seconds_of_marginals(network: bt.BayesianNetwork, limit: float, **engine: Any) -> float | None:
    return seconds_within(limit, partial(_marginals, network, engine))


def _marginals(network: bt.BayesianNetwork, engine: dict[str, Any]) -> None:
    network.marginals(**engine)


def _truth(known: bt.BayesianNetwork, queries: Sequence[Observed], limit: float) -> Figures:
    """Return exact P(e) or, where memory is too small, that of join-graph propagation.

    Neither may take longer than the limit for one query.
    """
    for engine, options in (("exact", {}), ("ijgp", {"engine": bt.IJGP()})):
        seconds = seconds_within(limit, partial(_log_probability, known, queries[0], options))
        if seconds is not None:
            probabilities, times = [], []
            for evidence in queries:
                began = time.perf_counter()
                probabilities.append(math.exp(_log_probability(known, evidence, options)))
                times.append(time.perf_counter() - began)
            median = statistics.median(times)
            return {"probabilities": probabilities, "seconds": median, "engine": engine}
    return {"probabilities": None, "seconds": None, "engine": "none"}


def _log_probability(
    network: bt.BayesianNetwork, evidence: Observed, options: dict[str, Any]
) -> float:
    return network.log_probability(evidence, **options)


def seconds_within(limit: float, call: Callable[[], object]) -> float | None:
    """Return the seconds of a call in a process of its own; None if too long or too large."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_timed, args=(call, sender))
    process.start()
    sender.close()
    has_answer = receiver.poll(limit)
    try:
        seconds: float | None = receiver.recv() if has_answer else None
    except EOFError:  # killed for its memory
        seconds = None
    process.kill()
    process.join()
    return seconds


def _timed(call: Callable[[], object], sender: Any) -> None:
    began = time.perf_counter()
    try:
        call()
    except InferenceTooLargeError:
        sender.send(None)
        return
    sender.send(time.perf_counter() - began)


def random_evidence(network: bt.BayesianNetwork, n_queries: int, seed: int) -> list[Observed]:
    """Return random states of five random variables, however improbable."""
    rng = np.random.default_rng(seed)
    queries = []
    for _ in range(n_queries):
        positions = rng.choice(len(network.variables), N_OBSERVED, replace=False)
        chosen = [network.variables[position] for position in positions]
        states = {name: network.states(name) for name in chosen}
        queries.append({name: own[rng.integers(len(own))] for name, own in states.items()})
    return queries
