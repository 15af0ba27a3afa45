import math
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baytree import _core
from baytree.networks.decomposition import order_along
from baytree.networks.evidence import encode_evidence
from inference_oracle import (
    brute_force_marginals,
    brute_force_most_probable,
    brute_force_posterior,
    brute_force_probability,
    random_cpt,
    random_evidence,
    random_network,
    small_networks,
)

KEPT_BYTES = [0.0, math.inf]  # trees of their own for every query, or one tree for all


class Asked:
    """The core's exact inference with evidence by name."""

    def __init__(self, network, kept_bytes):
        self.network = network
        order = [network.variables.index(v) for v in order_along(network.decomposition)]
        self.core = _core.ExactInference(network._tabular, order=order, max_kept_bytes=kept_bytes)

    def ask(self, query, *args, evidence=None, max_bytes=math.inf):
        found = encode_evidence(self.network._encoding, evidence)
        options = {"max_bytes": max_bytes, "control": _core.RunControl()}
        return getattr(self.core, query)(*args, found.states, found.likelihoods, **options)


@pytest.mark.parametrize("kept_bytes", KEPT_BYTES)
@given(network=small_networks(max_variables=7), seed=st.integers(0, 2**32 - 1))
def test_both_ways_equal_sums_over_all_joint_states(kept_bytes, network, seed):
    evidence = random_evidence(np.random.default_rng(seed), network, share=0.3)
    asked = Asked(network, kept_bytes)
    expected = brute_force_probability(network, evidence)
    probability, _ = asked.ask("probability", evidence=evidence)
    assert probability == pytest.approx(expected, rel=1e-12, abs=0)
    marginals = asked.ask("marginals", evidence=evidence)
    if expected == 0:
        assert marginals.size == 0
        assert asked.ask("posterior", [0], evidence=evidence).size == 0
        return
    by_name = brute_force_marginals(network, evidence)
    assert marginals == pytest.approx(np.concatenate([*by_name.values()]), abs=1e-14)
    for position, single in enumerate(by_name.values()):
        posterior = asked.ask("posterior", [position], evidence=evidence)
        assert posterior == pytest.approx(single, abs=1e-14)


def long_network(rng, n_variables=60, width=3):
    """Every variable has a few of those just before it as parents."""
    parents = [
        sorted(rng.choice(range(max(0, v - 5), v), min(v, width, 5), replace=False).tolist())
        for v in range(n_variables)
    ]
    arities = rng.integers(1, 4, n_variables)
    tables = [random_cpt(rng, [*arities[p], arities[v]]) for v, p in enumerate(parents)]
    core = _core.TabularNetwork(
        arities.tolist(), parents=parents, tables=[table.ravel() for table in tables]
    )
    return core, arities


def test_one_kept_tree_equals_trees_of_their_own_on_larger_networks():
    rng = np.random.default_rng(7)
    core, arities = long_network(rng)
    n = len(arities)
    kept, own = (
        _core.ExactInference(core, order=list(range(n)), max_kept_bytes=kept_bytes)
        for kept_bytes in (math.inf, 0.0)
    )
    for _ in range(40):
        observed = rng.choice(n, 6, replace=False).tolist()
        states = [(v, int(rng.integers(arities[v]))) for v in observed[:4]]
        likelihoods = [(v, rng.random(arities[v]).tolist()) for v in observed[4:5]]
        options = {"max_bytes": math.inf, "control": _core.RunControl()}
        for query, args in (
            ("probability", ()),
            ("marginals", ()),
            ("posterior", ([observed[5]],)),
        ):
            answers = [
                getattr(engine, query)(*args, states, likelihoods, **options)
                for engine in (kept, own)
            ]
            assert answers[0] == pytest.approx(answers[1], rel=1e-10)


def test_joint_posteriors_of_targets_far_apart():
    rng = np.random.default_rng(1)
    network = random_network(rng, 8, max_states=3, max_parents=2)
    for _ in range(20):
        evidence = random_evidence(rng, network, share=0.2)
        positions = rng.permutation(8)[:3].tolist()
        names = [network.variables[position] for position in positions]
        found = Asked(network, 0.0).ask("posterior", positions, evidence=evidence)
        assert found == pytest.approx(brute_force_posterior(network, names, evidence).ravel())


def test_equally_probable_states_are_chosen_the_same_every_time():
    network = random_network(np.random.default_rng(2), 6)
    uniform = {v: np.ones_like(network.cpt(v)) / len(network.states(v)) for v in network.variables}
    tied = type(network)(
        {v: network.states(v) for v in network.variables}, network.arcs, cpts=uniform
    )
    answers = [Asked(tied, kept).ask("most_probable") for kept in (0.0, math.inf, 0.0)]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][1] == pytest.approx(math.log(brute_force_most_probable(tied)[1]))


def test_the_price_of_marginals_is_what_they_are_allowed():
    core, _ = long_network(np.random.default_rng(0))
    engine = _core.ExactInference(core, order=list(range(60)), max_kept_bytes=0.0)
    control = _core.RunControl()
    price = engine.cost([], [], control=control)
    assert engine.marginals([], [], max_bytes=price.bytes, control=control).size
    with pytest.raises(_core.InferenceTooLarge) as caught:
        engine.marginals([], [], max_bytes=price.bytes - 1, control=control)
    assert caught.value.args[0].bytes == price.bytes


def one_child(rng, n_parents=15):
    """One child of many roots, so that the only clique holds them all."""
    roots = [rng.dirichlet([1, 1]) for _ in range(n_parents)]
    table = rng.dirichlet([1, 1], 2**n_parents).ravel()
    return _core.TabularNetwork(
        [2] * (n_parents + 1),
        parents=[*([] for _ in roots), list(range(n_parents))],
        tables=[*roots, table],
    )


@pytest.mark.parametrize(
    ("states", "likelihoods", "n_fillings_of_kept"),
    [
        ([], [], 1),
        ([], [(0, [0.5, 1.0])], 2),  # the tree without evidence, then what changes
        ([(0, 1), (1, 0), (2, 1), (3, 1)], [], 0),  # a sixteenth of the tables is left
    ],
)
def test_marginals_come_from_the_smaller_tree_and_cost_says_so(
    states, likelihoods, n_fillings_of_kept
):
    core = one_child(np.random.default_rng(3))
    kept, own = (
        _core.ExactInference(core, order=list(range(16)), max_kept_bytes=kept_bytes)
        for kept_bytes in (math.inf, 0.0)
    )
    control = _core.RunControl()
    cost = kept.cost(states, likelihoods, control=control)
    assert cost.filled_entries == (n_fillings_of_kept * 2**16 or cost.total_entries)
    assert own.cost(states, likelihoods, control=control).filled_entries == cost.total_entries
    answers = [
        engine.marginals(states, likelihoods, max_bytes=math.inf, control=control)
        for engine in (kept, own)
    ]
    assert answers[0] == pytest.approx(answers[1], rel=1e-12)
    if not n_fillings_of_kept:
        assert answers[0].tolist() == answers[1].tolist()  # to the last bit: the same tree


@pytest.mark.parametrize(
    ("targets", "states", "likelihoods"),
    [
        ([], [], []),
        ([0, 0], [], []),
        ([60], [], []),
        ([0], [(60, 0)], []),
        ([0], [(1, 9)], []),
        ([0], [(1, 0), (1, 0)], []),
        ([0], [], [(1, [1.0] * 9)]),
        ([0], [], [(1, [-1.0])]),
    ],
)
def test_bad_requests_are_refused(targets, states, likelihoods):
    core, _ = long_network(np.random.default_rng(0))
    engine = _core.ExactInference(core, order=list(range(60)), max_kept_bytes=0.0)
    options = {"max_bytes": math.inf, "control": _core.RunControl()}
    with pytest.raises(ValueError, match=r"targets|evidence"):
        engine.posterior(targets, states, likelihoods, **options)


def all_pairs(n):
    """Roots whose common children are observed, so that all roots share a clique."""
    pairs = [[a, b] for b in range(n) for a in range(b)]
    tables = [np.array([0.5, 0.5])] * n + [np.full(8, 0.5)] * len(pairs)
    core = _core.TabularNetwork([2] * len(tables), parents=[[]] * n + pairs, tables=tables)
    engine = _core.ExactInference(core, order=list(range(len(tables))), max_kept_bytes=0.0)
    return engine, [(n + i, 0) for i in range(len(pairs))]


def test_a_stopped_query_raises():
    engine, states = all_pairs(20)
    control = _core.RunControl()
    control.request_stop()
    with pytest.raises(KeyboardInterrupt):
        engine.probability(states, [], max_bytes=math.inf, control=control)


def test_ctrl_c_ends_a_long_query():
    engine, states = all_pairs(25)  # some ten seconds
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.probability(states, [], max_bytes=math.inf, control=_core.RunControl())
    timer.join()


REENTRY = """
import numpy as np
from baytree import _core

n = 21
table = np.random.default_rng(0).dirichlet([1, 1], 2**n).ravel()
network = _core.TabularNetwork(
    [2] * (n + 1),
    parents=[*([] for _ in range(n)), list(range(n))],
    tables=[*(np.array([0.4, 0.6]) for _ in range(n)), table],
)
engine = _core.ExactInference(network, order=range(n + 1), max_kept_bytes=1e9)
answers = []

def ask(control):
    return engine.posterior([0], [(n, 1)], [], max_bytes=1e9, control=control).tolist()

def on_beat(done, total):  # where signal handlers run, too
    if not answers:
        answers.append(ask(_core.RunControl()))

answers.append(ask(_core.RunControl(on_progress=on_beat)))
print(len(answers), answers[0] == answers[-1])
"""


def test_a_query_may_be_asked_from_within_another_one():
    run = [sys.executable, "-c", REENTRY]  # in a process of its own, for what failed here hung
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("2 True\n", "")


def test_threads_that_ask_first_at_once_get_the_same_answer():
    network = random_network(np.random.default_rng(5), 12, 3, 3)
    asked, together, answers = Asked(network, math.inf), threading.Barrier(8, timeout=60), []

    def ask():
        together.wait()
        answers.append(asked.ask("marginals").tolist())

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [answers[0]] * 8
