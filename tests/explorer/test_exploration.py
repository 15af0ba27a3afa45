import numpy as np
import pytest

import baytree as bt
from baytree.explorer.exploration import BadRequestError, Exploration


@pytest.fixture
def exploration(sprinkler_network):
    return Exploration(sprinkler_network, np.array([[-1, 0, 0], [0, 0, 0]], dtype=np.int32))


def test_incomplete_rows_are_known_to_the_page(exploration):
    assert exploration.graph({})["rows"] == {"n": 2, "next_incomplete": 0}


def test_the_next_incomplete_row_begins_again_after_the_last(sprinkler_network):
    codes = np.array([[0, 0, 0], [-1, 0, 0], [0, 0, 0], [0, 0, -1]], dtype=np.int32)
    exploration = Exploration(sprinkler_network, codes)
    assert [exploration.row({"row": row})["next_incomplete"] for row in range(4)] == [1, 3, 3, 1]


def test_a_complete_table_has_no_incomplete_row(sprinkler_network):
    exploration = Exploration(sprinkler_network, np.zeros((2, 3), dtype=np.int32))
    assert exploration.row({"row": 1})["next_incomplete"] is None


def test_without_a_table_there_are_no_rows(sprinkler_network):
    exploration = Exploration(sprinkler_network)
    assert exploration.graph({})["rows"] is None
    with pytest.raises(BadRequestError, match="no table"):
        exploration.row({"row": 0})


@pytest.mark.parametrize(
    "evidence",
    [
        "rain",
        {"rain": "yes"},
        [0],
        [[0]],
        [[0, 2]],
        [[3, 0]],
        [[-1, 0]],
        [[0, -1]],
        [[0, True]],
        [[0, 0.0]],
        [["rain", "yes"]],
        [[0, 0], [0, 1]],
        [[10**30, 0]],
        None,
    ],
)
def test_evidence_that_the_page_would_not_send_is_refused(exploration, evidence):
    with pytest.raises(BadRequestError, match="evidence must"):
        exploration.posteriors({"evidence": evidence})


@pytest.mark.parametrize("number", [None, -1, 3, "0", 1.0, True, [0]])
@pytest.mark.parametrize(
    ("endpoint", "key"),
    [("neighbourhood", "variable"), ("most_informative", "target"), ("row", "row")],
)
def test_numbers_out_of_bounds_are_refused(exploration, endpoint, key, number):
    with pytest.raises(BadRequestError, match=f"{key} must be a number"):
        getattr(exploration, endpoint)({key: number})


def test_a_clique_that_does_not_exist_is_refused(exploration):
    with pytest.raises(BadRequestError, match="clique must be a number from 0 to 0"):
        exploration.clique({"clique": 1})


def test_a_structure_without_probabilities_is_refused():
    network = bt.BayesianNetwork({"rain": ["no", "yes"]})
    with pytest.raises(ValueError, match="structure alone"):
        Exploration(network).prepare()
