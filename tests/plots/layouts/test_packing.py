import numpy as np

from baytree.plots.layouts.packing import packed


def test_rectangles_do_not_overlap_after_the_move():
    rng = np.random.default_rng(0)
    corners = rng.uniform(-50, 50, (30, 2))
    sizes = rng.uniform(1, 80, (30, 2))
    frames = [(corner, corner + size) for corner, size in zip(corners, sizes, strict=True)]
    moves = np.array(packed(frames, gap=5.0))
    least, most = corners + moves, corners + moves + sizes
    apart = (least[:, None] >= most + 4.9) | (most[:, None] + 4.9 <= least)
    assert all(apart[a, b].any() for a in range(30) for b in range(a))
