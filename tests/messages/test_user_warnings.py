import warnings

import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import BaytreeWarning, DiscretizationWarning
from baytree.messages import user_warnings


def test_a_warning_points_to_the_line_of_the_user():
    table = pd.DataFrame({"size": [0.5, 1.5, 2.5, 3.5]})
    with pytest.warns(DiscretizationWarning) as caught:
        bt.score_parent_sets(table, max_parents=1)
    assert caught[0].filename == __file__


def test_a_package_whose_name_begins_like_baytree_is_the_user():
    path = f"{user_warnings.__file__.partition('messages')[0].rstrip('/')}_extra.py"
    call = compile("warn_user('note', BaytreeWarning)", path, "exec")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(call, {"warn_user": user_warnings.warn_user, "BaytreeWarning": BaytreeWarning})
    assert caught[0].filename == path
