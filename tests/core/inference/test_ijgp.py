import math
import random

import numpy as np
import pytest

from baytree import _core
from joint_tables import SmallNetwork, marginal_of, small_network

IMPOSSIBLE = -math.inf


def propagate(network, codes, **options):
    settings = {
        "likelihoods": [],
        "targets": [],
        "order": [],
        "i_bound": 20,
        "max_sweeps": 200,
        "tolerance": 1e-9,
        "max_entries": 1e7,
        "control": _core.RunControl(),
    }
    return _core.propagate_on_join_graph(network.core, codes, **(settings | options))


def random_codes(random, network, n_observed):
    """Return states of a few variables, all unobserved ones as -1, that can occur."""
    positions = np.argwhere(network.joint > 0)
    row = positions[random.randrange(len(positions))]
    observed = random.sample(range(len(row)), n_observed)
    return [int(code) if v in observed else -1 for v, code in enumerate(row)]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_observed", [0, 2, 8])
def test_a_bound_that_reaches_the_width_gives_the_sums_over_all_joint_states(seed, n_observed):
    draw = random.Random(seed)
    network = small_network(draw, 8, share_of_zeros=0.3 * (seed % 2))
    codes = random_codes(draw, network, n_observed)
    result = propagate(network, codes)
    assert result.is_exact
    assert result.n_sweeps <= 2
    weighted = network.weighted(codes)
    assert result.log_probability == pytest.approx(math.log(weighted.sum()), abs=1e-9)
    for variable, marginal in enumerate(result.marginals):
        if codes[variable] < 0:
            assert marginal == pytest.approx(marginal_of(weighted, variable), abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_likelihoods_weigh_the_states_of_their_variables(seed):
    draw = random.Random(seed)
    network = small_network(draw, 6)
    codes = [-1, -1, 0, -1, -1, -1]
    likelihoods = [
        (v, [draw.random() for _ in range(network.arities[v])]) for v in draw.sample([0, 1, 4], 2)
    ]
    result = propagate(network, codes, likelihoods=likelihoods)
    weighted = network.weighted(codes, likelihoods)
    assert result.log_probability == pytest.approx(math.log(weighted.sum()), abs=1e-9)
    for variable in (0, 1, 3, 4, 5):
        expected = marginal_of(weighted, variable)
        assert result.marginals[variable] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_only_ancestors_of_targets_and_observations_are_touched(seed):
    draw = random.Random(seed)
    network = small_network(draw, 8)
    codes = random_codes(draw, network, 2)
    target = draw.choice([v for v in range(8) if codes[v] < 0])
    result = propagate(network, codes, targets=[target])
    expected = marginal_of(network.weighted(codes), target)
    assert result.marginals[target] == pytest.approx(expected, abs=1e-12)
    wanted = {target, *(v for v in range(8) if codes[v] >= 0)}
    for variable in reversed(network.core.topological_order):
        if variable in wanted:
            wanted.update(network.parents[variable])
    touched = {v for v in range(8) if len(result.marginals[v])}
    assert touched == {v for v in wanted if codes[v] < 0}


@pytest.mark.parametrize("seed", range(10))
def test_small_bounds_come_close(seed):
    draw = random.Random(seed)
    network = small_network(draw, 9, max_parents=2)
    codes = random_codes(draw, network, 2)
    weighted = network.weighted(codes)
    result = propagate(network, codes, i_bound=2)
    assert result.is_converged
    for variable, marginal in enumerate(result.marginals):
        if codes[variable] < 0:
            assert marginal.sum() == pytest.approx(1)
            assert marginal == pytest.approx(marginal_of(weighted, variable), abs=0.15)
    assert result.log_probability == pytest.approx(math.log(weighted.sum()), abs=0.2)


@pytest.mark.parametrize("seed", range(20))
def test_a_state_that_is_found_impossible_is_impossible(seed):
    draw = random.Random(seed)
    network = small_network(draw, 9, share_of_zeros=0.5)
    codes = random_codes(draw, network, 3)
    weighted = network.weighted(codes)
    result = propagate(network, codes, i_bound=1)
    for variable, marginal in enumerate(result.marginals):
        if codes[variable] < 0:
            assert np.isfinite(marginal).all()
            is_possible = marginal_of(weighted, variable) > 0
            assert (marginal[is_possible] > 0).all()


def copies(n):
    """Return a chain whose variables are all equal to the first."""
    cpts = [np.array([[0.5, 0.5]]), *[np.eye(2) for _ in range(n - 1)]]
    return SmallNetwork([2] * n, [[], *([v] for v in range(n - 1))], cpts)


@pytest.mark.parametrize("codes", [[0, -1, 1], [0, 1, -1], [0, 1, 1]])
def test_impossible_observations_have_probability_zero(codes):
    assert propagate(copies(3), codes).log_probability == IMPOSSIBLE


def test_many_small_factors_do_not_vanish():
    n = 2000
    tiny = np.array([[1 - 1e-6, 1e-6], [1 - 2e-6, 2e-6]])
    core = _core.TabularNetwork(
        [2] * (n + 1),
        parents=[[], *([0] for _ in range(n))],
        tables=[np.array([0.5, 0.5]), *[tiny.ravel() for _ in range(n)]],
    )
    star = type("Star", (), {"core": core})
    result = propagate(star, [-1] + [1] * n)
    expected = math.log(0.5) + n * math.log(2e-6)  # the other state is 2 ** 2000 times less likely
    assert result.log_probability == pytest.approx(expected, rel=1e-12)
    assert result.marginals[0] == pytest.approx([0, 1])


def test_sweeps_are_counted_and_end_at_their_limit():
    network = small_network(random.Random(3), 12, max_parents=4, max_arity=2)
    whole = propagate(network, [-1] * 11 + [0], i_bound=1)
    assert whole.is_converged
    assert whole.largest_change <= 1e-9
    assert not whole.is_exact
    cut = propagate(network, [-1] * 11 + [0], i_bound=1, max_sweeps=1)
    assert (cut.n_sweeps, cut.is_converged) == (1, False)
    assert cut.largest_change > 1e-9


def grid(side):
    """Return a network whose variables have those above and to the left as parents."""
    parents = [
        [v - step for step, is_there in ((side, v >= side), (1, v % side > 0)) if is_there]
        for v in range(side * side)
    ]
    rng = np.random.default_rng(side)
    tables = [rng.dirichlet([1, 1], 2 ** len(members)).ravel() for members in parents]
    core = _core.TabularNetwork([2] * len(parents), parents=parents, tables=tables)
    return type("Grid", (), {"core": core})


def test_an_order_that_is_given_serves_where_min_fill_is_too_wide():
    nothing_known = [-1] * 36
    assert not propagate(grid(6), nothing_known, i_bound=6).is_exact
    assert propagate(grid(6), nothing_known, i_bound=6, order=list(range(36))).is_exact


def test_an_order_that_is_too_wide_is_left_alone():
    n = 30  # in this order, the centre of the star is eliminated first and joins all others
    core = _core.TabularNetwork(
        [2] * n,
        parents=[[], *([0] for _ in range(n - 1))],
        tables=[np.full(2, 0.5), *[np.full(4, 0.5) for _ in range(n - 1)]],
    )
    star = type("Star", (), {"core": core})
    result = propagate(star, [-1] * n, i_bound=1, order=list(range(n)))
    assert (result.is_exact, result.largest_cluster) == (True, 2)


def test_tables_beyond_the_limit_are_not_made():
    network = small_network(random.Random(1), 10, max_parents=4)
    result = propagate(network, [-1] * 10, max_entries=10)
    assert result.n_entries > 10
    assert (result.n_sweeps, result.marginals) == (0, [])


def test_a_stop_request_ends_the_sweeps():
    control = _core.RunControl()
    control.request_stop()
    network = small_network(random.Random(1), 10, max_parents=4)
    result = propagate(network, [-1] * 10, i_bound=1, control=control)
    assert (result.n_sweeps, result.is_converged) == (0, False)


@pytest.mark.parametrize(
    ("codes", "likelihoods"),
    [([0], []), ([0, 5, -1], []), ([0, -1, -1], [(0, [1.0, 1.0])]), ([-1] * 3, [(1, [1.0])])],
)
def test_observations_that_do_not_fit_are_refused(codes, likelihoods):
    with pytest.raises(ValueError, match=r"observ|likelihood"):
        propagate(copies(3), codes, likelihoods=likelihoods)
