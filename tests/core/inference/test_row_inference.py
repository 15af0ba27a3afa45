import numpy as np
import pyagrum
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baytree as bt
import row_oracle
from baytree import _core, _core_testing
from encoded_tables import codes_of
from inference_oracle import joint_table, random_network, small_networks

seeds = st.integers(0, 2**32 - 1)


def call(function, network, codes, n_threads=1, max_bytes=1e9, **options):
    return function(
        network._row_network,
        np.asfortranarray(codes, dtype=np.int32),
        limits=_core.RowLimits(n_threads=n_threads, max_bytes=max_bytes),
        control=_core.RunControl(),
        **options,
    )


def random_codes(network, seed, n_rows=40):
    """Rows with few missing cells and with many; some hold states that cannot be together."""
    rng = np.random.default_rng(seed)
    arities = network._encoding.arities
    codes = rng.integers(0, arities, (n_rows, len(arities)), dtype=np.int32)
    codes[rng.random(codes.shape) < rng.random((n_rows, 1))] = -1
    codes[0] = -1
    return codes


@given(small_networks(), seeds)
def test_log_likelihood_sums_over_all_completions(network, seed):
    codes = random_codes(network, seed)
    found = call(_core.log_likelihoods, network, codes)
    assert np.exp(found) == pytest.approx(row_oracle.likelihoods(network, codes), rel=1e-9)


@given(small_networks(), seeds)
def test_joint_completion_is_the_most_probable_one(network, seed):
    codes, joint = random_codes(network, seed), joint_table(network)
    found = call(_core.complete_rows, network, codes, completion=_core.Completion.joint)
    assert (found >= 0).all()
    assert (found[codes >= 0] == codes[codes >= 0]).all()
    for row, completed in zip(codes, found, strict=True):
        best = row_oracle.row_table(joint, row).max()
        assert joint[tuple(completed)] == pytest.approx(best, rel=1e-9)


@given(small_networks(), seeds)
def test_cell_marginals_equal_those_of_all_completions(network, seed):
    codes = random_codes(network, seed)
    marginals = call(_core.cell_marginals, network, codes)
    filled = call(_core.complete_rows, network, codes, completion=_core.Completion.independent)
    arities, joint = network._encoding.arities, joint_table(network)
    likelihoods, start = row_oracle.likelihoods(network, codes), 0
    for row, completed, likelihood in zip(codes, filled, likelihoods, strict=True):
        expected = row_oracle.cell_marginals(joint, row) if likelihood > 0 else None
        for i, variable in enumerate(np.flatnonzero(row < 0)):
            found = marginals[start : start + arities[variable]]
            start += arities[variable]
            assert found.sum() == pytest.approx(1)
            assert found[completed[variable]] == found.max()
            if expected is not None:
                assert found == pytest.approx(expected[i], abs=1e-12)
    assert start == len(marginals)


@given(small_networks(), seeds, st.data())
def test_target_marginals_hide_the_targets_alone(network, seed, data):
    codes = random_codes(network, seed)
    n = len(network.variables)
    targets = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1)))
    found = call(_core.target_marginals, network, codes, targets=targets)
    hidden = codes.copy()
    hidden[:, targets] = -1
    likelihoods, joint = row_oracle.likelihoods(network, hidden), joint_table(network)
    for i, row in enumerate(hidden):
        if likelihoods[i] == 0:
            continue
        expected = row_oracle.cell_marginals(joint, row)
        missing = np.flatnonzero(row < 0).tolist()
        for target, marginals in zip(targets, found, strict=True):
            marginal = marginals.reshape(len(codes), -1)[i]
            assert marginal == pytest.approx(expected[missing.index(target)], abs=1e-12)


@given(small_networks(), seeds)
def test_expected_counts_are_those_of_all_completions(network, seed):
    codes = random_codes(network, seed)
    weights = np.random.default_rng(seed).choice([0.0, 1.0, 2.5], len(codes))
    counts, log_likelihood = call(_core_testing.expected_counts, network, codes, weights=weights)
    expected = row_oracle.family_counts(network, codes, weights)
    assert counts == pytest.approx(expected, abs=1e-9)
    counted = row_oracle.likelihoods(network, codes)[weights > 0]
    with np.errstate(divide="ignore"):
        assert log_likelihood == pytest.approx(np.log(counted) @ weights[weights > 0])


def test_impossible_rows_have_no_likelihood_and_get_prior_states():
    network = bt.BayesianNetwork(
        {"a": [0, 1], "b": [0, 1], "c": [0, 1], "d": [0, 1, 2]},
        [("a", "b"), ("b", "c"), ("b", "d")],
        cpts={
            "a": [0.3, 0.7],
            "b": [[1, 0], [1, 0]],
            "c": [[0.1, 0.9], [0.5, 0.5]],
            "d": [[0.1, 0.2, 0.7], [1, 0, 0]],
        },
    )
    codes = np.array([[-1, 1, -1, -1], [0, 1, 0, 2]])
    assert call(_core.log_likelihoods, network, codes).tolist() == [-np.inf, -np.inf]
    for completion in (_core.Completion.joint, _core.Completion.independent):
        filled = call(_core.complete_rows, network, codes, completion=completion)
        # c and d are fine given b, the prior of a knows nothing of b
        assert filled.tolist() == [[1, 1, 0, 0], [0, 1, 0, 2]]
    (marginals,) = call(_core.target_marginals, network, codes, targets=[0])
    assert marginals == pytest.approx([0.3, 0.7, 0.3, 0.7])


def wide_network(rng, n_variables=60, n_parents=3):
    """A network whose variables have parents among the six before them."""
    states = {i: [0, 1, 2][: rng.integers(2, 4)] for i in range(n_variables)}
    parents = {
        i: sorted(rng.choice(range(max(i - 6, 0), i), min(i, n_parents), replace=False).tolist())
        for i in states
    }
    cpts = {
        i: rng.dirichlet(np.ones(len(states[i])), [len(states[p]) for p in parents[i]])
        for i in states
    }
    arcs = [(parent, child) for child in states for parent in parents[child]]
    return bt.BayesianNetwork(states, arcs, cpts=cpts)


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(0)
    network = wide_network(rng)
    codes = np.asfortranarray(codes_of(network._encoding, network.sample(3000, random_state=0)))
    codes[rng.random(codes.shape) < rng.choice([0, 0.05, 0.5, 0.9], (3000, 1))] = -1
    return network, codes


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (_core.log_likelihoods, {}),
        (_core.complete_rows, {"completion": _core.Completion.joint}),
        (_core.complete_rows, {"completion": _core.Completion.independent}),
        (_core.cell_marginals, {}),
        (_core.draw_completions, {"seeds": [7]}),
    ],
)
def test_threads_and_neighbours_change_no_bit(large, function, options):
    network, codes = large
    results = [call(function, network, codes, n_threads=n, **options) for n in (1, 2, 5)]
    assert all((np.asarray(result) == results[0]).all() for result in results)
    if function is not _core.draw_completions and function is not _core.cell_marginals:
        alone = call(function, network, codes[2000:2001], **options)
        assert (alone[0] == results[0][2000]).all()


def test_threads_change_no_bit_of_expected_counts(large):
    network, codes = large
    results = [
        call(_core_testing.expected_counts, network, codes, n_threads=n, weights=None)
        for n in (1, 3)
    ]
    assert (results[0][0] == results[1][0]).all()
    assert results[0][1] == results[1][1]
    assert results[0][1] == pytest.approx(call(_core.log_likelihoods, network, codes).sum())
    assert results[0][0].sum() == pytest.approx(len(codes) * len(network.variables))


def test_nothing_underflows_with_thousands_of_variables():
    n = 10_000
    network = bt.BayesianNetwork(
        {i: ["no", "yes"] for i in range(n)},
        [(0, i) for i in range(1, n)],
        cpts={0: [0.5, 0.5]} | {i: [[0.9, 0.1], [0.8, 0.2]] for i in range(1, n)},
    )
    codes = np.ones((3, n), dtype=np.int32)
    codes[:, 0] = -1
    codes[1] = 0
    codes[1, 0] = -1
    codes[2, ::2] = -1
    found = call(_core.log_likelihoods, network, codes)
    yes, no = np.log([[0.1, 0.2], [0.9, 0.8]])
    expected = [
        np.logaddexp(*(np.log(0.5) + k * logs))
        for k, logs in ((n - 1, yes), (n - 1, no), (n // 2, yes))
    ]
    assert found == pytest.approx(expected, rel=1e-12)
    assert call(_core.complete_rows, network, codes, completion=_core.Completion.joint)[
        :, 0
    ].tolist() == [1, 0, 1]


def test_evidence_far_beyond_the_range_of_floats_is_kept_apart_from_the_impossible():
    n = 400  # the first state is better by a factor of 10**800, and ruled out by the last child
    network = bt.BayesianNetwork(
        {i: ["no", "yes"] for i in range(n)},
        [(0, i) for i in range(1, n)],
        cpts={0: [0.5, 0.5]}
        | {i: [[0.01, 0.99], [0.9999, 0.0001]] for i in range(1, n - 1)}
        | {n - 1: [[1, 0], [0.5, 0.5]]},
    )
    codes = np.ones((1, n), dtype=np.int32)
    codes[0, 0] = -1
    expected = 2 * np.log(0.5) + (n - 2) * np.log(0.0001)
    assert call(_core.log_likelihoods, network, codes) == pytest.approx([expected])
    assert call(_core.cell_marginals, network, codes) == pytest.approx([0, 1])
    filled = call(_core.complete_rows, network, codes, completion=_core.Completion.joint)
    assert filled[0, 0] == 1


def test_what_is_too_large_is_refused_before_it_is_made():
    rng = np.random.default_rng(0)
    network = wide_network(rng, n_variables=40, n_parents=6)
    codes = np.full((1, 40), -1, dtype=np.int32)
    codes[0, -1] = 0
    with pytest.raises(_core.RowsTooLarge) as caught:
        call(_core.log_likelihoods, network, codes, max_bytes=1000)
    n_bytes, max_bytes = caught.value.args
    assert n_bytes > max_bytes == 1000


def test_codes_that_are_no_states_are_refused():
    network = random_network(np.random.default_rng(0), 3)
    codes = np.full((2, 3), 3, dtype=np.int32)
    with pytest.raises(ValueError, match="a code is not a state"):
        call(_core.log_likelihoods, network, codes)
    with pytest.raises(ValueError, match="a column for every variable"):
        call(_core.log_likelihoods, network, codes[:, :2])


def test_a_stop_ends_a_call_soon(large):
    network, codes = large
    n_done = []
    control = _core.RunControl(on_progress=lambda done, total: n_done.append(done))
    control.request_stop()
    _core.log_likelihoods(
        network._row_network,
        codes,
        limits=_core.RowLimits(n_threads=2, max_bytes=1e9),
        control=control,
    )
    assert n_done[-1] < len(codes)  # the others were left undone


def agrum_network(pyagrum, network):
    """The same network in pyAgrum, with codes as states."""
    other = pyagrum.BayesNet()
    for name in network.variables:
        other.add(pyagrum.RangeVariable(f"v{name}", "", 0, len(network.states(name)) - 1))
    for parent, child in network.arcs:
        other.addArc(f"v{parent}", f"v{child}")
    for name in network.variables:
        parents = network.parents(name)
        table = network.cpt(name).to_numpy()
        shape = [len(network.states(parent)) for parent in parents]
        for row, codes in enumerate(np.ndindex(*shape)):
            where = {f"v{p}": int(code) for p, code in zip(parents, codes, strict=True)}
            other.cpt(f"v{name}")[where] = table[row].tolist()
    return other


def test_rows_with_large_components_agree_with_pyagrum():
    rng = np.random.default_rng(4)
    network = wide_network(rng, n_variables=30)
    codes = codes_of(network._encoding, network.sample(12, random_state=0))
    codes[rng.random(codes.shape) < 0.6] = -1
    likelihoods = call(_core.log_likelihoods, network, codes)
    marginals, start = call(_core.cell_marginals, network, codes), 0
    engine = pyagrum.LazyPropagation(agrum_network(pyagrum, network))
    for row, likelihood in zip(codes, likelihoods, strict=True):
        engine.setEvidence({f"v{i}": int(code) for i, code in enumerate(row) if code >= 0})
        engine.makeInference()
        assert np.exp(likelihood) == pytest.approx(engine.evidenceProbability(), rel=1e-9)
        for variable in np.flatnonzero(row < 0):
            expected = engine.posterior(f"v{variable}").toarray()
            found = marginals[start : start + len(expected)]
            assert found == pytest.approx(expected, abs=1e-9)
            start += len(expected)
