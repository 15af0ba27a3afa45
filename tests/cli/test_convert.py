import json

import pytest

import baytree as bt
from baytree.cli.main import main


@pytest.mark.parametrize("ending", [".bif", ".xdsl", ".net", ".xmlbif", ".uai.gz", ".json"])
def test_a_network_goes_to_another_format_and_back(network, model, tmp_path, ending, capsys):
    there, back = tmp_path / f"there{ending}", tmp_path / "back.json"
    assert main(["convert", str(model), str(there)]) == 0
    assert capsys.readouterr().out.endswith(f"written to {there}\n")
    assert main(["convert", str(there), str(back), "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert bt.BayesianNetwork.read(back).equals(network)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("there.docx", "the name of a network must end in"),
        ("model.json", "is also the file to read"),
        ("no/there.bif", "there is no folder"),
    ],
)
def test_an_output_that_cannot_be_ends_with_1(model, tmp_path, output, message, capsys):
    assert main(["convert", str(model), str(tmp_path / output)]) == 1
    assert message in capsys.readouterr().err


def test_a_broken_file_ends_with_1_and_its_line(tmp_path, capsys):
    (tmp_path / "broken.bif").write_text("network a {\n}\nvariable b {\n")
    assert main(["convert", str(tmp_path / "broken.bif"), str(tmp_path / "b.json")]) == 1
    assert "broken.bif" in capsys.readouterr().err


def test_the_output_may_be_given_as_in_other_commands(network, model, tmp_path, capsys):
    there = tmp_path / "there.xdsl"
    assert main(["convert", str(model), "-o", str(there), "--json"]) == 0
    assert bt.BayesianNetwork.read(there).equals(network)
    summary = {"n_variables": 3, "n_arcs": 3, "treewidth": 2, "output": str(there)}
    assert json.loads(capsys.readouterr().out) == summary


@pytest.mark.parametrize("outputs", [[], ["a.bif", "-o", "b.bif"]])
def test_one_output_is_needed(model, outputs, capsys):
    with pytest.raises(SystemExit) as end:
        main(["convert", str(model), *outputs])
    assert end.value.code == 2
    assert "give one file to write: baytree convert MODEL FILE" in capsys.readouterr().err


def test_errors_name_no_option_that_was_not_used(model, capsys):
    assert main(["convert", str(model), str(model)]) == 1
    assert "--output" not in capsys.readouterr().err
