"""Settings of the learner that are objects: constraints and structural EM."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import baytree as bt

ARCS = [("rain", "wet")]


@pytest.fixture
def incomplete():
    rng = np.random.default_rng(0)
    rain = rng.integers(0, 2, 60)
    table = pd.DataFrame({"rain": rain, "wet": rain ^ (rng.random(60) < 0.1)})
    return bt.ampute(table, 0.2, random_state=0)


@pytest.mark.parametrize(
    "settings", [bt.ArcConstraints(forbidden=ARCS), bt.StructuralEM(em_init="chain", effort=2.0)]
)
def test_settings_survive_clone_and_pickle(settings):
    for copied in (clone(settings), pickle.loads(pickle.dumps(settings))):
        assert copied == settings
        assert copied is not settings
    assert settings != type(settings)()


def test_a_clone_of_a_learner_has_settings_of_its_own():
    learner = bt.NetworkLearner(constraints=bt.ArcConstraints(ARCS), em=bt.StructuralEM("chain"))
    for copied in (clone(learner), pickle.loads(pickle.dumps(learner))):
        assert copied.constraints == learner.constraints
        assert copied.constraints is not learner.constraints
        assert copied.set_params(em__completion="independent").em.em_init == "chain"
        assert learner.em.completion == "joint"


def test_a_learner_shows_its_settings():
    learner = bt.NetworkLearner(em=bt.StructuralEM(effort=2.0))
    shown = "".join(repr(learner).split())
    assert shown.startswith("NetworkLearner(em=StructuralEM(em_init='tree',completion='joint',")
    assert "em=" not in repr(bt.NetworkLearner())
    assert "StructuralEM" in learner._repr_html_()


def test_nested_settings_make_the_default_object_where_none_is_given():
    learner = bt.NetworkLearner()
    assert learner.em is learner.constraints is None
    learner.set_params(em__max_structure_updates=2, constraints__forbidden=ARCS)
    assert learner.em == bt.StructuralEM(max_structure_updates=2)
    assert learner.constraints == bt.ArcConstraints(forbidden=ARCS)
    learner.set_params(em=None, em__effort=1.0)
    assert learner.em == bt.StructuralEM(effort=1.0)


def test_nested_settings_change_the_object_that_is_given():
    learner = bt.NetworkLearner(em=bt.StructuralEM("chain"))
    learner.set_params(em__completion="independent")
    assert learner.em == bt.StructuralEM("chain", "independent")
    assert learner.get_params()["em__em_init"] == "chain"


def test_an_unknown_nested_setting_is_named():
    with pytest.raises(ValueError, match=r"StructuralEM has no parameter 'complete' .*mean 'comp"):
        bt.NetworkLearner().set_params(em__complete="joint")
    with pytest.raises(ValueError, match="Invalid parameter 'emm' for estimator NetworkLearner"):
        bt.NetworkLearner().set_params(emm__completion="joint")


def test_a_grid_search_tries_nested_settings(incomplete):
    grid = {
        "em__completion": ["joint", "independent"],
        "constraints__forbidden": [[], [("rain", "wet"), ("wet", "rain")]],
    }
    found = GridSearchCV(bt.NetworkLearner(search="hill-climb", random_state=0), grid, cv=2)
    found.fit(incomplete)
    assert found.best_params_["constraints__forbidden"] == []
    assert found.best_estimator_.constraints == bt.ArcConstraints(forbidden=[])
    assert len(found.best_estimator_.network_.arcs) == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"em": "joint"}, r"em must be a StructuralEM object or None, .*; got 'joint'"),
        ({"em": bt.StructuralEM}, "em must be a StructuralEM object or None"),
        ({"constraints": ARCS}, r"constraints must be an ArcConstraints object .*; got \[\('rain'"),
    ],
)
def test_objects_of_another_kind_are_refused(incomplete, settings, message):
    with pytest.raises(ValueError, match=message):
        bt.NetworkLearner(**settings).fit(incomplete)


def test_arcs_of_an_iterator_hold_for_every_fit(incomplete):
    constraints = bt.ArcConstraints(forbidden=zip(["rain"], ["wet"], strict=True))
    learner = bt.NetworkLearner(search="hill-climb", constraints=constraints)
    for fitted in (learner, clone(learner), learner):
        assert fitted.fit(incomplete).network_.arcs == (("wet", "rain"),)


def test_an_iterator_is_refused_as_an_initial_network(incomplete):
    message = r"initial_network must not be an iterator, .* Pass list\(\.\.\.\) of it"
    learner = bt.NetworkLearner(search="hill-climb", initial_network=iter(ARCS))
    with pytest.raises(ValueError, match=message):
        learner.fit(incomplete)
    with pytest.raises(ValueError, match=message):
        bt.BayesianNetworkImputer(learner=learner).fit(incomplete)
    with pytest.raises(ValueError, match=message):
        bt.arc_strength(incomplete, 2, learner=learner)
