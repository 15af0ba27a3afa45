import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import UnknownStateError, UnknownVariableError
from baytree.messages.suggestions import closest_name


@pytest.fixture
def network():
    return bt.BayesianNetwork(
        {"smoker": ["never", "sometimes", "daily"], "age": [1, 2]},
        [("age", "smoker")],
        cpts={"age": [0.5, 0.5], "smoker": [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]},
    )


@pytest.mark.parametrize(
    ("given", "known", "expected"),
    [
        ("smokr", ["age", "smoker"], " Did you mean 'smoker'?"),
        ("SMOKER", ["age", "smoker"], " Did you mean 'smoker'?"),
        ("1", [0, 1], " Did you mean 1?"),
        (1.0, [1, "1.0"], " Did you mean '1.0'?"),
        ("a", ["A", "a."], " Did you mean 'A'?"),
        ("cancer", ["age", "smoker"], ""),
        ("cancer", [], ""),
        ("x" * 200, ["x" * 199], ""),
        ("x", ["x" * 200, "x."], " Did you mean 'x.'?"),
    ],
)
def test_the_closest_name_is_suggested(given, known, expected):
    assert closest_name(given, known) == expected


def test_the_closest_of_very_many_names_is_found():
    known = [f"variable_{number}" for number in range(10_000)]
    assert closest_name("varable_7777", known) == " Did you mean 'variable_7777'?"


@pytest.mark.parametrize(
    "ask",
    [
        lambda network: network.posterior("smokre"),
        lambda network: network.posterior("age", {"smokre": "daily"}),
        lambda network: network.parents("smokre"),
        lambda network: network.marginals()["smokre"],
        lambda network: network.is_d_separated("age", "smokre"),
        lambda network: bt.BayesianNetwork(["age", "smoker"], [("age", "smokre")]),
    ],
)
def test_a_query_on_an_unknown_variable_asks_whether_another_was_meant(network, ask):
    with pytest.raises(UnknownVariableError, match=r"\)\. Did you mean 'smoker'\?$"):
        ask(network)


@pytest.mark.parametrize("evidence", [{"smoker": "dayly"}, {"smoker": {"dayly": 1.0}}])
def test_evidence_on_an_unknown_state_asks_whether_another_was_meant(network, evidence):
    with pytest.raises(UnknownStateError, match=r"\)\. Did you mean 'daily'\?$"):
        network.posterior("age", evidence)


def test_a_cell_with_an_unknown_state_asks_whether_another_was_meant(network):
    table = {"smoker": ["dayly"], "age": [1]}
    with pytest.raises(UnknownStateError, match=r"Did you mean 'daily'\? Map it"):
        network.log_likelihood(pd.DataFrame(table))


def test_a_number_is_not_taken_for_another_number():
    network = bt.BayesianNetwork({"n": [3, 4], "m": ["3", "14"]})
    with pytest.raises(UnknownStateError, match=r"\(known: 3, 4\)\.$"):
        network.posterior("m", {"n": 14})
    with pytest.raises(UnknownStateError, match=r"Did you mean '3'\?$"):
        network.posterior("n", {"m": 3})


def test_names_of_any_length_make_short_errors():
    network = bt.BayesianNetwork(["a  b", "x" * 100_000], [])
    with pytest.raises(UnknownVariableError, match=r"\(known: 'a  b', 'xxx") as caught:
        network.parents("y" * 100_000)
    assert len(str(caught.value)) < 300
