import json

import numpy as np
import pandas as pd
import pytest

from baytree.cli.main import main


@pytest.fixture
def rows(network, tmp_path):
    """Rows without the target, with a missing cell, an unknown state and a foreign column."""
    table = network.sample(50, random_state=0).drop(columns="rain").astype(object)
    table.loc[0, "sprinkler"], table.loc[1, "wet=grass"] = None, "flooded"
    table["day"] = np.arange(50)
    path = tmp_path / "rows.csv"
    table.to_csv(path, index=False)
    return path


def expected(network, rows):
    return network.predict_proba(network.read_table(rows), "rain", handle_unknown="missing")


def test_predictions_are_those_of_the_python_call(network, model, rows, tmp_path):
    output, chances = tmp_path / "rain.csv", tmp_path / "chances.parquet"
    words = ["--target", "rain", "-o", str(output), "--probabilities", str(chances), "-j", "2"]
    assert main(["predict", str(model), str(rows), *words]) == 0
    proba = expected(network, rows)
    found = pd.read_csv(output)
    assert found.columns.tolist() == ["rain"]
    assert found["rain"].tolist() == proba.idxmax(axis=1).tolist()
    assert np.allclose(pd.read_parquet(chances)[["no", "yes"]], proba)


def test_predictions_go_to_stdout_without_a_file(network, model, rows, capsys):
    assert main(["predict", str(model), str(rows), "--target", "rain"]) == 0
    head, *states = capsys.readouterr().out.splitlines()
    assert (head, len(states)) == ("rain", 50)
    assert main(["predict", str(model), str(rows), "--target", "rain", "--json"]) == 0
    assert [row["rain"] for row in json.loads(capsys.readouterr().out)] == states


def test_a_summary_says_what_was_written(model, rows, tmp_path, capsys):
    words = ["predict", str(model), str(rows), "--target", "rain", "-o", str(tmp_path / "out.csv")]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("50 rows of 1 variable\nwritten to")
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "rian"], "rain"),
        (["--target", "rain", "--handle-unknown", "error"], "'flooded'"),
        (["--target", "rain", "-o", "out.xlsx"], "must end in .csv"),
    ],
)
def test_what_cannot_be_predicted_ends_with_1(model, rows, words, message, capsys):
    assert main(["predict", str(model), str(rows), *words]) == 1
    assert message in capsys.readouterr().err
