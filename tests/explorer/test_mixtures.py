"""What the explorer answers about a mixture: posteriors of the whole, and one component drawn."""

import json

import numpy as np
import pytest

import baytree as bt
from baytree.explorer import payloads
from baytree.explorer.exploration import BadRequestError, Exploration

WET = [[2, 2]]


@pytest.fixture
def exploration(year):
    return Exploration(year, np.array([[-1, 0, 2], [0, 0, 0]], dtype=np.int32), title="year")


def flat(marginals):
    return np.concatenate([own.to_numpy() for own in marginals.values()])


def test_posteriors_are_those_of_the_mixture(exploration, year):
    found = exploration.posteriors({"evidence": WET})
    expected = year.marginals({"grass": "wet"})
    assert found["probabilities"] == pytest.approx(flat(expected), abs=1e-4)
    assert found["log_probability"] == year.log_probability({"grass": "wet"})


@pytest.mark.parametrize("number", [0, 1])
def test_posteriors_may_be_those_of_one_component(exploration, year, number):
    found = exploration.posteriors({"evidence": WET, "component": number})
    expected = year.components[number].marginals({"grass": "wet"})
    assert found["probabilities"] == pytest.approx(flat(expected), abs=1e-4)


def test_the_heaviest_component_is_drawn_unless_another_is_asked_for(exploration):
    whole = exploration.graph({})
    assert whole["component"] == 1
    assert whole["parents"] == [[], [], []]
    first = exploration.graph({"component": 0})
    assert first["component"] == 0
    assert first["parents"] == [[], [0], [0, 1]]
    assert exploration.graph({}) is whole
    assert whole["mixture"]["listed"] == [1, 0]
    assert whole["mixture"]["weights"] == [0.6, 0.4]
    assert (whole["mixture"]["n"], whole["mixture"]["treewidth"]) == (2, 2)
    assert whole["rows"] == {"n": 2, "next_incomplete": 0}


def test_a_network_has_no_components(sprinkler_network):
    exploration = Exploration(sprinkler_network)
    assert exploration.graph({})["mixture"] is None
    with pytest.raises(BadRequestError, match="no component"):
        exploration.posteriors({"component": 0})


@pytest.mark.parametrize("number", [-1, 2, "0", 0.0, True])
def test_components_that_are_not_there_are_refused(exploration, number):
    for answer in (exploration.posteriors, exploration.graph, exploration.clique_tree):
        with pytest.raises(BadRequestError, match="component must be a number from 0 to 1"):
            answer({"component": number})


def test_cliques_are_those_of_the_drawn_component_with_answers_of_the_mixture(exploration, year):
    assert len(exploration.clique_tree({})["boxes"]) == 3
    assert len(exploration.clique_tree({"component": 0})["boxes"]) == 1
    found = exploration.clique({"clique": 0})
    (name,) = [year.variables[number] for number in found["members"]]
    assert max(found["probabilities"]) == pytest.approx(year.posterior(name).max(), abs=1e-4)


def test_explanations_have_their_guarantee(exploration, year):
    found = exploration.explanation({"evidence": WET})
    best = year.most_probable({"grass": "wet"})
    labels = [year.states(n)[code] for n, code in zip(year.variables, found["states"], strict=True)]
    assert labels == list(best.assignment.values())
    assert found["factor"] == 2
    assert exploration.explanation({"evidence": WET, "component": 0})["factor"] == 1


def test_rows_and_informative_variables_are_answered_by_the_mixture(exploration, year):
    row = exploration.row({"row": 0})
    best = year.most_probable({"sprinkler": 0, "grass": "wet"}).assignment
    assert row["imputed"] == [year.states("rain").index(best["rain"])]
    found = exploration.most_informative({"target": 0, "evidence": []})
    assert set(found["variables"]) == {1, 2}
    assert found["bits"][0] > 0


def test_no_more_components_are_listed_than_fit(sprinkler_network, monkeypatch):
    monkeypatch.setattr(payloads, "MAX_LISTED_COMPONENTS", 3)
    mixture = bt.NetworkMixture([sprinkler_network] * 5, [1, 2, 3, 4, 5])
    found = Exploration(mixture).graph({})["mixture"]
    assert (found["n"], found["listed"]) == (5, [4, 3, 2])
    json.dumps(found, allow_nan=False)
