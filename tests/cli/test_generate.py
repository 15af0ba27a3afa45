import json

import pytest

import baytree as bt
from baytree.cli.main import main


def test_the_network_is_that_of_the_python_call(tmp_path, capsys):
    path = tmp_path / "random.json"
    words = ["--max-degree", "4", "--max-states", "5", "--random-state", "7", "-o", str(path)]
    assert main(["generate", "30", *words]) == 0
    expected = bt.random_network(30, max_degree=4, max_states=5, random_state=7)
    assert bt.BayesianNetwork.read(path).equals(expected)
    assert capsys.readouterr().out == f"{expected}\nwritten to {path}\n"


@pytest.mark.parametrize(
    "words", [("0",), ("many",), ("5", "--max-states", "1"), ("5", "--max-degree", "0")]
)
def test_bad_numbers_end_with_2(tmp_path, words):
    with pytest.raises(SystemExit) as end:
        main(["generate", *words, "-o", str(tmp_path / "random.json")])
    assert end.value.code == 2


def test_limits_that_exclude_each_other_end_with_1(tmp_path, capsys):
    words = ["generate", "5", "--max-degree", "1", "-o", str(tmp_path / "random.json")]
    assert main(words) == 1
    problem = "max_degree must be at least 2, so that 5 variables can be connected; got 1."
    assert problem in capsys.readouterr().err


def test_the_summary_is_json_with_json(tmp_path, capsys):
    path = tmp_path / "random.json"
    assert main(["generate", "6", "--random-state", "0", "-o", str(path), "--json"]) == 0
    network = bt.BayesianNetwork.read(path)
    assert json.loads(capsys.readouterr().out) == {
        "n_variables": 6,
        "n_arcs": len(network.arcs),
        "treewidth": network.treewidth,
        "output": str(path),
    }
