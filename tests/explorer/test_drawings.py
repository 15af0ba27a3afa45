import itertools

import baytree as bt
from baytree.explorer.drawings import clique_drawing, variable_drawing


def test_only_arcs_among_the_drawn_variables_are_drawn():
    network = bt.BayesianNetwork(["a", "b", "c"], [("a", "b"), ("b", "c")])
    drawing = variable_drawing(network, [2, 1])
    assert drawing["boxes"] == [2, 1]
    assert drawing["arcs"] == [(1, 2)]
    assert len(drawing["x"]) == len(drawing["widths"]) == 2


def test_a_box_has_room_for_every_state_once_it_is_observed():
    states = {"a": ["no", "yes"], "b": ["no", "(86402, 240141]"], "都市": ["東京", "大阪"]}
    small, large, wide = variable_drawing(bt.BayesianNetwork(states), range(3))["widths"]
    assert large - small > 7 * len("240141]")
    assert wide > small


def test_edges_of_the_clique_tree_lead_away_from_its_middle():
    names = [f"v{i}" for i in range(8)]
    network = bt.BayesianNetwork(names, list(itertools.pairwise(names)))
    drawing = clique_drawing(network, range(len(network.decomposition.bags)))
    edges = {frozenset(edge) for edge in network.decomposition.edges}
    assert {frozenset(arc) for arc in drawing["arcs"]} == edges
    children = [child for _, child in drawing["arcs"]]
    assert len(children) == len(set(children)) == len(drawing["boxes"]) - 1
