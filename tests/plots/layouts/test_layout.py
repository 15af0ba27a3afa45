import random

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from baytree.plots.layouts.layout import graph_layout, packed
from baytree.plots.layouts.stress_layout import SPACING
from random_networks import random_parents


def random_arcs(n_boxes, max_parents, seed=0):
    parents = random_parents(random.Random(seed), n_boxes, max_parents)
    return [(parent, child) for child, own in enumerate(parents) for parent in own]


def tree_arcs(n_boxes, seed=0):
    generator = random.Random(seed)
    return [(generator.randrange(max(0, child - 30), child), child) for child in range(1, n_boxes)]


def overlaps(centres, widths, height=40.0):
    """Return the pairs of boxes that overlap."""
    widths = np.asarray(widths)
    across = np.abs(centres[:, None, 0] - centres[:, 0]) < (widths[:, None] + widths) / 2 - 1e-6
    upright = np.abs(centres[:, None, 1] - centres[:, 1]) < height
    return np.argwhere(np.triu(across & upright, 1)).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_parents_lie_above_their_children_and_boxes_do_not_overlap(seed):
    arcs = random_arcs(30, 2, seed)
    widths = [60.0 + 7 * (box % 9) for box in range(30)]
    layout = graph_layout(widths, arcs)
    assert layout.style == "layered"
    assert all(layout.centres[a, 1] < layout.centres[b, 1] for a, b in arcs)
    assert overlaps(layout.centres, widths) == []


def test_arcs_over_several_layers_bend_around_boxes():
    chain = [(0, 1), (1, 2), (2, 3)]
    layout = graph_layout([80.0] * 4, [*chain, (0, 3)])
    bends = layout.bends[3]
    assert len(bends) == 2
    boxes = {float(y): float(x) for x, y in layout.centres}
    assert all(abs(x - boxes[y]) >= 40 for x, y in bends)


def test_a_tree_in_layers_has_no_crossings():
    arcs = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]
    layout = graph_layout([50.0] * 7, arcs)
    x = layout.centres[:, 0]
    side = np.sign(x[1] - x[2])
    assert all(np.sign(x[a] - x[b]) == side for a in (3, 4) for b in (5, 6))


@pytest.mark.parametrize(("n_boxes", "max_parents"), [(200, 2), (600, 3)])
def test_large_graphs_are_spread_with_room_for_each_point(n_boxes, max_parents):
    layout = graph_layout([80.0] * n_boxes, random_arcs(n_boxes, max_parents))
    assert layout.style == "spread"
    distances = pdist(layout.centres)
    assert np.quantile(distances, 1e-3) > 0.6 * SPACING
    assert distances.min() > 0.2 * SPACING


def test_neighbours_are_nearer_than_others():
    arcs = tree_arcs(400)
    layout = graph_layout([80.0] * 400, arcs)
    ends = np.array(arcs)
    steps = layout.centres[ends[:, 0]] - layout.centres[ends[:, 1]]
    assert np.median(np.linalg.norm(steps, axis=1)) < np.median(pdist(layout.centres)) / 4


def test_parts_that_are_not_connected_lie_apart():
    layout = graph_layout([60.0] * 12, [(0, 1), (2, 3)])
    assert overlaps(layout.centres, [60.0] * 12) == []


def test_graphs_whose_layers_would_be_too_wide_are_spread():
    assert graph_layout([100.0] * 61, [(0, child) for child in range(1, 61)]).style == "spread"


def test_the_layout_is_the_same_every_time():
    arcs = random_arcs(300, 2)
    first, second = (graph_layout([80.0] * 300, arcs) for _ in range(2))
    assert np.array_equal(first.centres, second.centres)


def test_one_box_alone_has_a_place():
    assert graph_layout([80.0], []).centres.shape == (1, 2)


@pytest.mark.parametrize(
    ("widths", "arcs", "message"),
    [
        ([], [], "widths must hold a number of pixels"),
        ([80.0, np.nan], [], "widths must hold a number of pixels"),
        ([80.0], [(0, 1)], "arcs must hold pairs of numbers of boxes, from 0 to 0"),
        ([80.0, 80.0], [0], "arcs must hold pairs of numbers of boxes, from 0 to 1; got 0"),
        ([80.0, 80.0], [(0, 1), (1, 0)], "arcs form a cycle: 0 -> 1 -> 0"),
    ],
)
def test_graphs_without_a_layout_are_refused(widths, arcs, message):
    with pytest.raises(ValueError, match=message):
        graph_layout(widths, arcs)


def test_rectangles_do_not_overlap_after_the_move():
    rng = np.random.default_rng(0)
    corners = rng.uniform(-50, 50, (30, 2))
    sizes = rng.uniform(1, 80, (30, 2))
    frames = [(corner, corner + size) for corner, size in zip(corners, sizes, strict=True)]
    moves = np.array(packed(frames, gap=5.0))
    least, most = corners + moves, corners + moves + sizes
    apart = (least[:, None] >= most + 4.9) | (most[:, None] + 4.9 <= least)
    assert all(apart[a, b].any() for a in range(30) for b in range(a))
