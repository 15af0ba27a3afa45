import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

import baytree as bt
from baytree.exceptions import EmptyVariableWarning
from baytree.learning.table_estimator import TableEstimator
from html_pages import Page

EVIL = "<script>alert('x')</script>&amp;\""


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    first = random.integers(0, 2, 200)
    second = first ^ (random.random(200) < 0.1)
    return pd.DataFrame({EVIL: np.where(first, "<b>", "plain"), "wet": second})


@pytest.fixture(scope="module")
def learner(table):
    return bt.NetworkLearner(
        3,
        max_iterations=500,
        constraints=bt.ArcConstraints(tiers=[[EVIL], ["wet"]]),
        random_state=0,
    ).fit(table)


@pytest.fixture(scope="module")
def incomplete(table):
    incomplete = table.copy()
    incomplete.loc[:19, "wet"] = None
    return incomplete


@pytest.fixture(scope="module")
def imputer(incomplete):
    return bt.BayesianNetworkImputer(random_state=0, n_networks=2).fit(incomplete)


def facts(estimator):
    """Return the cells of the first table below scikit-learn's view."""
    own = estimator._results_html().partition("</table>")[0] + "</table></div>"
    texts = Page(own).texts
    return dict(zip(texts[2::2], texts[3::2], strict=True))


def test_a_fitted_learner_says_what_it_found(learner):
    found = facts(learner)
    assert found["score (bic)"] == f"{learner.score_:,.3f}"
    assert found["treewidth"] == "1 of at most 3"
    assert found["arcs"] == "1"
    assert found["search"] == "anneal, 500 iterations"
    assert found["found after"] == f"{learner.history_['seconds'].iloc[-1]:,.2f} s"
    assert set(found) == {"score (bic)", "treewidth", "arcs", "search", "found after"}


def test_a_learner_says_what_proof_em_and_ctrl_c_did(table, incomplete):
    exact = bt.NetworkLearner(1, search="exact").fit(table)
    assert facts(exact)["proof"] == "there is nothing better"
    learned = bt.NetworkLearner(1, search="hill-climb", random_state=0).fit(incomplete)
    n_iterations = learned.em_history_["iteration"].iloc[-1]
    assert facts(learned)["structural EM"].startswith(f"{n_iterations} iteration")
    learned.is_interrupted_ = True
    assert facts(learned)["interrupted"] == "Ctrl-C ended it; this is the best so far"


def test_a_fitted_imputer_says_what_was_missing(imputer):
    found = facts(imputer)
    assert found["variables with missing cells"] == "1 of 2 variables"
    assert found["missing cells"] == "20 of 400 (5.0%)"
    assert found["rows with missing cells"] == "20 of 200"
    assert found["imputed by"] == "2 networks"
    assert found["treewidth"] == "1 of at most 6"
    assert "structural EM" in found


def test_variables_without_any_cell_count_as_missing(incomplete):
    with pytest.warns(EmptyVariableWarning):
        imputer = bt.BayesianNetworkImputer(random_state=0).fit(incomplete.assign(empty=None))
    assert facts(imputer)["missing cells"] == "220 of 600 (36.7%)"


def test_an_imputer_from_a_file_knows_no_table(imputer, incomplete):
    found = facts(pickle.loads(pickle.dumps(imputer)))
    assert "missing cells" not in found
    assert found["variables with missing cells"] == "1 of 2 variables"
    tuned = bt.BayesianNetworkImputer(random_state=0, tune=True).fit(incomplete)
    assert facts(tuned)["criterion"] == tuned.chosen_["criterion"]
    assert tuned.chosen_["criterion"] in ("bic", "aic")


def test_the_view_is_that_of_scikit_learn_with_ours_below(learner):
    html = learner._repr_html_()
    theirs = BaseEstimator._repr_html_.fget(learner)()
    assert len(theirs) > 1000
    assert html.endswith(learner._results_html())
    assert learner._repr_mimebundle_()["text/html"].endswith(learner._results_html())
    assert learner._repr_mimebundle_()["text/plain"] == repr(learner)
    assert learner.network_._repr_html_() in html


def test_nothing_is_added_before_fit():
    learner = bt.NetworkLearner()
    assert learner._results_html() == ""
    assert "sk-" in learner._repr_html_()


def test_scikit_learn_may_be_told_to_display_text(learner):
    with config_context(display="text"):
        assert not hasattr(learner, "_repr_html_")
        assert list(learner._repr_mimebundle_()) == ["text/plain"]


def test_estimators_in_a_pipeline_are_shown(imputer):
    assert "BayesianNetworkImputer" in make_pipeline(imputer)._repr_html_()


@pytest.mark.parametrize("name", ["learner", "imputer"])
def test_names_and_states_cannot_become_tags(name, request):
    estimator = request.getfixturevalue(name)
    own = Page(estimator._results_html())
    assert "script" not in own.tags
    assert "b" not in own.tags
    assert EVIL in own.texts
    assert EVIL not in estimator._repr_html_()


def test_ours_needs_nothing_from_elsewhere(learner):
    html = learner._results_html()
    assert not any(word in html for word in ("http", "src=", "<script", "<style", "#000", "#fff"))


def test_an_estimator_without_what_it_must_say_cannot_be_made():
    with pytest.raises(TypeError, match=r"abstract method .*_facts"):
        type("Incomplete", (TableEstimator,), {})()
