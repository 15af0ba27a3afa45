import json

import baytree as bt
from baytree.cli.main import main


def test_sizes_and_cost_are_those_of_the_network(network, model, capsys):
    assert main(["info", str(model), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    cost = network.inference_cost()
    assert figures == {
        "n_variables": 3,
        "n_arcs": 3,
        "max_parents": 2,
        "treewidth": 2,
        "min_states": 2,
        "max_states": 3,
        "n_parameters": 11,
        "largest_clique": 3,
        "clique_states": 12,
        "table_entries": cost.table_entries,
        "n_bytes": cost.n_bytes,
        "seconds": cost.seconds,
    }


def test_evidence_lowers_the_cost(model, capsys):
    main(["info", str(model), "--json", "--evidence", "rain=yes"])
    assert json.loads(capsys.readouterr().out)["clique_states"] < 12


def test_people_get_lines(model, capsys):
    assert main(["info", str(model)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 variables, 3 arcs, at most 2 parents, treewidth 2"
    assert lines[1] == "2 to 3 states, 11 parameters"
    assert lines[2].startswith("all marginals: largest clique: 3 variables with 12 joint states")


def test_states_of_one_number_are_no_range(tmp_path, capsys):
    path = tmp_path / "coin.bif"
    bt.BayesianNetwork({"coin": ["heads", "tails"]}, cpts={"coin": [0.5, 0.5]}).write(path)
    assert main(["info", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "2 states each, 1 parameter"


def test_a_structure_alone_has_no_cost(tmp_path, capsys):
    path = tmp_path / "structure.json"
    bt.BayesianNetwork(["a", "b"], [("a", "b")]).write(path)
    assert main(["info", str(path)]) == 0
    assert capsys.readouterr().out == (
        "2 variables, 1 arc, at most 1 parent, treewidth 1\nno probabilities: a structure alone\n"
    )
    assert main(["info", str(path), "--json"]) == 0
    assert "largest_clique" not in json.loads(capsys.readouterr().out)
