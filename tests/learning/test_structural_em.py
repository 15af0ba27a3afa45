import time

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baytree as bt
from baytree.exceptions import InterruptedWarning, TableError, TimeLimitWarning
from baytree.learning.em_settings import check_em, initial_structure, random_chain
from baytree.learning.incomplete_rows import IncompleteRows
from baytree.learning.scoring import score_rule
from baytree.learning.search_problem import check_problem, check_settings
from baytree.learning.searches import search_table
from baytree.learning.structural_em import _Iterations, structural_em
from baytree.tables.weighted_rows import weighted_rows
from interrupted_runs import announcing, run_and_interrupt
from score_oracle import family_score
from search_names import ALL_SEARCHES, LOCAL, RANDOM
from structure_checker import check_structure

# Maximum likelihood, but for the least prior that the learner takes.
NO_PRIOR = 1e-15


def learner(**options):
    return bt.NetworkLearner(**{"max_iterations": 200, "random_state": 0} | options)


def clusters(seed, n_rows=400):
    """Rows of nine variables in three groups, the members of which depend on each other."""
    rng = np.random.default_rng(seed)
    columns = []
    for arity in (2, 3, 2):
        first = rng.integers(0, arity, n_rows)
        columns.append(first)
        for noise in (0.1, 0.25):
            is_noise = rng.random(n_rows) < noise
            columns.append(np.where(is_noise, rng.integers(0, arity, n_rows), first))
    return pd.DataFrame(np.column_stack(columns), columns=list("abcdefghi"))


@pytest.fixture
def incomplete():
    return bt.ampute(clusters(0), 0.15, random_state=1)


def restored_share(table, incomplete, filled):
    is_hidden = incomplete.isna().to_numpy()
    return (table.to_numpy() == filled.to_numpy().astype(int))[is_hidden].mean()


@pytest.mark.parametrize("name", ALL_SEARCHES)
def test_every_search_learns_from_incomplete_tables_within_the_treewidth(incomplete, name):
    fitted = learner(search=name, max_treewidth=2).fit(incomplete)
    network = fitted.network_
    check_structure(fitted.parents_, network.decomposition.bags, network.decomposition.edges, 2)
    assert fitted.score_ == network.score
    assert fitted.is_interrupted_ is False
    history = fitted.em_history_
    assert history["iteration"].tolist() == list(range(len(history)))
    assert fitted.score_ in history["score"].tolist()
    assert len(history) >= 2
    table = clusters(0)
    assert restored_share(table, incomplete, network.impute(incomplete)) > 0.6  # by chance: 0.44
    assert np.isfinite(network.log_likelihood(incomplete)).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("search", ["hill-climb", "anneal", "k-max", "chow-liu"])
@pytest.mark.parametrize("em_init", ["tree", "chain"])
def test_the_score_of_the_filled_table_never_falls_in_hard_em(seed, search, em_init):
    incomplete = bt.ampute(clusters(seed), 0.3, random_state=seed)
    fitted = learner(
        search=search,
        max_treewidth=3,
        em=bt.StructuralEM(max_em_iterations=0, em_init=em_init),
        equivalent_sample_size=NO_PRIOR,
        random_state=seed,
    ).fit(incomplete)
    scores = fitted.em_history_["score"].to_numpy()[1:]
    assert (np.diff(scores) >= -1e-6).all(), scores


def test_the_score_is_that_of_the_filled_table():
    """One iteration of hard EM from a given start, done by hand."""
    table = clusters(3, 120)[list("abc")]
    incomplete = bt.ampute(table, 0.2, random_state=0)
    fitted = learner(
        search="hill-climb",
        initial_network={"b": ["a"]},
        em=bt.StructuralEM(max_structure_updates=1, max_em_iterations=0),
    ).fit(incomplete)
    start = bt.BayesianNetwork(list("abc"), [("a", "b")])
    # The first structure has ten iterations of EM.
    filled = (
        bt.fit_parameters(start, incomplete, max_em_iterations=10).impute(incomplete).astype(int)
    )
    codes, position = filled.to_numpy(), {name: i for i, name in enumerate("abc")}
    by_hand = sum(
        family_score(codes, [2, 2, 2], position[child], sorted(position[p] for p in parents))
        for child, parents in fitted.parents_.items()
    )
    assert fitted.em_history_["score"].to_numpy()[1] == pytest.approx(by_hand)


@pytest.mark.parametrize("score", ["bic", "aic", "ebic", "log-likelihood", "bdeu"])
def test_history_holds_the_exact_log_likelihood_and_its_penalty(incomplete, score):
    fitted = learner(
        search="hill-climb",
        criterion=score,
        max_treewidth=2,
        em=bt.StructuralEM(max_em_iterations=0),
    ).fit(incomplete)
    network = fitted.network_
    last = fitted.em_history_.iloc[-1]
    log_likelihood = network.log_likelihood(incomplete).sum()
    assert last["log_likelihood"] == pytest.approx(log_likelihood)
    n_free = sum(network.cpt(v).shape[0] * (network.cpt(v).shape[1] - 1) for v in network.variables)
    weight = {"aic": 1, "log-likelihood": 0}.get(score, np.log(len(incomplete)) / 2)
    penalty_an_arc = np.log(len(network.variables)) if score == "ebic" else 0
    expected = log_likelihood - weight * n_free - penalty_an_arc * len(network.arcs)
    assert last["penalised_log_likelihood"] == pytest.approx(expected)


@pytest.mark.parametrize("prior", [1.0, 10.0])
def test_soft_steps_never_lower_the_likelihood_with_the_prior(incomplete, prior):
    def log_posterior(network):
        log_prior = sum(
            prior / network.cpt(v).size * np.log(network.cpt(v).to_numpy()).sum()
            for v in network.variables
        )
        return network.log_likelihood(incomplete).sum() + log_prior

    structure = learner(search="chow-liu").fit(incomplete).network_
    networks = [
        bt.fit_parameters(structure, incomplete, max_em_iterations=n, equivalent_sample_size=prior)
        for n in (1, 2, 3, 5, 10, 30)
    ]
    figures = [log_posterior(network) for network in networks]
    assert (np.diff(figures) >= -1e-9).all()
    last = learner(search="chow-liu", equivalent_sample_size=prior).fit(incomplete).network_
    assert log_posterior(last) >= figures[-2] - 1e-2


def test_every_completion_changes_something_or_is_the_last(incomplete):
    for search in ("anneal", "hill-climb", "k-max"):
        history = learner(search=search).fit(incomplete).em_history_
        assert history["changed_cells"].to_numpy()[0] == 0
        assert history["changed_cells"].to_numpy()[1] == incomplete.isna().sum().sum()
        is_isolation = history["changed_cells"] == 0  # of variables, without a search
        assert (~is_isolation | (history["changed_arcs"] > 0))[1:-1].all()


@pytest.mark.parametrize("completion", ["joint", "independent"])
def test_copies_of_columns_restore_each_other(completion):
    rng = np.random.default_rng(5)
    table = pd.DataFrame({f"x{i}": rng.integers(0, 3, 600) for i in range(3)})
    for i in range(3):
        table[f"copy{i}"] = table[f"x{i}"]
        table[f"other{i}"] = np.array(["p", "q", "r"])[table[f"x{i}"]]
    incomplete = bt.ampute(table, 0.1, random_state=0)
    groups = [[f"x{i}", f"copy{i}", f"other{i}"] for i in range(3)]
    can_be_known = np.column_stack(
        [incomplete[group].notna().any(axis=1) for group in groups for _ in group]
    )
    columns = [name for group in groups for name in group]
    filled = (
        learner(em=bt.StructuralEM(completion=completion))
        .fit(incomplete)
        .network_.impute(incomplete, completion=completion)
    )
    is_same = (filled[columns] == table[columns]).to_numpy()
    assert is_same[can_be_known].all()


def test_observed_cells_and_the_table_itself_stay(incomplete):
    before = incomplete.copy()
    filled = learner().fit(incomplete).network_.impute(incomplete)
    pd.testing.assert_frame_equal(incomplete, before)
    is_observed = incomplete.notna()
    assert (filled[is_observed].fillna(-1) == incomplete[is_observed].fillna(-1)).all().all()


@pytest.mark.parametrize("name", [*RANDOM, "hill-climb"])
def test_a_seed_gives_the_same_on_any_number_of_threads(incomplete, name):
    fits = [learner(search=name, n_jobs=n_jobs).fit(incomplete) for n_jobs in (1, 2, 4, 1)]
    first = fits[0]
    for other in fits[1:]:
        assert other.network_ == first.network_
        steady = first.em_history_.columns.drop("seconds")
        pd.testing.assert_frame_equal(other.em_history_[steady], first.em_history_[steady])


def test_another_seed_gives_another_chain():
    def chain(seed):
        return learner(
            em=bt.StructuralEM(em_init="chain", max_structure_updates=1),
            search="chow-liu",
            random_state=seed,
        ).fit(bt.ampute(clusters(0), 0.15, random_state=1))

    first = [chain(seed).em_history_["log_likelihood"].to_numpy()[0] for seed in (0, 0, 1)]
    assert first[0] == first[1] != first[2]


def problem_of(rows, constraints=None):
    settings = check_settings(
        search="anneal",
        max_treewidth=2,
        constraints=constraints,
        time_limit=None,
        max_iterations=None,
        n_jobs=1,
        random_state=0,
        verbose=0,
        started=time.monotonic(),
    )
    return check_problem(
        settings,
        rows.variables,
        constraints=constraints,
        initial_network=None,
        arities=rows.arities.tolist(),
    )


@pytest.fixture
def rows():
    codes = np.asfortranarray(clusters(0).to_numpy(), dtype=np.int32)
    codes[np.random.default_rng(0).random(codes.shape) < 0.2] = -1
    return weighted_rows(
        list("abcdefghi"), np.array([2, 2, 2, 3, 3, 3, 2, 2, 2], np.int32), codes, None
    )


def test_a_chain_passes_through_all_variables(rows):
    parents = random_chain(problem_of(rows))
    assert sorted(map(len, parents)) == [0] + [1] * 8
    neighbours = [child for members in parents for child in members]
    assert max(neighbours.count(i) for i in range(9)) == 1  # nobody has two children


def test_a_chain_keeps_to_tiers_and_forbidden_arcs(rows):
    tiers = [list("abc"), list("def"), list("ghi")]
    problem = problem_of(
        rows, constraints=bt.ArcConstraints(tiers=tiers, forbidden=[("a", "b"), ("b", "a")])
    )
    parents = random_chain(problem)
    assert all(p // 3 <= c // 3 for c, members in enumerate(parents) for p in members)
    assert 0 not in parents[1]
    assert 1 not in parents[0]
    assert any(parents)


@pytest.mark.parametrize("em_init", ["tree", "chain"])
def test_a_start_has_the_required_arcs(rows, em_init):
    rule = score_rule("bic", 1.0)
    for required in ([("a", "c")], [("a", "c"), ("b", "c")]):
        problem = problem_of(rows, constraints=bt.ArcConstraints(required=required))
        found = initial_structure(problem, rows, rule, em_init, time.monotonic())
        assert set(problem.constraints.required[2]) <= set(found.parents[2])
        assert found.decomposition.width <= 2


def test_the_tree_is_that_of_available_pairs(rows):
    rule = score_rule("bic", 1.0)
    found = initial_structure(problem_of(rows), rows, rule, "tree", time.monotonic())
    arcs = {frozenset((p, c)) for c, members in enumerate(found.parents) for p in members}
    assert {frozenset(pair) for pair in [(0, 1), (3, 4), (6, 7)]} <= arcs
    assert found.decomposition.width == 1


def test_constraints_hold_in_every_network(incomplete):
    fitted = learner(
        constraints=bt.ArcConstraints(required=[("a", "i")], forbidden=[("a", "b"), ("b", "a")]),
        max_treewidth=2,
    ).fit(incomplete)
    assert ("a", "i") in fitted.network_.arcs
    assert not {("a", "b"), ("b", "a")} & set(fitted.network_.arcs)


@pytest.mark.parametrize("name", LOCAL)
def test_a_given_start_comes_first(incomplete, name):
    start = bt.NetworkLearner(2, search="hill-climb").fit(clusters(0)).network_
    history = (
        learner(search=name, initial_network=start, max_treewidth=2).fit(incomplete).em_history_
    )
    assert history["changed_arcs"].to_numpy()[0] == len(start.arcs)


@pytest.mark.parametrize("rate", [0.5, 0.7])
def test_most_cells_may_be_missing(rate):
    table = clusters(2, 1000)
    incomplete = bt.ampute(table, rate, random_state=0)
    fitted = learner(max_treewidth=3).fit(incomplete)
    assert fitted.treewidth_ <= 3
    mode = incomplete.fillna(incomplete.mode().iloc[0])
    filled = fitted.network_.impute(incomplete)
    assert (
        restored_share(table, incomplete, filled) > restored_share(table, incomplete, mode) + 0.02
    )


def test_rows_without_an_observed_cell_do_not_matter(incomplete):
    empty = pd.DataFrame(np.nan, index=range(50), columns=incomplete.columns)
    whole = pd.concat([incomplete, empty], ignore_index=True)
    first, second = learner().fit(incomplete), learner().fit(whole)
    assert first.network_ == second.network_
    filled = second.network_.impute(whole).iloc[-1]
    assert filled.notna().all()


def test_weights_count_rows(incomplete):
    doubled = pd.concat([incomplete, incomplete.iloc[:100]], ignore_index=True)
    weights = [2] * 100 + [1] * 300
    first = learner().fit(doubled)
    second = learner().fit(incomplete, sample_weight=weights)
    assert second.score_ == pytest.approx(first.score_)
    assert second.parents_ == first.parents_
    columns = ["log_likelihood", "penalised_log_likelihood"]
    np.testing.assert_allclose(second.em_history_[columns], first.em_history_[columns])


def test_variables_of_one_state_are_filled_with_it(incomplete):
    incomplete["planet"] = "earth"
    incomplete.loc[::3, "planet"] = None
    network = learner().fit(incomplete).network_
    assert not any("planet" in arc for arc in network.arcs)
    assert (network.impute(incomplete)["planet"] == "earth").all()


def test_variables_without_an_observed_cell_are_refused(incomplete):
    incomplete["void"] = np.nan
    with pytest.raises(TableError, match=r"without a single observed cell: 'void'\. Drop"):
        learner().fit(incomplete)


def test_a_single_column_with_missing_cells():
    network = learner().fit(pd.DataFrame({"a": ["x", "x", None, "y"]})).network_
    assert network.impute(pd.DataFrame({"a": [None]}))["a"].tolist() == ["x"]


@pytest.mark.filterwarnings("ignore::baytree.exceptions.DiscretizationWarning")
def test_numbers_are_cut_into_bins_and_come_back_as_numbers():
    rng = np.random.default_rng(0)
    height = rng.normal(170, 10, 500)
    table = pd.DataFrame({"height": height, "weight": height - 100 + rng.normal(0, 5, 500)})
    incomplete = bt.ampute(table, 0.1, random_state=0)
    network = learner().fit(incomplete).network_
    filled = network.impute(incomplete)
    is_hidden = incomplete["weight"].isna()
    error = (filled["weight"] - table["weight"])[is_hidden].abs().mean()
    assert error < 0.8 * (table["weight"].median() - table["weight"])[is_hidden].abs().mean()


def test_other_containers_learn_the_same(incomplete):
    expected = learner().fit(incomplete)
    for table in (pl.from_pandas(incomplete), incomplete.to_numpy()):
        fitted = learner().fit(table)
        assert fitted.score_ == pytest.approx(expected.score_)


def test_complete_tables_ignore_the_settings_of_em():
    table = clusters(0)
    plain = learner(search="hill-climb").fit(table)
    with_em = learner(
        search="hill-climb",
        em=bt.StructuralEM(max_structure_updates=3, effort=2.0, completion="independent"),
    )
    assert with_em.fit(table).network_ == plain.network_
    assert len(plain.em_history_) == 0
    assert "log_likelihood" in plain.em_history_


@pytest.mark.parametrize("n_most", [1, 2, 3])
def test_em_iterations_are_limited(incomplete, n_most):
    fitted = learner(em=bt.StructuralEM(max_structure_updates=n_most)).fit(incomplete)
    assert len(fitted.em_history_) <= n_most + 1


@pytest.fixture
def searches(monkeypatch):
    """Settings of the searches that EM makes, each with the seconds that it may take."""
    made = []

    def recorded(problem, *args, **options):
        made.append((problem.settings, problem.settings.deadline - time.monotonic()))
        return search_table(problem, *args, **options)

    monkeypatch.setattr("baytree.learning.structural_em.search_table", recorded)
    return made


@pytest.mark.parametrize("search", ["k-max", "anneal"])
def test_effort_is_time_for_each_variable(incomplete, searches, search):
    bt.NetworkLearner(
        2, search=search, em=bt.StructuralEM(effort=0.01, max_structure_updates=2), random_state=0
    ).fit(incomplete)
    assert searches
    for settings, seconds in searches:
        assert settings.max_iterations is None
        assert seconds <= 1.1 * 0.01 * len(
            incomplete.columns
        )  # ten parts for parent sets, one for more


@pytest.mark.parametrize("search", ["anneal", "k-max", "hill-climb"])
def test_a_time_limit_covers_everything(incomplete, searches, monkeypatch, search):
    ends = []

    def recorded(problem, *args, started, **options):
        ends.append((started, problem.settings.deadline))
        return structural_em(problem, *args, started=started, **options)

    monkeypatch.setattr("baytree.learning.learner.structural_em", recorded)
    fitted = learner(max_treewidth=2, search=search, time_limit=3000).fit(incomplete)
    [(started, end)] = ends
    assert end == pytest.approx(started + 3000, abs=1e-6)
    assert searches
    assert all(settings.deadline <= end for settings, _ in searches)
    assert fitted.is_interrupted_ is False


@pytest.mark.parametrize("search", ["anneal", "exact", "k-max"])
@pytest.mark.parametrize("em_init", ["tree", "chain"])
def test_a_time_limit_that_is_over_at_once_gives_the_start(incomplete, search, em_init):
    settings = {"search": search, "em": bt.StructuralEM(em_init=em_init), "time_limit": 1e-6}
    with pytest.warns(TimeLimitWarning, match="structural EM before its first search"):
        fitted = bt.NetworkLearner(random_state=0, **settings).fit(incomplete)
    scorer = bt.FamilyScorer(incomplete, missing="available")
    expected = sum(scorer.score(child, parents) for child, parents in fitted.parents_.items())
    assert fitted.score_ == fitted.network_.score == pytest.approx(expected)
    assert np.isfinite(fitted.network_.log_likelihood(incomplete)).all()


def test_ctrl_c_in_the_exact_search_gives_what_em_had_before(incomplete, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt  # as the exact search does before it has any network

    monkeypatch.setattr("baytree.learning.structural_em.search_table", interrupted)
    with pytest.warns(InterruptedWarning, match="the best network found so far is returned"):
        fitted = learner(search="exact", max_treewidth=2).fit(incomplete)
    assert fitted.is_interrupted_ is True
    assert len(fitted.em_history_) == 1
    assert np.isfinite(fitted.network_.log_likelihood(incomplete)).all()


LONG_FIT = """
    import numpy as np
    import baytree as bt
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (3000, 30)).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    learner = bt.NetworkLearner(search={name!r}, {budget}, n_jobs=2).fit(table)
    print(learner.is_interrupted_, learner.treewidth_ <= 5, len(learner.network_.cpt("x0")) > 0)
"""


@pytest.mark.parametrize(
    "budget", ["time_limit=3000", "max_iterations=10**15", "em=bt.StructuralEM(effort=1000)"]
)
@pytest.mark.parametrize("name", ["anneal", "k-max"])
def test_ctrl_c_gives_the_best_so_far(name, budget):
    code = LONG_FIT.format(name=name, budget=budget)
    _, out, err = run_and_interrupt(announcing("baytree.learning.structural_em.search_table", code))
    assert out == "True True True\n", err
    assert err.count("InterruptedWarning") == 1


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"em": bt.StructuralEM(em_init="star")}, 'em_init must be one of "tree", "chain"'),
        (
            {"em": bt.StructuralEM(completion="mode")},
            'completion must be one of "joint", "independent"',
        ),
        (
            {"em": bt.StructuralEM(max_structure_updates=0)},
            "max_structure_updates must be an integer of at least 1; got 0",
        ),
        (
            {"em": bt.StructuralEM(max_em_iterations=-1)},
            "max_em_iterations must be an integer of at least 0",
        ),
        ({"em": bt.StructuralEM(effort=0)}, "effort must be a positive number; got 0"),
    ],
)
def test_settings_that_cannot_be_are_refused(incomplete, setting, message):
    with pytest.raises(ValueError, match=message):
        check_em(setting["em"])
    with pytest.raises(ValueError, match=message):
        learner(**setting).fit(incomplete)


def test_scores_carried_over_are_those_of_the_filled_table(incomplete, monkeypatch):
    scored = []
    original = _Iterations._scorer_of

    def recorded(self, completed, *args):
        scorer = original(self, completed, *args)
        scored.append((scorer, completed))
        return scorer

    monkeypatch.setattr(_Iterations, "_scorer_of", recorded)
    learner(search="hill-climb", criterion="aic").fit(incomplete)
    assert len(scored) > 1
    for scorer, rows in scored:
        for child, parents in [(0, []), (0, [1, 2]), (4, [3]), (8, [0, 7])]:
            expected = family_score(rows.codes, rows.arities, child, parents, score="aic")
            assert scorer.score(child, parents) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_cells_missing_in_blocks_do_not_keep_em_in_a_poor_optimum(seed, monkeypatch):
    table = bt.random_network(20, max_states=4, random_state=seed).sample(400, random_state=seed)
    is_missing = np.random.default_rng(seed).random(400) < 0.3
    table = table.astype(object)
    table.loc[is_missing, table.columns[:14]] = None

    def criterion():
        fitted = bt.NetworkLearner(criterion="aic", random_state=0).fit(table)
        assert len(fitted.em_history_) <= 11
        return fitted.em_history_["penalised_log_likelihood"].max()

    with_all_searches = criterion()
    monkeypatch.setattr(_Iterations, "_search_unfilled", lambda _: None)
    assert with_all_searches > criterion() + 5


def test_drawn_rows_keep_what_is_observed(incomplete, monkeypatch):
    drawn = []
    original = IncompleteRows.drawn_rows

    def recorded(self, *args):
        drawn.append((self.observed.codes, original(self, *args).codes))
        return original(self, *args)

    monkeypatch.setattr(IncompleteRows, "drawn_rows", recorded)
    monkeypatch.setattr(_Iterations, "_is_improved_by", lambda *_: True)
    learner().fit(incomplete)
    assert drawn
    for observed, codes in drawn:
        assert (codes >= 0).all()
        assert (codes == observed)[observed >= 0].all()


def test_short_searches_find_parents_that_tell_nothing_alone():
    random = np.random.default_rng(0)
    table = random.integers(0, 3, (1000, 75)).astype(float)
    table[:, 2::3] = (table[:, 0::3] + table[:, 1::3]) % 3
    table[random.random(table.shape) < 0.03] = np.nan
    fitted = bt.NetworkLearner(3, random_state=0).fit(table)
    families = [{name, *parents} for name, parents in fitted.parents_.items()]
    triples = [{f"x{i}", f"x{i + 1}", f"x{i + 2}"} for i in range(0, 75, 3)]
    assert all(any(triple <= family for family in families) for triple in triples)
