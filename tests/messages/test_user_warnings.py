import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import DiscretizationWarning


def test_a_warning_points_to_the_line_of_the_user():
    table = pd.DataFrame({"size": [0.5, 1.5, 2.5, 3.5]})
    with pytest.warns(DiscretizationWarning) as caught:
        bt.score_parent_sets(table, max_parents=1)
    assert caught[0].filename == __file__
