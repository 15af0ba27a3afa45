import json

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.cli import impute
from baytree.cli.main import main


@pytest.fixture
def table():
    """Text with commas, codes with leading zeros, integers and numbers, with gaps."""
    random = np.random.default_rng(0)
    base = random.integers(0, 2, 300)
    frame = pd.DataFrame(
        {
            "text": np.array(["no", "yes, or ä"])[base],
            "code": np.array(["007", "010"])[base],
            "whole": base * 7,
            "number": [f"{x:.3f}0" for x in base + random.normal(0, 0.2, 300)],
        }
    ).astype(str)
    return frame.mask(random.random(frame.shape) < 0.15)


@pytest.fixture
def path(table, tmp_path):
    path = tmp_path / "holes.csv"
    table.fillna("?").to_csv(path, index=False)
    return path


def run_impute(path, *options, output="filled.csv"):
    filled = path.parent / output
    code = main(["impute", str(path), "-o", str(filled), "--seed", "0", *options])
    return code, filled


def cells(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_gaps_are_filled_as_by_the_python_call_and_other_text_stays(path, table):
    code, filled = run_impute(path, "--quiet")
    assert code == 0
    found = cells(filled)
    is_observed = table.notna()
    assert found.where(is_observed).equals(table.where(is_observed))
    with pytest.warns(bt.exceptions.DiscretizationWarning):
        expected = bt.BayesianNetworkImputer(random_state=0).fit(path).transform(path)
    for name in ("text", "code", "whole"):
        assert found[name].tolist() == expected[name].astype(str).tolist()
    np.testing.assert_array_equal(found["number"].astype(float), expected["number"])


def test_integers_that_gaps_turned_to_floats_are_known(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("a,b\n" + "1.0,2\n0.0,3\n,3\n" * 20)
    code, filled = run_impute(path, "--quiet")
    assert (code, filled.read_text().splitlines()[1:4]) == (0, ["1.0,2", "0.0,3", "0,3"])


def test_chunks_make_no_difference(path, monkeypatch):
    _, whole = run_impute(path, "--quiet")
    monkeypatch.setattr(impute, "CHUNK_ROWS", 7)
    _, chunked = run_impute(path, "--quiet", output="chunked.csv")
    assert chunked.read_text() == whole.read_text()


def test_probabilities_of_all_missing_cells_are_written(path, table, monkeypatch):
    monkeypatch.setattr(impute, "CHUNK_ROWS", 50)
    found = path.with_name("cells.csv")
    assert run_impute(path, "--quiet", "--probabilities", str(found))[0] == 0
    frame = cells(found).astype({"probability": float, "row": int})
    totals = frame.groupby(["row", "variable"])["probability"].sum()
    np.testing.assert_allclose(totals, 1)
    expected = {(row, table.columns[i]) for row, i in zip(*np.nonzero(table.isna()), strict=True)}
    assert set(totals.index) == expected


def test_samples_differ_in_filled_cells_alone(path, table):
    code, filled = run_impute(path, "--quiet", "--samples", "3")
    drawn = [cells(filled.with_name(f"filled.{i}.csv")) for i in (1, 2, 3)]
    assert code == 0
    assert not drawn[0].equals(drawn[1])
    for one in drawn:
        assert one.where(table.notna()).equals(table)
        assert not (one == "?").any().any()


def test_settings_reach_the_imputer(path):
    saved = path.with_name("imputer.json")
    options = ("--treewidth", "2", "--networks", "2", "--tune", "--method", "joint")
    assert run_impute(path, "--quiet", *options, "--save", str(saved))[0] == 0
    settings = bt.BayesianNetworkImputer.load(saved).get_params()
    names = ("max_treewidth", "n_networks", "tune", "method", "random_state")
    assert [settings[name] for name in names] == [2, 2, True, "joint", 0]


def test_a_saved_imputer_fills_new_rows(path, table):
    saved = path.with_name("imputer.json")
    assert run_impute(path, "--quiet", "--save", str(saved))[0] == 0
    new = path.with_name("new.csv")
    table.head(20).fillna("").to_csv(new, index=False)
    code, filled = run_impute(new, "--quiet", "--imputer", str(saved), output="new_filled.csv")
    assert code == 0
    assert cells(filled).equals(cells(path.with_name("filled.csv")).head(20))


def test_a_state_that_the_imputer_does_not_know(path, capsys):
    saved = path.with_name("imputer.json")
    run_impute(path, "--quiet", "--save", str(saved))
    new = path.with_name("new.csv")
    new.write_text("text,code,whole,number\nmaybe,007,,0.1\n")
    assert run_impute(new, "--imputer", str(saved))[0] == 1
    assert "'text' has state 'maybe'" in capsys.readouterr().err
    options = ("--quiet", "--imputer", str(saved), "--unknown", "missing")
    code, filled = run_impute(new, *options, output="other.csv")
    assert (code, cells(filled)["text"].tolist()) == (0, ["maybe"])


def test_parquet_files_keep_their_types_and_index(table, tmp_path):
    path = tmp_path / "holes.parquet"
    frame = table.assign(
        text=table["text"].astype("category"),
        whole=pd.array(pd.to_numeric(table["whole"]), dtype="Int64"),
        number=pd.to_numeric(table["number"]),
    )
    frame.index = pd.Index(np.arange(300) * 2 + 5, name="day")
    frame.to_parquet(path)
    code, filled = run_impute(path, "--quiet", output="filled.parquet")
    found, before = pd.read_parquet(filled), pd.read_parquet(path)
    assert code == 0
    assert found.dtypes.tolist() == before.dtypes.tolist()
    assert found.index.equals(before.index)
    assert not found.isna().any().any()
    with pytest.warns(bt.exceptions.DiscretizationWarning):
        expected = bt.BayesianNetworkImputer(random_state=0).fit_transform(before)
    assert found.astype(object).equals(expected.astype(object))


def test_the_summary_and_the_report_can_be_read(path, table, capsys):
    assert run_impute(path, "--report", "--json")[0] == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["n_missing"] == table.isna().sum().sum()
    assert summary["n_rows"] == 300
    assert summary["accuracy"] > summary["mode_accuracy"]
    assert run_impute(path, "--report")[0] == 0
    out = capsys.readouterr().out
    assert "held-out check" in out
    assert "of 300 rows filled" in out


def test_tabs_and_compression_are_kept(table, tmp_path):
    path = tmp_path / "holes.tsv.gz"
    table.to_csv(path, index=False, sep="\t")
    code, filled = run_impute(path, "--quiet", output="filled.tsv")
    assert code == 0
    assert filled.read_text().startswith("text\tcode\twhole\tnumber\n")


@pytest.mark.parametrize(
    ("output", "options", "problem"),
    [
        ("filled.parquet", (), "must end as the table does"),
        ("filled.txt", (), "must end in .csv"),
        ("holes.csv", (), "is the file to read itself"),
        ("no/such/filled.csv", (), "is not a folder"),
        ("filled.csv", ("--save", "imputer.pickle"), "must end in .json"),
    ],
)
def test_what_cannot_be_written_is_refused(path, capsys, output, options, problem):
    assert run_impute(path, *options, output=output)[0] == 1
    assert problem in capsys.readouterr().err
