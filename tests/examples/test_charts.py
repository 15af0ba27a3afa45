import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

import baytree as bt
from charts import (
    DARK,
    LIGHT,
    distance,
    fraction_of_near_arcs,
    largest_clique,
    network_chart,
    score_chart,
)
from hidden_digits import PIXELS


@pytest.mark.parametrize(
    ("arc", "steps"),
    [
        (("row0col0", "row0col1"), 1),
        (("row3col3", "row2col4"), 1),
        (("row0col0", "row7col2"), 7),
        (("row5col6", "row5col1"), 5),
    ],
)
def test_distance_is_the_larger_of_rows_and_columns(arc, steps):
    assert distance(arc) == distance(arc[::-1]) == steps


def test_near_arcs_are_those_of_one_step():
    arcs = [("row0col0", "row0col1"), ("row0col1", "row1col2"), ("row0col0", "row7col7")]
    states = {name: ["blank"] for name in PIXELS}
    assert fraction_of_near_arcs(bt.BayesianNetwork(states, arcs)) == pytest.approx(2 / 3)
    assert fraction_of_near_arcs(bt.BayesianNetwork(states)) == 0


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_arc_is_drawn_between_its_pixels(findings, theme):
    (axes,) = network_chart(findings, theme).axes
    drawn = {
        tuple(tuple(map(int, end)) for end in patch._posA_posB)
        for patch in axes.patches
        if isinstance(patch, FancyArrowPatch)
    }
    places = {name: (int(name[-1]), int(name[3])) for name in PIXELS}
    arcs = findings.main_network.network.arcs
    assert drawn == {(places[parent], places[child]) for parent, child in arcs}


def test_the_clique_that_is_ringed_has_the_treewidth(findings):
    network = findings.main_network.network
    assert len(largest_clique(network)) == network.treewidth + 1


def test_the_curve_of_each_treewidth_is_its_history(findings):
    (axes,) = score_chart(findings, LIGHT).axes
    assert [line.get_label() for line in axes.lines] == ["1", "2", "4", "6", "8"]
    for line, learned in zip(axes.lines, findings.networks, strict=True):
        history = learned.em_history
        assert np.array_equal(line.get_xdata(), history["seconds"])
        assert np.allclose(1000 * line.get_ydata(), history["penalised_log_likelihood"])
