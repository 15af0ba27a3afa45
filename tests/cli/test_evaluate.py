import json
import math

import pandas as pd
import pytest

import baytree as bt
from baytree.cli.main import main


@pytest.fixture
def table(network, tmp_path):
    path = tmp_path / "test.csv"
    network.sample(400, random_state=0).to_csv(path, index=False)
    return path


def test_figures_are_those_of_the_python_calls(network, model, table, capsys):
    assert main(["evaluate", str(model), str(table), "--json", "--n-jobs", "2"]) == 0
    figures = json.loads(capsys.readouterr().out)
    rows = network.sample(400, random_state=0)
    assert figures == {
        "n_rows": 400,
        "mean_log_likelihood": pytest.approx(network.log_likelihood(rows).mean()),
        "n_impossible_rows": 0,
        "bic": pytest.approx(network.bic(rows)),
        "treewidth": 2,
    }


def test_people_get_lines(network, model, table, capsys):
    assert main(["evaluate", str(model), str(table)]) == 0
    mean = network.log_likelihood(network.sample(400, random_state=0)).mean()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"400 rows, mean log-likelihood {mean:.6f}"
    assert lines[1].startswith("BIC -")
    assert lines[2] == "treewidth 2"


def test_incomplete_rows_have_a_likelihood_and_no_bic(model, table, capsys):
    table.write_text("rain,sprinkler,wet=grass\nyes,,dry\n,0,\n")
    assert main(["evaluate", str(model), str(table), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["n_rows"], figures["bic"]) == (2, None)
    assert main(["evaluate", str(model), str(table)]) == 0
    assert "BIC not defined: cells are missing" in capsys.readouterr().out


def test_impossible_rows_are_counted(model, table, capsys):
    table.write_text("rain,sprinkler,wet=grass\nyes,1,dry\nno,0,dry\n")
    assert main(["evaluate", str(model), str(table), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["mean_log_likelihood"], figures["n_impossible_rows"]) == (None, 1)
    assert main(["evaluate", str(model), str(table)]) == 0
    assert "1 row of probability zero" in capsys.readouterr().out


@pytest.mark.parametrize("ending", [".bif", ".json"])
def test_states_that_are_numbers_as_text_meet_numbers_in_a_table(tmp_path, ending, capsys):
    """Many formats have text alone: a state "1" there is the cell 1 of a CSV file."""
    cpts = {"a": [0.25, 0.75]}
    bt.BayesianNetwork({"a": ["0", "1"]}, cpts=cpts).write(tmp_path / f"model{ending}")
    pd.DataFrame({"a": [0, 1, 1]}).to_csv(tmp_path / "test.csv", index=False)
    assert main(["evaluate", str(tmp_path / f"model{ending}"), str(tmp_path / "test.csv")]) == 0
    assert "3 rows" in capsys.readouterr().out


def test_unknown_states_end_with_1(model, table, capsys):
    table.write_text("rain,sprinkler,wet=grass\nmaybe,1,dry\n")
    assert main(["evaluate", str(model), str(table)]) == 1
    assert "'maybe'" in capsys.readouterr().err


def test_words_for_missing_are_those_of_the_option(model, table, capsys):
    table.write_text("rain,sprinkler,wet=grass\nyes,gone,dry\n")
    words = ["evaluate", str(model), str(table)]
    assert main(words) == 1
    assert "'sprinkler' has state 'gone'" in capsys.readouterr().err
    assert main([*words, "--missing-values", "gone", "--json"]) == 0
    log_likelihood = math.log(0.2 * (0.99 * 0.2 + 0.01 * 0.0))
    figures = json.loads(capsys.readouterr().out)
    assert figures["mean_log_likelihood"] == pytest.approx(log_likelihood)


def test_names_that_are_numbers_in_the_network_are_found(tmp_path, capsys):
    model, table = tmp_path / "model.json", tmp_path / "table.csv"
    bt.BayesianNetwork({1: [0, 1]}, cpts={1: [0.25, 0.75]}).write(model)
    table.write_text("1\n1\n")
    assert main(["evaluate", str(model), str(table), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["mean_log_likelihood"] == pytest.approx(math.log(0.75))


def test_a_variable_that_the_table_lacks_is_summed_out_with_a_note(network, model, table, capsys):
    rows = network.sample(400, random_state=0)[["rain", "sprinkler"]]
    rows.assign(day="Monday").to_csv(table, index=False)
    assert main(["evaluate", str(model), str(table), "--json"]) == 0
    out, err = capsys.readouterr()
    figures = json.loads(out)
    assert figures["mean_log_likelihood"] == pytest.approx(network.log_likelihood(rows).mean())
    assert figures["bic"] is None
    assert "note: the table lacks 'wet=grass', which the log-likelihood sums out" in err
    assert main(["evaluate", str(model), str(table), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_another_structure_is_compared(network, model, table, tmp_path, capsys):
    rows = network.sample(400, random_state=0)
    empty = bt.fit_parameters({}, rows)
    path = tmp_path / "empty.json"
    empty.write(path)
    assert main(["evaluate", str(model), str(table), "--against", str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    comparison = bt.compare_structures(network, empty, rows)
    assert figures["delta_bic"] == pytest.approx(comparison.delta_bic)
    assert figures["log_bayes_factor"] == pytest.approx(comparison.log_bayes_factor)
    assert figures["posterior_probability"] == pytest.approx(comparison.posterior_probability)
    assert figures["second_bic"] == pytest.approx(comparison.second_bic)
    assert figures["evidence"] == comparison.evidence
    assert main(["evaluate", str(path), str(table), "--against", str(model)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{-comparison.delta_bic:+,.3f}" in lines[-2]
    assert lines[-1].startswith(f"{comparison.evidence} evidence for the other network")


def test_two_structures_are_not_compared_on_incomplete_rows(model, table, capsys):
    table.write_text("rain,sprinkler,wet=grass\nyes,,dry\n,0,\n")
    words = ["evaluate", str(model), str(table), "--against", str(model)]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "no comparison: cells are missing"
    assert main([*words, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["n_rows"], figures["delta_bic"], figures["evidence"]) == (2, None, None)


def test_a_structure_is_no_better_than_itself(network, model, table, tmp_path, capsys):
    path = tmp_path / "structure.json"
    states = {name: network.states(name) for name in network.variables}
    bt.BayesianNetwork(states, network.arcs).write(path)
    assert main(["evaluate", str(model), str(table), "--against", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "the structures have the same BIC"
