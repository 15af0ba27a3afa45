from baytree.plots.layouts.neighbourhoods import nearest, neighbours_of


def test_nearest_goes_by_distance():
    neighbours = neighbours_of(6, [(0, 1), (1, 2), (2, 3), (0, 4), (4, 5)])
    assert nearest(neighbours, [0], 4) == [0, 1, 4, 2]
    assert nearest(neighbours, [3], 100) == [3, 2, 1, 0, 4, 5]
