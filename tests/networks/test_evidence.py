import numpy as np
import pandas as pd
import pytest

from baytree.exceptions import DiscretizationWarning, UnknownStateError, UnknownVariableError
from baytree.networks.evidence import encode_evidence
from baytree.tables.encoding import TableEncoding
from encoded_tables import encode_states

STATES = {"rain": ["no", "yes"], "wind": [0, 1, 2]}


@pytest.fixture
def encoding():
    return TableEncoding.from_states(STATES)


def test_labels_become_codes(encoding):
    assert encode_evidence(encoding, {"wind": 2, "rain": "no"}).states == [(1, 2), (0, 0)]
    assert encode_evidence(encoding, pd.Series({"rain": "yes"})).states == [(0, 1)]


@pytest.mark.parametrize("label", ["1", 1, 1.0, np.int64(1), np.float32(1), True, np.True_])
def test_labels_mean_the_same_state_whatever_their_type(label):
    encoding = TableEncoding.from_states({"mixed": ["1", 1, True], "other": [True, 1, "1"]})
    expected = encoding.code("mixed", label)
    evidence = encode_evidence(encoding, {"mixed": label, "other": label})
    assert evidence.states == [(0, expected), (1, 2 - expected)]


def test_nothing_is_observed_without_evidence(encoding):
    assert encode_evidence(encoding, None) == encode_evidence(encoding, {})


@pytest.mark.parametrize("cell", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT")])
def test_a_missing_cell_is_not_observed(encoding, cell):
    evidence = encode_evidence(encoding, {"rain": cell, "wind": 1})
    assert (evidence.states, evidence.likelihoods) == ([(1, 1)], [])


def test_likelihoods_come_in_the_order_of_the_states(encoding):
    evidence = encode_evidence(encoding, {"wind": {2: 0.5, 0: 3, 1: np.float32(0.25)}})
    assert evidence.likelihoods == [(1, [3.0, 0.25, 0.5])]


def test_a_series_of_states_holds_likelihoods(encoding):
    given = {"wind": pd.Series([0.5, 3, 0.25], index=[2, 0, 1])}
    assert encode_evidence(encoding, given).likelihoods == [(1, [3.0, 0.25, 0.5])]


def test_a_number_stands_for_the_bin_that_holds_it():
    encoding, codes = binned_sizes()
    assert encode_evidence(encoding, {"size": 0.999}).states == [(0, int(codes.max()))]


@pytest.mark.parametrize("state", ["big", np.inf, 10**400])
def test_evidence_on_a_binned_variable_is_a_finite_number_or_a_bin(state):
    encoding, _ = binned_sizes()
    with pytest.raises(UnknownStateError, match=r"'size' has no state .* a finite number"):
        encode_evidence(encoding, {"size": state})


def binned_sizes():
    with pytest.warns(DiscretizationWarning):
        return encode_states(pd.DataFrame({"size": np.linspace(0, 1, 200)}))


@pytest.mark.parametrize(
    ("evidence", "error", "message"),
    [
        ({"snow": "yes"}, UnknownVariableError, "no variable 'snow' .known: 'rain', 'wind'"),
        ({"rain": "maybe"}, UnknownStateError, "'rain' has no state 'maybe' .known: 'no', 'yes'"),
        ({"wind": "1"}, UnknownStateError, "'wind' has no state '1'"),
        ({"wind": True}, UnknownStateError, "'wind' has no state True"),
        (
            {"rain": ["no"]},
            UnknownStateError,
            r"'rain' has no state .* Give one state, or",
        ),
        ({"rain": {"maybe": 1}}, UnknownStateError, "'rain' has no state 'maybe'"),
        ({"rain": {"yes": 0.9}}, ValueError, "'rain' lacks the likelihood of 'no'"),
        ({"rain": {}}, ValueError, "'rain' lacks the likelihood of 'no', 'yes'"),
        ({"rain": {"no": -1, "yes": 1}}, ValueError, "state 'no' of 'rain' .* at least 0; got -1"),
        ({"rain": {"no": 1, "yes": float("inf")}}, ValueError, "finite number .* got inf"),
        ({"rain": {"no": 1, "yes": "1"}}, ValueError, "finite number .* got '1'"),
        (["rain"], ValueError, r"evidence must map variables to their states; got \['rain'\]"),
        ("rain", ValueError, "evidence must map variables to their states; got 'rain'"),
    ],
)
def test_what_is_no_evidence_is_named(encoding, evidence, error, message):
    with pytest.raises(error, match=message):
        encode_evidence(encoding, evidence)


def test_a_series_names_each_variable_once(encoding):
    twice = pd.Series(["no", "yes"], index=["rain", "rain"])
    with pytest.raises(ValueError, match="evidence names 'rain' more than once"):
        encode_evidence(encoding, twice)
