import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import baytree as bt
from baytree.exceptions import UnknownVariableError
from baytree.plots.axes import ScaledText

SPRINKLER = [("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]


@pytest.fixture
def network():
    return bt.BayesianNetwork(["rain", "sprinkler", "wet", "slippery"], SPRINKLER)


@pytest.fixture(scope="module")
def large_network():
    return bt.random_network(500, random_state=1)


def drawn(ax, kind):
    return [artist for artist in ax.get_children() if isinstance(artist, kind)]


def names_drawn(ax):
    return [text.get_text() for text in drawn(ax, ScaledText)]


def overlaps(frames):
    return [(a, b) for a in range(len(frames)) for b in range(a) if frames[a].overlaps(frames[b])]


@pytest.mark.parametrize("n_variables", [8, 37, 500])
@pytest.mark.parametrize("size", [(3, 3), (12, 8)])
def test_boxes_do_not_overlap_and_names_stay_inside_them(n_variables, size):
    network = bt.random_network(n_variables, max_degree=4, random_state=3)
    figure, ax = plt.subplots(figsize=size)
    network.plot(ax)
    figure.canvas.draw()
    boxes = [box.get_window_extent() for box in drawn(ax, FancyBboxPatch)]
    texts = [text.get_window_extent() for text in drawn(ax, ScaledText)]
    assert len(boxes) == len(texts) == min(n_variables, 40)
    assert overlaps(boxes) == []
    for box, text in zip(boxes, texts, strict=True):
        assert box.x0 < text.x0 < text.x1 < box.x1
        assert box.y0 < text.y0 < text.y1 < box.y1


def test_names_follow_the_zoom(network):
    ax = network.plot()
    before = drawn(ax, ScaledText)[0].get_window_extent().width
    ax.set_xlim(*(np.mean(ax.get_xlim()) + 0.25 * np.ptp(ax.get_xlim()) * np.array([-1, 1])))
    ax.set_ylim(*(np.mean(ax.get_ylim()) + 0.25 * np.ptp(ax.get_ylim()) * np.array([1, -1])))
    ax.figure.canvas.draw()
    assert drawn(ax, ScaledText)[0].get_window_extent().width == pytest.approx(2 * before, rel=0.1)


@pytest.mark.parametrize("max_degree", [3, 12])
def test_each_arc_leads_from_its_parent_to_its_child(max_degree):
    network = bt.random_network(20, max_degree=max_degree, random_state=0)
    ax = network.plot()
    texts = drawn(ax, ScaledText)
    centres = np.array([text.get_position() for text in texts])
    names = names_drawn(ax)

    def box_at(point):
        return names[int(np.abs((centres - point) / [1.0, 1.5]).sum(axis=1).argmin())]

    found = []
    for arrow in drawn(ax, FancyArrowPatch):
        vertices = arrow._path_original.vertices
        found.append((box_at(vertices[0]), box_at(vertices[-1])))
    assert sorted(found) == sorted(network.arcs)


def test_parents_are_drawn_above_children(network):
    ax = network.plot()
    ax.figure.canvas.draw()
    height = {t.get_text(): t.get_window_extent().y0 for t in drawn(ax, ScaledText)}
    assert all(height[parent] > height[child] for parent, child in network.arcs)


def test_a_large_network_shows_the_neighbourhood_of_its_hub(large_network):
    ax = large_network.plot()
    n_arcs = dict.fromkeys(large_network.variables, 0)
    for arc in large_network.arcs:
        for end in arc:
            n_arcs[end] += 1
    hub = max(n_arcs, key=n_arcs.get)
    assert ax.get_title("left").startswith(f"40 of 500 variables, nearest to {hub}, which has the")
    assert {hub, *large_network.markov_blanket(hub)} <= set(names_drawn(ax))


def test_the_neighbourhood_of_a_chosen_variable_begins_with_its_blanket(large_network):
    blanket = large_network.markov_blanket("X7")
    ax = large_network.plot(variable="X7", max_variables=len(blanket) + 1)
    assert set(names_drawn(ax)) == {"X7", *blanket}
    assert "nearest to X7\n" in ax.get_title("left")
    assert len(names_drawn(large_network.plot(variable="X7", max_variables=3))) == 3


def test_boxes_with_neighbours_elsewhere_are_dashed(large_network):
    ax = large_network.plot(variable="X7", max_variables=30)
    names = names_drawn(ax)
    dashed = {
        name
        for name, box in zip(names, drawn(ax, FancyBboxPatch), strict=True)
        if box.get_linestyle() not in ("-", "solid")
    }
    expected = {end for arc in large_network.arcs for end in arc if not {*arc} <= {*names}}
    assert dashed == expected & set(names)


def luminance(colour):
    return float(np.dot(to_rgb(colour), [0.299, 0.587, 0.114]))


def test_chosen_near_and_other_variables_differ_in_grey(network):
    ax = network.plot(variable="slippery")
    fills = {
        text.get_text(): (luminance(box.get_facecolor()), luminance(text.get_color()))
        for text, box in zip(drawn(ax, ScaledText), drawn(ax, FancyBboxPatch), strict=True)
    }
    assert fills["rain"][0] - fills["wet"][0] > 0.1
    assert fills["wet"][0] - fills["slippery"][0] > 0.4
    assert all(abs(fill - ink) > 0.6 for fill, ink in fills.values())
    assert ax.get_title("left") == ""


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_arcs_can_be_seen_on_their_ground(network, style):
    with plt.style.context(style):
        ax = network.plot()
    ground = luminance(ax.figure.get_facecolor())
    for arrow in drawn(ax, FancyArrowPatch):
        assert abs(luminance(arrow.get_edgecolor()) - ground) > 0.5


def test_strong_arcs_are_thick_and_weak_ones_dashed(network):
    strength = pd.DataFrame(
        {"from": ["wet", "rain"], "to": ["rain", "wet"], "strength": [0.9, 0.9], "direction": 0.5}
    )
    ax = network.plot(strength=strength)
    widths = {}
    for arrow, arc in zip(drawn(ax, FancyArrowPatch), network.arcs, strict=True):
        widths[arc] = (arrow.get_linewidth(), arrow.get_linestyle())
    assert widths["rain", "wet"][0] > 3 * widths["sprinkler", "wet"][0]
    assert [style for _, style in widths.values()] == ["-", "--", "--"]
    assert ax.get_legend().get_title().get_text() == "strength"


@pytest.mark.parametrize("strength", [pd.DataFrame({"from": []}), 0.5])
def test_other_strengths_are_refused(network, strength):
    with pytest.raises(ValueError, match="columns from, to and strength, as arc_strength"):
        network.plot(strength=strength)


def test_many_variables_are_points_with_names_that_do_not_collide(large_network):
    ax = large_network.plot(max_variables=500)
    ax.figure.canvas.draw()
    frames = [text.get_window_extent() for text in ax.texts]
    assert 100 < len(frames) <= 500
    assert overlaps(frames) == []
    assert len(drawn(ax, FancyArrowPatch)) == len(large_network.arcs)


def test_names_are_text_and_nothing_else():
    names = ["$x^2$", "<b>a\nb\x00</b>", "y" * 500]
    ax = bt.BayesianNetwork(names, [(names[0], names[1])]).plot()
    ax.figure.canvas.draw()
    assert names_drawn(ax)[:2] == ["$x^2$", "<b>a b\ufffd</b>"]
    assert len(names_drawn(ax)[2]) < 40


def test_a_single_variable_can_be_drawn():
    assert names_drawn(bt.BayesianNetwork(["alone"]).plot()) == ["alone"]


def test_unknown_variables_and_wrong_axes_are_refused(network):
    with pytest.raises(UnknownVariableError, match="no variable 'snow'"):
        network.plot(variable="snow")
    with pytest.raises(ValueError, match="ax must be the axes of a matplotlib figure; got 3"):
        network.plot(3)
    with pytest.raises(ValueError, match="max_variables must be an integer of at least 1; got 0"):
        network.plot(max_variables=0)


def test_without_matplotlib_the_error_names_what_to_install(network, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'baytree\[plot\]'"):
        network.plot()
