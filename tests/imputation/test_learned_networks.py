"""Networks of an imputer beside the first: one search each, in drawn rows with drawn missing."""

import math
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import InterruptedWarning, TimeLimitWarning
from baytree.imputation import learned_networks
from baytree.imputation.learned_networks import draw_tables, learn_networks
from baytree.learning import em_settings, incomplete_rows, structural_em
from baytree.learning import learner as learning
from baytree.learning.em_settings import StructuralEM
from baytree.runtime.seeds import drawn_seed
from baytree.tables.weighted_rows import bootstrap_weights
from encoded_tables import encode_states
from interrupted_runs import announcing, run_and_interrupt
from score_oracle import family_score
from search_names import ALL_SEARCHES
from search_problems import search_problem
from structure_checker import check_structure


@pytest.fixture
def incomplete():
    """Eight variables that follow one after the other, with missing cells and two empty rows."""
    random = np.random.default_rng(0)
    codes = np.zeros((400, 8), dtype=int)
    codes[:, 0] = random.integers(0, 3, 400)
    for i in range(1, 8):
        is_noise = random.random(400) < 0.2
        codes[:, i] = np.where(is_noise, random.integers(0, 3, 400), codes[:, i - 1])
    table = pd.DataFrame(codes, columns=list("abcdefgh"), dtype="Int64")
    table = table.mask(random.random(table.shape) < 0.15)
    table.iloc[[3, 7]] = pd.NA
    return table


def wide_table(n_variables):
    """Few rows of a chain of variables, with missing."""
    random = np.random.default_rng(0)
    codes = np.cumsum(random.random((120, n_variables)) < 0.2, axis=1) % 2
    incomplete = pd.DataFrame(codes, columns=[f"x{i}" for i in range(n_variables)], dtype="Int64")
    return incomplete.mask(random.random(codes.shape) < 0.05)


@pytest.mark.parametrize(("n_variables", "are_handed_on"), [(330, True), (50, False)])
def test_searches_after_the_first_choose_from_its_likely_parents(
    monkeypatch, n_variables, are_handed_on
):
    given = []
    for module in (em_settings, structural_em, incomplete_rows):

        def recorded(problem, *args, called=module.search_table, **options):
            given.append(problem.likely_parents is not None)
            return called(problem, *args, **options)

        monkeypatch.setattr(module, "search_table", recorded)
    learned(wide_table(n_variables), n_networks=3)
    assert len(given) >= 4
    assert not given[0]
    assert set(given[1:]) == {are_handed_on}


def test_the_last_search_in_all_the_time_there_is_looks_at_all_pairs(monkeypatch):
    given = []

    def recorded(problem, *args, called=structural_em.search_table, **options):
        given.append(problem.likely_parents is not None)
        return called(problem, *args, **options)

    monkeypatch.setattr(structural_em, "search_table", recorded)
    bt.NetworkLearner(2, search="anneal", time_limit=2, random_state=0).fit(wide_table(330))
    assert not given[-1]


def test_wide_tables_lead_to_the_same_networks_on_any_number_of_threads():
    one, two = (
        bt.BayesianNetworkImputer(2, n_networks=3, n_jobs=n, random_state=0).fit(wide_table(330))
        for n in (1, 2)
    )
    assert one.networks_ == two.networks_


def learned(incomplete, n_networks=3, time_limit=None, **settings):
    options = {
        "search": "hill-climb",
        "criterion": "aic",
        "equivalent_sample_size": 10.0,
    } | settings
    encoding, codes = encode_states(incomplete, n_bins="error")
    learners = [bt.NetworkLearner(2, random_state=i, **options) for i in range(n_networks)]
    found = learn_networks(learners, encoding, codes, time_limit=time_limit)
    return learners, encoding, codes, found


def drawn_rows(first, learner, codes):
    """Return the completion and the weights that a network was learned from."""
    seed = int(np.random.RandomState(learner.random_state).randint(1, np.iinfo(np.int32).max))
    has_observed = (codes >= 0).any(axis=1)  # other rows say nothing
    filled = next(draw_tables(first, codes, [seed], n_jobs=1))
    return filled, bootstrap_weights(codes, seed) * has_observed


def test_scores_are_those_of_the_drawn_rows_and_completion(incomplete):
    learners, encoding, codes, found = learned(incomplete)
    for learner, network in zip(learners[1:], found.networks[1:], strict=True):
        filled, weights = drawn_rows(found.networks[0], learner, codes)
        names = list(network.variables)
        expected = sum(
            family_score(
                filled,
                encoding.arities,
                names.index(child),
                [names.index(parent) for parent in network.parents(child)],
                score="aic",
                weights=weights,
            )
            for child in names
        )
        assert network.score == pytest.approx(expected, rel=1e-9)


def test_without_em_probabilities_are_counts_of_the_drawn_rows(incomplete):
    learners, encoding, codes, found = learned(incomplete, em=bt.StructuralEM(max_em_iterations=0))
    filled, weights = drawn_rows(found.networks[0], learners[1], codes)
    network = found.networks[1]
    names = list(network.variables)
    for child in names:
        family = [names.index(name) for name in (*network.parents(child), child)]
        shape = [int(encoding.arities[i]) for i in family]
        counts = np.full(shape, 10.0 / math.prod(shape))
        np.add.at(counts, tuple(filled[:, i] for i in family), weights)
        expected = counts / counts.sum(axis=-1, keepdims=True)
        cpt = network.cpt(child).to_numpy()
        assert cpt == pytest.approx(expected.reshape(cpt.shape))


def test_em_for_probabilities_sees_what_is_observed_alone(incomplete):
    learners, _, codes, found = learned(incomplete, em=bt.StructuralEM(max_em_iterations=5))
    filled, weights = drawn_rows(found.networks[0], learners[1], codes)
    network = found.networks[1]
    observed = pd.DataFrame(codes, columns=network.variables, dtype="Int64")
    observed = observed.mask(observed < 0)
    guess = bt.fit_parameters(
        network,
        pd.DataFrame(filled, columns=network.variables),
        sample_weight=weights,
        equivalent_sample_size=10.0,
    )

    def objective(candidate):
        """Return the log-likelihood of the rows, plus the logarithm of the prior."""
        rows = candidate.log_likelihood(observed)
        prior = sum(
            10.0 / candidate.cpt(name).size * np.log(candidate.cpt(name).to_numpy()).sum()
            for name in candidate.variables
        )
        return float(np.dot(weights, rows)) + prior

    best = bt.fit_parameters(
        network,
        observed,
        sample_weight=weights,
        equivalent_sample_size=10.0,
        tolerance=0.0,
        max_em_iterations=300,
    )
    reached = (objective(network) - objective(guess)) / (objective(best) - objective(guess))
    assert 0.8 < reached <= 1 + 1e-9


@pytest.mark.parametrize("search", ALL_SEARCHES)
def test_every_search_gives_networks_within_the_treewidth(incomplete, search):
    settings = {"search": search, "max_iterations": 200}
    for network in learned(incomplete, **settings)[3].networks:
        parents = {name: network.parents(name) for name in network.variables}
        check_structure(parents, network.decomposition.bags, network.decomposition.edges, 2)


def test_complete_tables_are_bootstrapped_too(incomplete):
    whole = incomplete.fillna(0)
    learners, encoding, codes, found = learned(whole)
    first, second = found.networks[0], found.networks[1]
    expected = bt.NetworkLearner(
        2, search="hill-climb", criterion="aic", equivalent_sample_size=10.0, random_state=1
    ).fit(whole, sample_weight=drawn_rows(first, learners[1], codes)[1])
    assert second == expected.network_
    assert encoding.variables == second.variables


@pytest.fixture
def searches(monkeypatch):
    """Settings of the searches of all networks but the first."""
    made = []
    original = incomplete_rows.search_table

    def recorded(problem, *args, **options):
        made.append(problem)
        return original(problem, *args, **options)

    monkeypatch.setattr(incomplete_rows, "search_table", recorded)
    return made


def test_a_search_for_each_network_that_starts_anew(incomplete, searches):
    learned(incomplete, 4, search="anneal", max_iterations=500)
    assert len(searches) == 3
    assert all(problem.start is None for problem in searches)
    assert [problem.settings.max_iterations for problem in searches] == [500] * 3


def test_networks_share_the_time_that_is_left(incomplete, searches):
    started = time.monotonic()
    learners = learned(incomplete, 3, search="anneal", max_iterations=500, time_limit=3000)[0]
    passed = time.monotonic() - started
    first, second, third = (learner.time_limit for learner in learners)
    assert first == pytest.approx(1000, abs=passed)
    assert second == pytest.approx((3000 - passed) / 2, abs=passed)
    assert third == pytest.approx(3000 - passed, abs=passed)
    ends = [problem.settings.deadline - started for problem in searches]
    assert ends == pytest.approx([0.8 * 1500, 0.8 * 3000], abs=2 * passed)


def test_networks_of_searches_that_end_by_themselves_have_all_the_time_that_is_left(
    incomplete, searches
):
    started = time.monotonic()
    learners = learned(incomplete, 3, search="hill-climb", time_limit=3000)[0]
    passed = time.monotonic() - started
    assert [learner.time_limit for learner in learners] == pytest.approx([3000] * 3, abs=passed)
    ends = [problem.settings.deadline - started for problem in searches]
    assert ends == pytest.approx([3000] * 2, abs=2 * passed)


def test_without_a_budget_searches_are_as_short_as_those_of_em(incomplete, searches):
    learned(incomplete, 2, search="anneal")
    learned(incomplete, 2, search="k-max", em=bt.StructuralEM(effort=0.002))
    assert searches[0].settings.max_iterations == 100_000
    assert searches[1].settings.max_iterations is None
    assert math.isfinite(searches[1].settings.deadline)


@pytest.mark.parametrize(("max_iterations", "expected"), [(None, None), (700, 700)])
def test_time_that_is_the_only_budget_is_used(max_iterations, expected):
    problem = search_problem(5, search="anneal", time_limit=3000, max_iterations=max_iterations)
    searched = incomplete_rows._one_search(problem, StructuralEM()).settings
    assert searched.max_iterations == expected
    assert searched.deadline == pytest.approx(problem.settings.deadline - 600, abs=60)


@pytest.mark.parametrize("search", ["hill-climb", "exact", "anneal"])
@pytest.mark.parametrize("is_complete", [False, True])
def test_networks_for_which_time_is_too_short_are_left_out_with_a_warning(
    monkeypatch, incomplete, search, is_complete
):
    monkeypatch.setattr(learned_networks, "MIN_SECONDS", 1e-9)  # else some have enough
    table = incomplete.fillna(0) if is_complete else incomplete
    with pytest.warns(TimeLimitWarning) as caught:
        found = learned(table, 4, search=search, time_limit=1e-6)[3]
    assert len(found.networks) == 1
    assert not found.is_interrupted
    first, *_, last = (str(one.message) for one in caught)
    assert "before its first" in first
    assert last == "time_limit was too short for more: there are 1 of 4 networks."


def as_if_interrupted(monkeypatch, module):
    """Let a search return what it has, as after Ctrl-C."""
    original = module.search_table

    def interrupted(*args, **options):
        return replace(original(*args, **options), is_interrupted=True)

    monkeypatch.setattr(module, "search_table", interrupted)


def test_ctrl_c_keeps_the_whole_networks_that_there_are(incomplete, monkeypatch):
    as_if_interrupted(monkeypatch, incomplete_rows)
    with pytest.warns(InterruptedWarning, match="there are 1 of 3 networks") as caught:
        imputer = bt.BayesianNetworkImputer(n_networks=3, random_state=0).fit(incomplete)
    assert len(caught) == 1
    assert imputer.is_interrupted_
    assert len(imputer.networks_) == 1
    assert imputer.transform(incomplete).notna().all(axis=None)


def test_ctrl_c_drops_an_unfinished_network_of_a_complete_table(incomplete, monkeypatch):
    numbers = iter(range(9))
    original = learning.search_table

    def interrupted(*args, **options):
        return replace(original(*args, **options), is_interrupted=next(numbers) == 1)

    monkeypatch.setattr(learning, "search_table", interrupted)
    with pytest.warns(InterruptedWarning, match="there are 1 of 3 networks"):
        found = learned(incomplete.fillna(0))[3]
    assert found.is_interrupted
    assert len(found.networks) == 1


@pytest.mark.parametrize("time_limit", [0, -1.0, "soon"])
def test_time_limits_that_cannot_be_are_refused(incomplete, time_limit):
    with pytest.raises(ValueError, match="time_limit must be"):
        bt.BayesianNetworkImputer(time_limit=time_limit).fit(incomplete)


def test_ctrl_c_while_settings_are_tried_gives_the_networks_at_hand(incomplete, monkeypatch):
    as_if_interrupted(monkeypatch, structural_em)
    imputer = bt.BayesianNetworkImputer(tune=True, random_state=0)
    imputer.set_params(learner__criterion="bdeu").fit(incomplete)
    assert imputer.is_interrupted_
    assert imputer.chosen_["criterion"] == "bdeu"
    assert len(imputer.tuning_) == 0
    assert imputer.transform(incomplete).notna().all(axis=None)


def test_ctrl_c_in_a_report_raises(incomplete, monkeypatch):
    imputer = bt.BayesianNetworkImputer(n_networks=2, random_state=0).fit(incomplete)
    as_if_interrupted(monkeypatch, incomplete_rows)
    with pytest.warns(InterruptedWarning), pytest.raises(KeyboardInterrupt):
        imputer.report()


LONG_FIT = """
    import dataclasses
    import numpy as np
    import baytree as bt
    from baytree.learning import learner as learning
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (3000, 30)).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    learn = learning.structural_em
    def briefly(problem, *args, **options):
        settings = dataclasses.replace(problem.settings, max_iterations=1000)
        return learn(dataclasses.replace(problem, settings=settings), *args, **options)
    learning.structural_em = briefly
    options = {"learner__search": "anneal", "learner__max_iterations": 10**15}
    imputer = bt.BayesianNetworkImputer(n_networks=3).set_params(**options).fit(table)
    print(imputer.is_interrupted_, len(imputer.networks_))
"""


def test_ctrl_c_in_the_search_of_a_bootstrap_keeps_the_first_network():
    code = announcing("baytree.learning.incomplete_rows.search_table", LONG_FIT)
    _, out, err = run_and_interrupt(code)
    assert out == "True 1\n", err
    assert err.count("InterruptedWarning") == 1


def test_samples_take_turns_with_the_networks(incomplete):
    imputer = bt.BayesianNetworkImputer(n_networks=2, random_state=0).fit(incomplete)
    tables = imputer.sample(incomplete, 5, random_state=3)
    seeds = np.random.RandomState(drawn_seed(3)).randint(1, 2**31 - 1, size=5)
    _, codes = encode_states(incomplete, n_bins="error")
    for number, table in enumerate(tables):
        network = imputer.networks_[number % 2]
        drawn = next(draw_tables(network, codes, [int(seeds[number])], n_jobs=1))
        assert (table.to_numpy() == drawn).all()


def test_averages_restore_more_than_the_first_network():
    random = np.random.default_rng(3)
    groups = random.integers(0, 4, 1500)
    centres = random.random((4, 30)) < 0.5
    table = pd.DataFrame(centres[groups] ^ (random.random((1500, 30)) < 0.25)).rename(columns=str)
    incomplete = bt.ampute(table.astype("boolean"), 0.1, random_state=0)
    is_hidden = incomplete.isna().to_numpy()

    def restored(n_networks):
        imputer = bt.BayesianNetworkImputer(
            n_networks=n_networks, regressions=False, random_state=0
        )
        filled = imputer.fit_transform(incomplete).to_numpy(dtype=bool)
        return (filled == table.to_numpy())[is_hidden].mean()

    assert restored(8) > restored(1) + 0.005


@pytest.mark.parametrize("n_networks", [1, 4])
def test_networks_that_are_learned_side_by_side_are_those_learned_in_turn(incomplete, n_networks):
    one, *others = (
        bt.BayesianNetworkImputer(2, n_networks=n_networks, n_jobs=n, random_state=0)
        for n in (1, 2, 5)
    )
    expected = one.fit_transform(incomplete)
    for other in others:
        assert other.fit_transform(incomplete).equals(expected)
        assert other.networks_ == one.networks_
        assert other.model_weights_ == one.model_weights_


def test_networks_before_the_first_that_lacked_time_are_kept(incomplete, monkeypatch):
    def learn(learner, encoding, others, position, *args, called=learned_networks._learn_other):
        if position == 2:
            raise TimeoutError
        called(learner, encoding, others, position, *args)

    monkeypatch.setattr(learned_networks, "_learn_other", learn)
    with pytest.warns(TimeLimitWarning, match="there are 2 of 4 networks"):
        *_, found = learned(incomplete, n_networks=4, n_jobs=3)
    assert len(found.networks) == 2
    assert not found.is_interrupted
