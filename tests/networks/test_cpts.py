import numpy as np
import pandas as pd
import polars as pl
import pytest

import baytree as bt

STATES = {"rain": ["no", "yes"], "sprinkler": ["off", "low", "high"], "grass": ["dry", "wet"]}
ARCS = [("rain", "grass"), ("sprinkler", "grass")]
GRASS = np.linspace(0.1, 0.9, 6).reshape(2, 3)
CPTS = {
    "rain": [0.8, 0.2],
    "sprinkler": [0.5, 0.25, 0.25],
    "grass": np.stack([GRASS, 1 - GRASS], axis=-1),
}


def made(**changed):
    return bt.BayesianNetwork(STATES, ARCS, cpts=CPTS | changed)


def test_a_cpt_has_a_row_for_every_joint_state_of_the_parents():
    frame = made().cpt("grass")
    assert frame.index.names == ["rain", "sprinkler"]
    assert frame.columns.name == "grass"
    assert frame.loc[("yes", "low"), "dry"] == pytest.approx(GRASS[1, 1])
    assert made().cpt("rain").to_numpy().tolist() == [[0.8, 0.2]]


def test_a_labelled_frame_may_have_its_parents_and_states_in_any_order():
    frame = made().cpt("grass").reorder_levels(["sprinkler", "rain"]).iloc[::-1, ::-1]
    pd.testing.assert_frame_equal(made(grass=frame).cpt("grass"), made().cpt("grass"))


def test_rows_within_rounding_of_a_distribution_are_put_right():
    network = made(rain=[0.8000001, 0.2])
    assert network.cpt("rain").to_numpy().sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rain": [0.8, 0.3]}, r"'rain' must not be negative and sum to 1; got \[0.8, 0.3\]"),
        ({"rain": [1.5, -0.5]}, "'rain' must not be negative"),
        ({"rain": [float("nan"), 1.0]}, "'rain' must not be negative"),
        ({"rain": [0.5, 0.25, 0.25]}, r"'rain' have shape \(3,\); \(2,\) is needed"),
        ({"rain": "often"}, "'rain' must be numbers; got 'often'"),
        (
            {"grass": np.ones((2, 3, 2))},
            r"'grass' given {'rain': 'no', 'sprinkler': 'off'} must not",
        ),
        ({"rain": pd.DataFrame([[0.5, 0.5]], columns=["n", "y"])}, r"must have its states"),
    ],
)
def test_what_is_no_distribution_is_named(changed, message):
    with pytest.raises(ValueError, match=message):
        made(**changed)


def test_every_variable_needs_a_table():
    with pytest.raises(ValueError, match="cpts lacks the probabilities of variable 'grass'"):
        bt.BayesianNetwork(STATES, ARCS, cpts={"rain": [0.8, 0.2], "sprinkler": [0.5, 0.3, 0.2]})


def test_a_structure_alone_has_no_probabilities():
    network = bt.BayesianNetwork(STATES, ARCS)
    assert not network.has_probabilities
    with pytest.raises(ValueError, match="a structure alone, without probabilities"):
        network.cpt("rain")


def test_parameters_count_all_but_one_probability_a_row():
    assert made().n_parameters == 1 + 2 + 6


@pytest.mark.parametrize(
    "given",
    [
        {"yes": 0.2, "no": 0.8},
        pd.Series([0.2, 0.8], index=["yes", "no"]),
        pd.Series([0.8, 0.2]),
        pd.DataFrame({"yes": [0.2], "no": [0.8]}),
    ],
)
def test_probabilities_without_parents_are_found_by_state(given):
    assert made(rain=given).cpt("rain").loc[0].to_dict() == {"no": 0.8, "yes": 0.2}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rain": {"no": 1.0}}, r"must be those of its states \('no', 'yes'\); got \['no'\]"),
        ({"rain": {}}, "must be those of its states"),
        ({"rain": pd.Series([0.8, 0.2], index=["n", "y"])}, "must be those of its states"),
        ({"grass": {"dry": 0.5, "wet": 0.5}}, r"depend on its parents \('rain', 'sprinkler'\)"),
        ({"rain": pl.DataFrame({"yes": [0.2], "no": [0.8]})}, "must be a pandas frame or an array"),
    ],
)
def test_labels_that_do_not_fit_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        made(**changed)


def test_a_frame_of_other_parents_is_refused():
    frame = made().cpt("grass").rename_axis(index=["snow", "sprinkler"])
    with pytest.raises(ValueError, match=r"are named \('snow', 'sprinkler'\); its parents are"):
        made(grass=frame)


def test_tables_must_be_given_by_variable():
    with pytest.raises(ValueError, match="cpts must map variables to their probabilities"):
        bt.BayesianNetwork({"a": [0, 1]}, cpts=[[0.5, 0.5]])
