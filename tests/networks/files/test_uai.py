import itertools
import math
from functools import partial

import numpy as np
import pytest

import baytree as bt
from baytree.exceptions import FileFormatError

# The table of the third variable: 1 slowest, then 0, then the variable itself.
GOOD = """BAYES  # a comment
3
2 3 2
3
1 0
1 1
3 1 0 2

2
 0.8 0.2
3
 0.5 0.25 0.25
12
 0.9 0.1  0.8 0.2  0.7 0.3  0.6 0.4  0.5 0.5  0.4 6e-1
"""


@pytest.fixture
def read(read_as):
    return partial(read_as, "network.uai")


def joint_of(text):
    """Return the joint distribution as the rules of the format define it."""
    words = iter(" ".join(line.split("#")[0] for line in text.splitlines()).split()[1:])
    arities = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    joint = dict.fromkeys(itertools.product(*map(range, arities)), 1.0)
    for scope in scopes:
        next(words)
        factor = {
            codes: float(next(words))
            for codes in itertools.product(*(range(arities[v]) for v in scope))
        }
        joint = {codes: p * factor[tuple(codes[v] for v in scope)] for codes, p in joint.items()}
    return joint


def joint_of_network(network):
    joint = {}
    for codes in itertools.product(*(range(len(network.states(v))) for v in network.variables)):
        code_of = dict(zip(network.variables, codes, strict=True))
        joint[codes] = math.prod(
            network.cpt(name).to_numpy()[row(network, name, code_of), code_of[name]]
            for name in network.variables
        )
    return joint


def row(network, name, code_of):
    parents = network.parents(name)
    shape = [len(network.states(parent)) for parent in parents]
    return np.ravel_multi_index([code_of[p] for p in parents], shape) if parents else 0


def test_tables_mean_what_the_format_says(read):
    network = read(GOOD)
    assert network.variables == ("x0", "x1", "x2")
    assert network.states("x1") == (0, 1, 2)
    assert joint_of_network(network) == pytest.approx(joint_of(GOOD))


def test_what_is_written_means_the_same(tmp_path):
    rng = np.random.default_rng(1)
    network = bt.BayesianNetwork(
        {"c": [0, 1], "a": ["x", "y", "z"], "b": [True, False]},
        [("a", "c"), ("b", "c"), ("a", "b")],
        cpts={
            "a": [1e-9, 0.5, 0.5 - 1e-9],
            "b": rng.dirichlet([1, 1], 3),
            "c": rng.dirichlet([1, 1], (3, 2)),
        },
    )
    path = tmp_path / "network.uai"
    network.write(path)
    assert "e-" not in path.read_text()  # some readers know no exponents
    assert joint_of(path.read_text()) == pytest.approx(joint_of_network(network), abs=1e-15)
    assert bt.BayesianNetwork.read(path).variables == ("c", "a", "b")


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ("BAYES", "MARKOV", "line 1, column 1", "expected BAYES; got 'MARKOV'"),
        ("BAYES  # a comment\n3", "BAYES\n0", "line 2, column 1", "no variable"),
        ("2 3 2", "2 0 2", "line 3, column 3", "variable 'x1' has no states"),
        ("2 3 2", "2 99999999 2", "line 3, column 3", "99,999,999 states; the limit is 65,535"),
        ("2 3 2", "2 -3 2", "line 3, column 3", "expected the number of states of variable 1"),
        ("2\n3\n1", "2\n2\n1", "line 4, column 1", "2 tables for 3 variables"),
        ("3 1 0 2", "3 1 9 2", "line 7, column 5", "variable 9 of 3, counted from 0"),
        ("3 1 0 2", "3 1 2 2", "line 7, column 7", "is its own parent"),
        ("3 1 0 2", "3 1 2 0", "line 7, column 7", "probabilities of 'x0' come twice"),
        ("1 1\n", "0\n", "line 6, column 1", "a table of no variable"),
        ("\n12\n", "\n13\n", "line 13, column 1", "13 numbers for the table of variable 2"),
        ("0.9 0.1", "0.9 x", "line 14, column 6", "'x' is not a number"),
        ("0.9 0.1", "0.9 0.2", "line 13, column 1", "'x2' given x1 = 0, x0 = 0 must not be"),
        (" 6e-1", "", "line 15, column 1", "expected a probability; got the end"),
        (" 6e-1", " 6e-1 7", "line 14, column 56", "expected the end; got '7'"),
        ("0.4 6e-1", "0.4 6e-1\n# baytree labels: 0 [", "line 15, column 1", "note about labels"),
        (
            *("0.4 6e-1", '0.4 6e-1\n# baytree labels: 0 ["x1", [1, 2]]'),
            *("line 3, column 3", "a note names 'x1' twice"),
        ),
        (
            *("0.4 6e-1", '0.4 6e-1\n# baytree labels: 0 ["\\ud800", [1, 2]]'),
            *("line 15, column 1", "note about labels"),
        ),
        (
            *("0.4 6e-1", '0.4 6e-1\n# baytree labels: 0 ["a", [1, 1.0]]'),
            *("line 15, column 1", "note about labels"),
        ),
    ],
)
def test_a_broken_file_is_refused_with_line_and_column(read, old, new, place, problem):
    assert GOOD.count(old) >= 1
    with pytest.raises(FileFormatError) as caught:
        read(GOOD.replace(old, new))
    assert f"network.uai, {place}" in str(caught.value)
    assert problem in str(caught.value)


def test_huge_declarations_are_refused_before_anything_is_made(read):
    with pytest.raises(FileFormatError, match="number of states of variable 2; got the end"):
        read("BAYES 999999999999999 2 2")
    scope = " ".join(map(str, range(40)))
    text = f"BAYES 40 {'9 ' * 40} 40 {' '.join(f'1 {i}' for i in range(39))} 40 {scope} "
    with pytest.raises(FileFormatError, match="its states need far more"):
        read(text + ("9 " + "0.5 0.5 0 0 0 0 0 0 0 ") * 39 + "999999999")
    with pytest.raises(FileFormatError, match="names and states"):
        read("BAYES 100 " + "65535 " * 100)
