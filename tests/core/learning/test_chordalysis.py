"""Selection of edges; its oracle looks at every pair again in every step."""

import time
from math import exp, inf, prod

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chi2

from baytree import _core
from chordalysis_oracle import selected_edges
from core_calls import core_scorer
from search_calls import arc_constraints, budget, limits, stopping_after

RULES = ["smt", "budget-share", "layered", "bic", "kl", "mml"]


def dependent_table(seed, n_variables=7, n_rows=300, *, max_arity=3):
    """Return codes and arities: each variable depends on up to two before it, or on none."""
    random = np.random.default_rng(seed)
    arities = random.integers(2, max_arity + 1, n_variables)
    codes = np.empty((n_rows, n_variables), dtype=np.int32)
    for child, arity in enumerate(arities):
        parents = random.choice(child, min(child, random.integers(3)), replace=False)
        configuration = codes[:, parents].sum(axis=1) if len(parents) else 0
        noise = np.where(random.random(n_rows) < 0.4, random.integers(0, arity, n_rows), 0)
        codes[:, child] = (configuration + noise) % arity
    codes[0], codes[1] = 0, arities - 1
    return codes, arities.tolist()


def select(
    codes,
    arities,
    rule="smt",
    *,
    alpha=0.05,
    share=0.01,
    phantom_state=False,
    rounded=False,
    weights=None,
    score="bic",
    bounds=None,
    constraints=None,
    max_iterations=None,
    n_threads=1,
    control=None,
):
    n_variables = len(arities)
    return _core.select_edges(
        core_scorer(codes, arities, weights=weights, score=score),
        rule=getattr(_core.EdgeRule, rule.replace("-", "_")),
        alpha=alpha,
        budget_share=share,
        phantom_state=phantom_state,
        rounds_p_values=rounded,
        constraints=constraints or arc_constraints(n_variables),
        limits=bounds or limits(n_variables - 1, arities=arities),
        budget=budget(max_iterations, n_threads=n_threads),
        control=control or _core.RunControl(),
    )


def pairs(outcome):
    return [(a, b) for a, b, *_ in outcome.edges]


def check_tests(outcome, expected):
    assert pairs(outcome) == [edge.pair for edge in expected]
    for (*_, separator, g2, degrees, log_p), edge in zip(outcome.edges, expected, strict=True):
        assert (tuple(separator), degrees) == (edge.separator, edge.degrees)
        assert g2 == pytest.approx(edge.g2, abs=1e-6)
        assert exp(log_p) == pytest.approx(edge.p_value, rel=1e-6, abs=1e-12)
        assert log_p == pytest.approx(edge.log_p_value, rel=1e-6, abs=1e-6)


def check_model(outcome, max_width):
    """Hold the DAG to the graph of the edges, and its order of elimination to the width."""
    graph = nx.empty_graph(len(outcome.parents))
    graph.add_edges_from(pairs(outcome))
    assert nx.is_chordal(graph)
    arcs = {frozenset((p, c)) for c, parents in enumerate(outcome.parents) for p in parents}
    assert arcs == {frozenset(edge) for edge in graph.edges}
    bags = _core.decompose(outcome.parents, outcome.elimination_order).bags
    cliques = {frozenset(clique) for clique in nx.find_cliques(graph)}
    assert {frozenset(bag) for bag in bags} == cliques
    assert max(map(len, cliques)) - 1 <= max_width


@pytest.mark.parametrize("phantom_state", [False, True])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(5))
def test_edges_and_their_tests_are_those_of_the_definition(rule, phantom_state, seed):
    codes, arities = dependent_table(seed)
    width = 3 if rule == "kl" else 6
    outcome = select(
        codes,
        arities,
        rule,
        share=0.3,
        phantom_state=phantom_state,
        bounds=limits(width, arities=arities),
    )
    counted = [arity + phantom_state for arity in arities]
    expected = selected_edges(codes, counted, rule=rule, share=0.3, max_width=width)
    assert expected
    assert outcome.is_finished
    check_tests(outcome, expected)
    check_model(outcome, width)


@pytest.mark.parametrize("alpha", [1e-6, 0.01, 0.25, 0.6])
def test_edges_are_those_of_the_definition_at_any_level(alpha):
    codes, arities = dependent_table(11, 9, 200)
    check_tests(select(codes, arities, alpha=alpha), selected_edges(codes, arities, alpha=alpha))


@pytest.mark.parametrize("rule", ["smt", "bic"])
@pytest.mark.parametrize("seed", range(3))
def test_wider_cliques_of_binary_variables_are_those_of_the_definition(rule, seed):
    codes, arities = dependent_table(seed, 10, 2000, max_arity=2)
    outcome = select(codes, arities, rule)
    check_tests(outcome, selected_edges(codes, arities, rule=rule))
    check_model(outcome, 9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("max_width", [1, 2])
def test_a_bound_is_a_filter_on_separators(rule, max_width):
    codes, arities = dependent_table(3, 8, 400, max_arity=2)
    outcome = select(codes, arities, rule, bounds=limits(max_width, arities=arities))
    expected = selected_edges(codes, arities, rule=rule, max_width=max_width)
    check_tests(outcome, expected)
    check_model(outcome, max_width)


def test_fewer_parents_bound_the_cliques_too():
    codes, arities = dependent_table(3, 8, 400, max_arity=2)
    bounds = limits(5, max_parents=1, arities=arities)
    assert pairs(select(codes, arities, bounds=bounds)) == pairs(
        select(codes, arities, bounds=limits(1, arities=arities))
    )


def test_cliques_have_no_more_states_than_allowed():
    codes, arities = dependent_table(1, 8, 600)
    free = select(codes, arities)
    bound = select(codes, arities, bounds=limits(7, max_clique_states=9, arities=arities))
    assert max(prod(arities[v] for v in (a, b, *s)) for a, b, s, *_ in free.edges) > 9
    assert max(prod(arities[v] for v in (a, b, *s)) for a, b, s, *_ in bound.edges) <= 9


def test_rounded_p_values_put_fewer_degrees_of_freedom_first():
    random = np.random.default_rng(0)
    x, y = random.integers(0, 2, 2000), random.integers(0, 3, 2000)
    noisy = np.where(random.random(2000) < 0.2, random.integers(0, 2, 2000), x)
    codes, arities = np.column_stack([y, y, x, noisy]), [3, 3, 2, 2]
    exact = select(codes, arities)
    assert chi2.sf(exact.edges[1][3], 1) < 1e-100
    assert pairs(exact) == [(0, 1), (2, 3)]
    rounded = select(codes, arities, rounded=True)
    assert pairs(rounded) == [(2, 3), (0, 1)]
    assert [log_p for *_, log_p in rounded.edges] == [-inf, -inf]


@pytest.mark.parametrize("rule", RULES)
def test_rounded_p_values_are_multiples_of_two_to_the_minus_53(rule):
    codes, arities = dependent_table(2, n_rows=100)
    bounds = limits(3, arities=arities)
    outcome = select(codes, arities, rule, alpha=0.3, share=0.3, rounded=True, bounds=bounds)
    assert any(exp(log_p) > 1e-12 for *_, log_p in outcome.edges)
    for *_, g2, degrees, log_p in outcome.edges:
        multiple = exp(log_p) * 2**53
        assert multiple == pytest.approx(chi2.sf(g2, degrees) * 2**53, rel=1e-9, abs=1)
        assert multiple == pytest.approx(round(multiple), rel=1e-9)


def test_an_edge_between_a_variable_and_a_copy_or_its_negation_ties_in_order():
    random = np.random.default_rng(1)
    x = random.integers(0, 2, 999)
    noisy = x ^ (random.random(999) < 0.3)
    for columns in ([noisy, x, 1 - x], [noisy, 1 - x, x], [1 - noisy, x, 1 - x]):
        outcome = select(np.column_stack(columns), [2, 2, 2])
        assert pairs(outcome) == [(1, 2), (0, 1)]


@pytest.mark.parametrize("scale", [1, 2.5])
def test_weights_say_how_many_times_a_row_counts(scale):
    codes, arities = dependent_table(5)
    weights = np.random.default_rng(0).integers(1, 4, len(codes))
    repeated = np.repeat(codes, weights, axis=0)
    outcome = select(codes, arities, weights=weights * scale)
    if scale == 1:
        check_tests(outcome, selected_edges(repeated, arities))
    first, expected = outcome.edges[0], select(repeated, arities).edges[0]
    assert first[:3] == expected[:3]
    assert first[3] == pytest.approx(scale * expected[3], rel=1e-9)


def test_the_score_is_that_of_the_dag():
    codes, arities = dependent_table(2)
    for score in ("bic", "bdeu", "k2"):
        scorer = core_scorer(codes, arities, score=score)
        outcome = select(codes, arities, score=score)
        total = sum(scorer.score(child, list(p)) for child, p in enumerate(outcome.parents))
        assert outcome.score == pytest.approx(total, rel=1e-12)
        assert [iteration for _, iteration, _ in outcome.history] == [
            *range(1, len(outcome.edges) + 1)
        ]
        assert outcome.history[-1][2] == outcome.score


def test_a_pair_that_is_forbidden_is_no_edge_and_no_test():
    codes, arities = dependent_table(4)
    a, b = pairs(select(codes, arities))[0]
    forbidden = [[] for _ in arities]
    forbidden[a], forbidden[b] = [b], [a]
    outcome = select(codes, arities, constraints=arc_constraints(len(arities), forbidden=forbidden))
    assert outcome.edges
    assert (a, b) not in pairs(outcome)
    check_model(outcome, len(arities) - 1)


@pytest.mark.parametrize("rule", RULES)
def test_threads_do_not_change_the_edges(rule):
    codes, arities = dependent_table(8, 30, 1000)
    bounds = limits(4, arities=arities)
    one, three = (select(codes, arities, rule, bounds=bounds, n_threads=n) for n in (1, 3))
    assert one.edges == three.edges
    assert one.parents == three.parents


def test_threads_do_not_change_tests_in_many_rows():
    codes, arities = dependent_table(9, 24, 300_000, max_arity=4)
    one, three = (select(codes, arities, max_iterations=25, n_threads=n) for n in (1, 3))
    assert one.edges == three.edges


@pytest.mark.parametrize("n_edges", [1, 3])
def test_max_iterations_is_a_number_of_edges(n_edges):
    codes, arities = dependent_table(6)
    outcome = select(codes, arities, max_iterations=n_edges)
    assert outcome.edges == select(codes, arities).edges[:n_edges]
    assert outcome.n_iterations == n_edges
    assert not outcome.is_finished


def test_a_stop_leaves_the_first_edges():
    codes, arities = dependent_table(7, 150, 400)
    whole = select(codes, arities)
    cut = select(codes, arities, control=stopping_after(1))
    assert cut.edges == whole.edges[: len(cut.edges)]
    check_model(cut, 149)


@pytest.fixture(scope="module")
def long_table():
    """Codes and arities for which tests of all pairs take seconds."""
    return np.random.default_rng(0).integers(0, 12, (50_000, 300)), [12] * 300


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_stop_is_obeyed_at_once(long_table, n_threads):
    beats = []

    def stop(done, total):
        beats.append(time.monotonic())
        control.request_stop()

    control = _core.RunControl(on_progress=stop)
    outcome = select(*long_table, n_threads=n_threads, control=control)
    assert time.monotonic() - beats[0] < 0.5  # about 0.02 on a machine without other work
    assert not outcome.is_finished
    assert outcome.edges == []


def test_a_deadline_is_kept(long_table):
    outcome = select(*long_table, control=_core.RunControl(time_limit=0.1))
    assert not outcome.is_finished
    assert outcome.n_iterations == 0


@pytest.mark.parametrize("arities", [[1, 2, 2], [1, 1, 1], [2]])
def test_constant_variables_have_no_edges(arities):
    codes = np.zeros((50, len(arities)), dtype=int)
    codes[:25] = np.array(arities) - 1
    for phantom_state in (False, True):
        for rule in RULES:
            outcome = select(codes, arities, rule, phantom_state=phantom_state, bounds=limits(2))
            constant = {v for v, arity in enumerate(arities) if arity == 1}
            assert not constant & {v for pair in pairs(outcome) for v in pair}
            assert bool(outcome.edges) == (arities == [1, 2, 2])


def test_incomplete_rows_are_refused():
    codes = np.array([[0, 1], [1, -1], [1, 1]])
    with pytest.raises(ValueError, match="complete rows"):
        select(codes, [2, 2])
