import itertools
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from sklearn.exceptions import NotFittedError

import baytree as bt
from baytree.exceptions import InferenceTooLargeError, UnknownVariableError
from baytree.networks.graph import cpt_array


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    first = random.integers(0, 3, 300)
    second = (first + (random.random(300) < 0.1)) % 3
    return pd.DataFrame({"$x$": first, "second": second, "third": random.integers(0, 2, 300)})


@pytest.fixture(scope="module")
def learner(table):
    return bt.NetworkLearner(2, max_iterations=500, random_state=0).fit(table)


@pytest.fixture(scope="module")
def incomplete(table):
    incomplete = table.astype("Int64")
    incomplete.loc[:59, "third"] = pd.NA
    incomplete.loc[45:74, "$x$"] = pd.NA
    return incomplete


@pytest.fixture(scope="module")
def imputer(incomplete):
    return bt.BayesianNetworkImputer(random_state=0).fit(incomplete)


@pytest.fixture(scope="module")
def wide_network():
    """A child of six parents of two states, which are not equally probable."""
    parents = [f"p{i}" for i in range(6)]
    states = {name: ["no", "yes"] for name in parents} | {"child": ["a", "b", "c"]}
    random = np.random.default_rng(0)
    cpts = {name: [0.9 - 0.1 * i, 0.1 + 0.1 * i] for i, name in enumerate(parents)}
    cpts["child"] = random.dirichlet([1, 1, 1], size=[2] * 6)
    return bt.BayesianNetwork(states, [(p, "child") for p in parents], cpts=cpts)


def labels(ticks):
    return [tick.get_text() for tick in ticks]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_history_of_a_learner_is_its_steps(learner):
    ax = bt.plot_history(learner)
    line, star = ax.get_lines()
    assert line.get_xdata().tolist() == learner.history_["seconds"].tolist()
    assert line.get_ydata().tolist() == learner.history_["score"].tolist()
    assert line.get_drawstyle() == "steps-post"
    assert star.get_ydata()[0] == learner.score_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("seconds", "score (bic)")
    assert ax.get_title("left").startswith(f"best {learner.score_:,.2f} after ")


def test_history_of_a_search_result(table):
    cache = bt.score_parent_sets(table, max_parents=2)
    result = bt.search_structure(cache, max_treewidth=2, search="k-max", max_iterations=20)
    ax = bt.plot_history(result)
    assert ax.get_lines()[0].get_ydata()[-1] == result.score
    assert ax.get_ylabel() == "score"


def test_history_with_missing_cells_is_that_of_em(incomplete, imputer):
    learned = bt.NetworkLearner(2, search="hill-climb", random_state=0).fit(incomplete)
    for source in (learned, imputer):
        line, star = bt.plot_history(source).get_lines()
        expected = source.em_history_["penalised_log_likelihood"]
        assert line.get_ydata().tolist() == expected.tolist()
        assert star.get_ydata()[0] == expected.max()


def test_rows_without_a_score_are_left_out():
    history = pd.DataFrame({"seconds": [0.1, 0.2, 0.3], "score": [-np.inf, np.nan, -2.0]})
    tree = bt.BayesianNetwork(["a"]).decomposition
    result = bt.SearchResult(("a",), ((),), -2.0, tree, history=history)
    assert bt.plot_history(result).get_lines()[0].get_ydata().tolist() == [-2.0]


def test_several_histories_differ_without_colour(learner):
    ax = plt.subplots()[1]
    for name in ("one", "two", "three"):
        assert bt.plot_history(learner, ax=ax, label=name) is ax
    lines = ax.get_lines()[::2]
    assert len({line.get_linestyle() for line in lines}) == 3
    assert len({line.get_marker() for line in lines}) == 3
    assert labels(ax.get_legend().get_texts()) == ["one", "two", "three"]
    assert ax.get_title("left") == ""


@pytest.mark.parametrize("source", [bt.NetworkLearner(), "learner", None])
def test_history_needs_one(source):
    with pytest.raises(
        ValueError, match="There is no history to plot: give a NetworkLearner after"
    ):
        bt.plot_history(source)


def test_missingness_shows_shares_and_patterns(imputer):
    ax = bt.plot_missingness(imputer)
    assert labels(ax.get_yticklabels()) == ["third", "$x$"]
    assert [bar.get_width() for bar in ax.patches] == [60 / 300, 30 / 300]
    assert texts(ax) == ["20%", "10%"]
    assert labels(ax.get_xticklabels())[-4:] == ["75%", "15%", "5%", "5%"]  # 225, 45, 15, 15 rows
    marks = [line for line in ax.get_lines() if line.get_marker() == "s"]
    assert [line.get_ydata().tolist() for line in marks] == [[], [0], [1], [0, 1]]
    assert "90 of 900 cells missing (10.0%)\n2 of 3 variables have missing cells" in ax.get_title(
        "left"
    )


def test_missingness_of_many_variables_shows_those_with_most():
    random = np.random.default_rng(0)
    table = random.integers(0, 2, (200, 60)).astype(float)
    table[random.random((200, 60)) < np.linspace(0, 0.5, 60)] = np.nan
    imputer = bt.BayesianNetworkImputer(1, random_state=0)
    imputer.set_params(learner__em__max_structure_updates=1).fit(table)
    ax = bt.plot_missingness(imputer, max_variables=10, max_patterns=3)
    shares = np.isnan(table).mean(axis=0)
    assert len(ax.patches) == 10
    assert ax.patches[0].get_width() == shares.max()
    assert ax.patches[9].get_width() == np.sort(shares)[-10]
    assert "the 10 with most are shown" in ax.get_title("left")
    assert len([line for line in ax.get_lines() if line.get_marker() == "s"]) == 3


def test_missingness_of_another_table_and_of_none(imputer, table, incomplete):
    ax = bt.plot_missingness(imputer, table, max_patterns=0)
    assert [bar.get_width() for bar in ax.patches] == [0, 0, 0]
    assert "0 of 900 cells missing (0.0%)" in ax.get_title("left")
    again = pickle.loads(pickle.dumps(imputer))
    with pytest.raises(ValueError, match="not kept in files"):
        bt.plot_missingness(again)
    assert texts(bt.plot_missingness(again, incomplete)) == ["20%", "10%"]


def test_missingness_needs_a_fitted_imputer(learner):
    with pytest.raises(ValueError, match="after fit; got NetworkLearner"):
        bt.plot_missingness(learner)
    with pytest.raises(NotFittedError):
        bt.plot_missingness(bt.BayesianNetworkImputer())


def test_cells_hold_the_probabilities_in_the_order_of_cpt(learner):
    network = learner.network_
    child = next(name for name in network.variables if network.parents(name))
    ax = bt.plot_cpt(network, child)
    expected = network.cpt(child).to_numpy()
    assert np.array_equal(ax.images[0].get_array(), expected)
    shown = np.array(texts(ax)).reshape(expected.shape)
    is_plain = (expected >= 0.005) & (expected < 0.995)
    assert (shown[is_plain] == [f"{p:.2f}" for p in expected[is_plain]]).all()
    assert labels(ax.get_xticklabels()) == ["0", "1", "2"]
    assert ax.get_xlabel() == child
    assert ax.get_title("left") == ""


def test_numbers_can_be_read_on_their_cells(wide_network):
    ax = bt.plot_cpt(wide_network, "child", max_configurations=64)
    image = ax.images[0]
    for text, value in zip(ax.texts, image.get_array().ravel(), strict=True):
        ground, ink = (
            np.dot(to_rgb(colour), [0.299, 0.587, 0.114])
            for colour in (image.cmap(image.norm(value)), text.get_color())
        )
        assert abs(ground - ink) > 0.35


def test_of_many_joint_states_the_most_probable_are_shown(wide_network):
    ax = bt.plot_cpt(wide_network, "child", max_configurations=10)
    probability = {}
    for states in itertools.product([0, 1], repeat=6):
        each = [0.1 + 0.1 * i if state else 0.9 - 0.1 * i for i, state in enumerate(states)]
        probability[states] = np.prod(each)
    best = sorted(sorted(probability, key=probability.get, reverse=True)[:10])
    rows = [", ".join("yes" if state else "no" for state in states) for states in best]
    assert labels(ax.get_yticklabels()) == rows
    cells = cpt_array(wide_network, "child")
    assert np.array_equal(ax.images[0].get_array(), [cells[states] for states in best])
    share = sum(probability[states] for states in best)
    assert ax.get_title("left") == f"most probable 10 of 64 rows\n({share:.0%} of the probability)"


def test_where_inference_is_too_large_the_first_are_shown(wide_network, monkeypatch):
    def refuse(*args, **options):
        raise InferenceTooLargeError("too large")

    monkeypatch.setattr(bt.BayesianNetwork, "posterior", refuse)
    ax = bt.plot_cpt(wide_network, "child", max_configurations=10)
    assert ax.get_title("left") == "the first 10 of 64 rows"
    assert labels(ax.get_yticklabels())[0] == "no, no, no, no, no, no"


def test_small_cells_have_colours_alone(wide_network):
    figure, ax = plt.subplots(figsize=(3, 2))
    assert bt.plot_cpt(wide_network, "child", ax=ax) is ax
    assert texts(ax) == []
    assert len(figure.axes) == 2  # the scale of the colours
    assert 1 < len(ax.get_yticklabels()) < 20


def test_a_variable_without_parents_has_bars(wide_network):
    ax = bt.plot_cpt(wide_network, "p1")
    assert [bar.get_height() for bar in ax.patches] == [0.8, 0.2]
    assert texts(ax) == ["0.80", "0.20"]
    assert all(bar.get_hatch() for bar in ax.patches)


def test_small_and_large_probabilities_are_not_rounded_to_0_and_1():
    cpts = {"v": [0.001, 0.999, 0.0]}
    ax = bt.plot_cpt(bt.BayesianNetwork({"v": ["a", "b", "c"]}, cpts=cpts), "v")
    assert texts(ax) == ["<.01", ">.99", "0.00"]


def test_many_states_can_be_drawn():
    states = [f"a long name of state {i}" for i in range(300)]
    cpts = {"v": np.full(300, 1 / 300), "w": np.eye(300)}
    network = bt.BayesianNetwork({"v": states, "w": states}, [("v", "w")], cpts=cpts)
    for name in ("v", "w"):
        ax = bt.plot_cpt(network, name)
        ax.figure.canvas.draw()
        assert len(ax.get_xticklabels()) < 50
        assert max(ax.figure.get_size_inches()) < 15


def test_cpts_need_a_network_with_probabilities(wide_network):
    with pytest.raises(ValueError, match="structure alone"):
        bt.plot_cpt(bt.BayesianNetwork(["a"]), "a")
    with pytest.raises(UnknownVariableError, match="no variable 'snow'"):
        bt.plot_cpt(wide_network, "snow")
    with pytest.raises(ValueError, match="network must be a BayesianNetwork; got 1"):
        bt.plot_cpt(1, "a")


def test_names_are_never_taken_for_formulas(incomplete):
    wrong = r"$\frac^$"
    network = bt.BayesianNetwork(
        {wrong: [wrong, "plain"], "b": [wrong, "plain"]},
        [(wrong, "b")],
        cpts={wrong: [0.5, 0.5], "b": [[0.5, 0.5], [0.1, 0.9]]},
    )
    imputer = bt.BayesianNetworkImputer(random_state=0).fit(
        incomplete.rename(columns={"$x$": wrong})
    )
    for ax in (
        bt.plot_cpt(network, "b"),
        bt.plot_cpt(network, wrong),
        bt.plot_missingness(imputer),
        network.plot(variable=wrong, max_variables=1),
    ):
        ax.figure.canvas.draw()  # this formula raises an error
    with pytest.raises(ValueError, match="frac"):
        plt.title(wrong).figure.canvas.draw()


@pytest.mark.parametrize("plot", ["plot_history", "plot_missingness", "plot_cpt"])
def test_without_matplotlib_the_error_names_what_to_install(plot, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    arguments = (None, "v") if plot == "plot_cpt" else (None,)
    with pytest.raises(ImportError, match=r"pip install 'baytree\[plot\]'"):
        getattr(bt, plot)(*arguments)
