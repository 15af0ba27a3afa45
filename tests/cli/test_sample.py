import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest

from baytree.cli.main import main


def test_rows_are_those_of_the_python_call(network, model, tmp_path):
    path = tmp_path / "rows.csv"
    words = [
        "sample",
        str(model),
        "-n",
        "500",
        "--random-state",
        "3",
        "--n-jobs",
        "2",
        "-o",
        str(path),
    ]
    assert main(words) == 0
    expected = network.sample(500, random_state=3)
    pd.testing.assert_frame_equal(
        pd.read_csv(path, dtype=str), expected.astype(str), check_dtype=False
    )


def test_rows_go_to_stdout_without_a_file(model, capsys):
    assert main(["sample", str(model), "-n", "4", "--random-state", "0"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert (head, len(rows)) == ("rain,sprinkler,wet=grass", 4)


def test_evidence_holds_in_every_row(model, tmp_path):
    path = tmp_path / "rows.tsv.gz"
    words = ["-n", "300", "--evidence", "rain=yes", "--likelihood", "sprinkler=0:0,1:1"]
    assert main(["sample", str(model), *words, "-o", str(path)]) == 0
    rows = pd.read_csv(io.BytesIO(gzip.decompress(path.read_bytes())), sep="\t")
    assert (len(rows), set(rows["rain"]), set(rows["sprinkler"])) == (300, {"yes"}, {1})


def test_parquet_is_written(model, tmp_path):
    path = tmp_path / "rows.parquet"
    assert main(["sample", str(model), "-n", "50", "--random-state", "1", "-o", str(path)]) == 0
    assert np.isin(pd.read_parquet(path)["rain"], ["no", "yes"]).all()


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("rows.xlsx", "the name of a table must end in .csv, .csv.gz, .tsv"),
        ("no/rows.csv", "there is no folder"),
    ],
)
def test_an_output_that_cannot_be_ends_with_1(model, tmp_path, output, message, capsys):
    assert main(["sample", str(model), "-n", "5", "-o", str(tmp_path / output)]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("words", [(), ("-n", "0"), ("-n", "many")])
def test_a_number_of_rows_is_needed(model, words):
    with pytest.raises(SystemExit) as end:
        main(["sample", str(model), *words])
    assert end.value.code == 2


def test_rows_are_json_with_json(network, model, capsys):
    assert main(["sample", str(model), "-n", "4", "--random-state", "0", "--json"]) == 0
    expected = network.sample(4, random_state=0)
    rows = [dict(zip(expected.columns, row, strict=True)) for row in expected.to_numpy().tolist()]
    assert json.loads(capsys.readouterr().out) == rows
    assert isinstance(rows[0]["sprinkler"], int)


def test_the_summary_says_how_much_was_written(model, tmp_path, capsys):
    words = ["sample", str(model), "-n", "4", "-o", str(tmp_path / "rows.csv")]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["4 rows of 3 variables", f"written to {tmp_path / 'rows.csv'}"]
    assert main([*words, "--json"]) == 0
    summary = {"n_rows": 4, "n_variables": 3, "output": str(tmp_path / "rows.csv")}
    assert json.loads(capsys.readouterr().out) == summary
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().out == ""
