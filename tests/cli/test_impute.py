import gzip
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from pyarrow import parquet

import baytree as bt
from baytree.cli import impute
from baytree.cli.main import main
from baytree.imputation import file_imputation


@pytest.fixture
def table():
    """Text with commas, codes with leading zeros, integers and numbers, with missing cells."""
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
    path = tmp_path / "incomplete.csv"
    table.fillna("?").to_csv(path, index=False)
    return path


def run_impute(path, *options, output="filled.csv"):
    filled = path.parent / output
    code = main(["impute", str(path), "-o", str(filled), "--random-state", "0", *options])
    return code, filled


def cells(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_missing_cells_are_imputed_as_in_python_and_other_text_stays(path, table):
    code, filled = run_impute(path, "--quiet")
    assert code == 0
    found = cells(filled)
    is_observed = table.notna()
    assert found.where(is_observed).equals(table.where(is_observed))
    expected = bt.BayesianNetworkImputer(random_state=0).fit(path).transform(path)
    for name, width in (("text", 0), ("code", 3), ("whole", 0)):
        assert found[name].tolist() == expected[name].astype(str).str.zfill(width).tolist()
    np.testing.assert_array_equal(found["number"].astype(float), expected["number"])


def test_integers_that_missing_cells_turned_to_floats_are_known(tmp_path):
    path = tmp_path / "incomplete.csv"
    path.write_text("a,b\n" + "1.0,2\n0.0,3\n,3\n" * 20)
    code, filled = run_impute(path, "--quiet")
    assert (code, filled.read_text().splitlines()[1:4]) == (0, ["1.0,2", "0.0,3", "0,3"])


def test_chunks_make_no_difference(path, monkeypatch):
    _, whole = run_impute(path, "--quiet")
    monkeypatch.setattr(file_imputation, "CHUNK_ROWS", 7)
    _, chunked = run_impute(path, "--quiet", output="chunked.csv")
    assert chunked.read_text() == whole.read_text()


def test_probabilities_of_all_missing_cells_are_written(path, table, monkeypatch):
    monkeypatch.setattr(file_imputation, "CHUNK_ROWS", 50)
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
    options = ("--max-treewidth", "2", "--n-networks", "auto", "--tune", "--completion", "joint")
    assert run_impute(path, "--quiet", *options, "--save", str(saved))[0] == 0
    settings = bt.BayesianNetworkImputer.read(saved).get_params()
    names = ("max_treewidth", "n_networks", "tune", "completion", "random_state")
    assert [settings[name] for name in names] == [2, "auto", True, "joint", 0]


@pytest.mark.parametrize("given", ["0", "many"])
def test_a_number_of_networks_that_cannot_be_is_refused(path, capsys, given):
    with pytest.raises(SystemExit) as ended:
        run_impute(path, "--n-networks", given)
    assert ended.value.code == 2
    assert f"auto, or a whole number of at least 1; got '{given}'" in capsys.readouterr().err


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
    options = ("--quiet", "--imputer", str(saved), "--handle-unknown", "missing")
    code, filled = run_impute(new, *options, output="other.csv")
    assert (code, cells(filled)["text"].tolist()) == (0, ["maybe"])


def test_parquet_files_keep_their_types_and_index(table, tmp_path):
    path = tmp_path / "incomplete.parquet"
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
    expected = bt.BayesianNetworkImputer(random_state=0).fit_transform(before)
    assert found.astype(object).equals(expected.astype(object))


def test_the_summary_and_the_report_can_be_read(path, table, capsys):
    assert run_impute(path, "--report", "--json")[0] == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["n_missing"] == table.isna().sum().sum()
    assert summary["n_rows"] == 300
    assert summary["accuracy"] > summary["mode_accuracy"]
    assert 0 < summary["normalized_rmse"] < 1.5
    assert summary["chosen"] == {"criterion": "aic", "equivalent_sample_size": 10.0}
    assert summary["n_networks"] == 5
    assert set(summary["model_weights"]) == {"networks", "regressions"}
    assert run_impute(path, "--report")[0] == 0
    out = capsys.readouterr().out
    assert "accuracy: " in out
    assert "of 300 rows filled" in out
    assert "by 5 networks" in out


def test_tabs_and_compression_are_kept(table, tmp_path):
    path = tmp_path / "incomplete.tsv.gz"
    table.to_csv(path, index=False, sep="\t")
    code, filled = run_impute(path, "--quiet", output="filled.tsv")
    assert code == 0
    assert filled.read_text().startswith("text\tcode\twhole\tnumber\n")


@pytest.mark.parametrize(
    ("output", "options", "problem"),
    [
        ("filled.parquet", (), "must end as the table does"),
        ("filled.txt", (), "must end in .csv"),
        ("incomplete.csv", (), "is also the file to read"),
        ("no/such/filled.csv", (), "there is no folder"),
        ("filled.csv", ("--save", "imputer.pickle"), "must end in .json"),
        ("filled.csv", ("--save", "imputer.json.txt"), "must end in .json"),
        ("filled.csv", ("--probabilities", "filled.csv"), "filled.csv would be written twice"),
        ("filled.csv", ("--probabilities", "./filled.csv"), "filled.csv would be written twice"),
        (
            "filled.csv",
            ("--samples", "2", "--probabilities", "filled.2.csv"),
            "filled.2.csv would be written twice",
        ),
        (
            "filled.csv",
            ("--save", "cells.json", "--probabilities", "cells.json"),
            "cells.json would be written twice",
        ),
        (
            "filled.csv",
            ("--imputer", "saved.json", "--probabilities", "saved.json"),
            "saved.json is also the file to read",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(path, capsys, monkeypatch, output, options, problem):
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr(impute, "_impute", lambda *_: pytest.fail("the work has started"))
    assert run_impute(path, *options, output=output)[0] == 1
    assert problem in capsys.readouterr().err


@pytest.fixture
def saved(path):
    """An imputer of the table."""
    saved = path.with_name("imputer.json")
    assert run_impute(path, "--quiet", "--max-treewidth", "1", "--save", str(saved))[0] == 0
    return saved


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (b"", "line 1: the file is empty"),
        (b"text,code,whole,number\n", "line 1: there are no rows"),
        (b"text,code,whole,number\nno,007,0,0.1\n\nno,007\n", "line 4.*has 2 cells.*has 4"),
        (b"text,code,whole,number\nno,007,0,0.1,5\n", "line 2.*has 5 cells.*has 4"),
        (b'text,code,whole,number\n"no,007,0,0.1\n', "line 2.*never closed"),
        (b"text,code,whole,number\n" + b"x" * 200_000 + b",007,0,0.1\n", "line 2.*characters"),
        (b"text,code,whole,number\nno,\xff,0,0.1\n", "line 2, column 'code': byte 0xff"),
        (b"text,code,whole,code\nno,007,0,007\n", "line 1, column 'code': the name is that of"),
        (b"text,code,whole\nno,007,0\n", "The table lacks the variables 'number'"),
        (b"text,code,whole,numbr\nno,007,0,0.1\n", "holds the unknown variables 'numbr'"),
    ],
)
def test_a_broken_table_for_a_saved_imputer_is_refused(saved, capsys, lines, problem):
    new = saved.with_name("new.csv")
    new.write_bytes(lines)
    code, filled = run_impute(new, "--imputer", str(saved), output="new_filled.csv")
    assert (code, filled.exists()) == (1, False)
    error = capsys.readouterr().err
    assert re.search(f"baytree: error: .*{problem}", error, re.DOTALL)


def test_a_broken_archive_for_a_saved_imputer_is_refused(saved, capsys):
    new = saved.with_name("new.csv.gz")
    new.write_bytes(gzip.compress(b"text,code,whole,number\n" + b"no,007,0,0.1\n" * 99)[:-9])
    assert run_impute(new, "--imputer", str(saved), output="new_filled.csv")[0] == 1
    assert "new.csv.gz, line" in (error := capsys.readouterr().err)
    assert "broken gzip data" in error


def test_a_broken_row_in_a_later_chunk_is_refused_with_its_line(saved, capsys, monkeypatch):
    monkeypatch.setattr(file_imputation, "CHUNK_ROWS", 7)
    new = saved.with_name("new.csv")
    new.write_text("text,code,whole,number\n" + "no,007,0,0.1\n" * 20 + "no\n")
    code, filled = run_impute(new, "--imputer", str(saved), output="new_filled.csv")
    assert (code, filled.exists()) == (1, False)
    assert "line 22" in capsys.readouterr().err


def test_a_quoted_empty_cell_of_a_single_variable_is_a_row(tmp_path):
    path = tmp_path / "incomplete.csv"
    path.write_text("a\n" + 'x\n""\n' * 20)
    code, filled = run_impute(path, "--quiet")
    assert (code, filled.read_text()) == (0, "a\n" + "x\n" * 40)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda frame: frame.drop(columns="code"), "there is no column 'code'"),
        (lambda frame: frame.head(0), "the table has no rows"),
    ],
)
def test_a_parquet_file_that_lacks_something_is_refused(saved, table, capsys, change, problem):
    new = saved.with_name("new.parquet")
    change(table).to_parquet(new)
    assert run_impute(new, "--imputer", str(saved), output="new_filled.parquet")[0] == 1
    assert problem in capsys.readouterr().err


def test_a_broken_parquet_file_is_refused(saved, capsys):
    new = saved.with_name("new.parquet")
    new.write_bytes(b"PAR1 and nothing more")
    assert run_impute(new, "--imputer", str(saved), output="new_filled.parquet")[0] == 1
    assert "new.parquet: this is not a sound Parquet file" in capsys.readouterr().err


def test_a_parquet_file_with_a_name_twice_is_refused(saved, capsys):
    new = saved.with_name("new.parquet")
    names = ["text", "code", "whole", "number", "code"]
    parquet.write_table(pyarrow.table([["no"], ["007"], [0], [0.1], ["007"]], names=names), new)
    assert run_impute(new, "--imputer", str(saved), output="new_filled.parquet")[0] == 1
    assert "two columns are called 'code'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option",
    [
        ("--max-treewidth", "6"),
        ("--completion", "independent"),
        ("--n-networks", "1"),
        ("--tune",),
        ("--search", "hill-climb"),
        ("--criterion", "bic"),
        ("--time-limit", "5"),
        ("--missing-values", "none"),
        ("--n-bins", "5"),
    ],
)
def test_settings_of_learning_are_refused_with_a_saved_imputer(path, capsys, option):
    with pytest.raises(SystemExit) as ended:
        run_impute(path, "--imputer", "imputer.json", *option)
    assert ended.value.code == 2
    assert f"argument {option[0]}: not with --imputer" in capsys.readouterr().err
    assert not path.with_name("filled.csv").exists()


def test_a_table_too_small_for_a_check_is_filled_all_the_same(path, capsys):
    path.write_text("a,b\n1,x\n2,\n")
    assert run_impute(path, "--report", "--json")[0] == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["accuracy"] is None
    assert summary["mode_accuracy"] is None
    assert run_impute(path, "--report")[0] == 0
    assert "accuracy: unknown" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--regressions", "--no-regressions"])
def test_regressions_are_a_setting_of_learning(saved, path, capsys, option):
    run_impute(path, "--quiet", option, "--save", str(saved))
    is_asked_for = bt.BayesianNetworkImputer.read(saved).regressions
    assert is_asked_for == (option == "--regressions")
    with pytest.raises(SystemExit) as ended:
        run_impute(path, "--imputer", str(saved), option)
    assert ended.value.code == 2
    assert "argument --regressions: not with --imputer" in capsys.readouterr().err


def test_settings_that_are_not_given_are_those_of_the_help(saved, path):
    run_impute(path, "--quiet", "--save", str(saved))
    imputer = bt.BayesianNetworkImputer.read(saved).set_params(learner__max_iterations=None)
    settings = imputer.get_params()
    defaults = {
        "max_treewidth": None,
        "completion": "independent",
        "n_networks": 5,
        "tune": False,
        "regressions": True,
        "time_limit": None,
        "learner__max_treewidth": 6,
        "learner__search": "hill-climb",
        "learner__criterion": "auto",
        "learner__equivalent_sample_size": 10.0,
        "learner__n_bins": "auto",
    }
    assert {name: settings[name] for name in defaults} == defaults


def drawn_with(saved, new, *options):
    """Return the cells of a table drawn with a saved imputer."""
    words = ["impute", str(new), "-o", str(new.with_name("drawn.csv")), "--imputer", str(saved)]
    assert main([*words, "--quiet", "--samples", "1", *options]) == 0
    return cells(new.with_name("drawn.1.csv"))["text"]


@pytest.mark.parametrize("options", [(), ("--random-state", "5")])
def test_chunks_of_equal_rows_are_drawn_with_seeds_of_their_own(saved, monkeypatch, options):
    monkeypatch.setattr(file_imputation, "CHUNK_ROWS", 50)
    new = saved.with_name("new.csv")
    new.write_text("text,code,whole,number\n" + ",,,\n" * 100)
    drawn = drawn_with(saved, new, *options)
    assert drawn[:50].tolist() != drawn[50:].tolist()
    assert drawn.equals(drawn_with(saved, new, *options))


def test_a_table_of_one_chunk_is_drawn_as_by_the_python_call(saved, table):
    new = saved.with_name("new.csv")
    table.fillna("").to_csv(new, index=False)
    expected = bt.BayesianNetworkImputer.read(saved).sample(new, 1)[0]
    assert drawn_with(saved, new).tolist() == expected["text"].tolist()


def test_the_summary_of_a_parquet_file_counts_all_that_is_missing(tmp_path, capsys):
    path = tmp_path / "incomplete.parquet"
    numbers = pyarrow.array([0.0, 1.0, float("nan"), None] * 25)
    words = pyarrow.array(["a", "b", "none", "a"] * 25)
    parquet.write_table(pyarrow.table({"number": numbers, "word": words}), path)
    options = ("--json", "--missing-values", "none")
    code, filled = run_impute(path, *options, output="filled.parquet")
    assert (code, json.loads(capsys.readouterr().out)["n_missing"]) == (0, 75)
    found = parquet.read_table(filled).to_pydict()
    assert set(found["number"]) == {0.0, 1.0}
    assert set(found["word"]) == {"a", "b"}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_imputer_of_other_columns_fills_those_of_the_table(tmp_path, ending):
    frame = pd.DataFrame({"a": ["x", "y", None] * 20, "b": ["x", "y", "y"] * 20}, dtype="str")
    frame["empty"] = pd.Series([None] * 60, dtype="str")
    imputer = bt.BayesianNetworkImputer(keep_empty_features=False, add_indicator=True)
    with pytest.warns(bt.exceptions.EmptyVariableWarning):
        imputer.fit(frame).write(tmp_path / "imputer.json")
    path = tmp_path / f"incomplete.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    options = ("--quiet", "--imputer", str(tmp_path / "imputer.json"))
    code, filled = run_impute(path, *options, output=f"filled.{ending}")
    found = pd.read_csv(filled) if ending == "csv" else pd.read_parquet(filled)
    assert (code, list(found)) == (0, ["a", "b", "empty"])
    assert found["a"].tolist() == ["x", "y", "y"] * 20
    assert found["empty"].isna().all()


def test_limits_of_the_search_reach_the_imputer(path):
    saved = path.with_name("imputer.json")
    limits = ("--max-parents", "2", "--max-clique-states", "64", "--max-iterations", "9")
    prior = ("--equivalent-sample-size", "3")
    assert run_impute(path, "--quiet", *limits, *prior, "--save", str(saved))[0] == 0
    settings = bt.BayesianNetworkImputer.read(saved).get_params()
    names = ("equivalent_sample_size", "max_clique_states", "max_iterations")
    assert [settings[f"learner__{name}"] for name in names] == [3, 64, 9]
    assert settings["learner__constraints"].max_parents == 2


def test_a_note_on_identifiers_is_said_once(tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text("id,a\n" + "".join(f"p{i},{'xy?'[i % 3]}\n" for i in range(60)))
    assert run_impute(path, "--report", "--samples", "1")[0] == 0
    notes = capsys.readouterr().err.splitlines()
    assert [note for note in notes if "identifiers" in note] == [
        "baytree: note: Variables that look like identifiers or dates: 'id' (60 states in 60 "
        "rows). Rows hardly share their states, so they tell nothing about others: leave them "
        "out with ignore (on the command line --ignore), or replace them by what rows share, "
        "such as the month of a date, or a number without its unit."
    ]


def test_words_for_missing_replace_the_usual_ones_as_in_other_commands(tmp_path, capsys):
    path = tmp_path / "incomplete.csv"
    path.write_text("a,b\n" + "gone,NA\nx,lost\ny,y\n,NA\n" * 20)
    words = ("--missing-values", "gone", "--missing-values", "lost")
    code, filled = run_impute(path, "--json", *words)
    assert (code, json.loads(capsys.readouterr().out)["n_missing"]) == (0, 60)
    found = cells(filled)
    assert set(found["a"]) == {"x", "y"}
    assert set(found["b"]) == {"NA", "y"}


def test_a_saved_imputer_knows_the_words_for_missing(tmp_path):
    path = tmp_path / "incomplete.csv"
    path.write_text("a,b\n" + "gone,NA\nx,lost\ny,y\n,NA\n" * 20)
    saved = tmp_path / "imputer.json"
    words = ("--missing-values", "gone", "--missing-values", "lost")
    _, filled = run_impute(path, "--quiet", "--save", str(saved), *words)
    code, again = run_impute(path, "--quiet", "--imputer", str(saved), output="again.csv")
    assert (code, again.read_text()) == (0, filled.read_text())


def test_ignored_columns_and_the_index_are_written_as_they_were(table, tmp_path, capsys):
    path = tmp_path / "indexed.csv"
    table.assign(note=[f"note {i}" for i in range(len(table))]).to_csv(path)
    code, filled = run_impute(path, "--ignore", "note", "--json")
    assert code == 0
    assert json.loads(capsys.readouterr().out)["n_missing"] == table.isna().sum().sum()
    kept = ["", "note"]
    found, given = (pl.read_csv(each, infer_schema=False)[kept] for each in (filled, path))
    assert found.equals(given)


@pytest.mark.parametrize(
    ("completion", "weight", "words"),
    [
        ("independent", 0.5, "2 networks and regressions"),
        ("median", 0.5, "2 networks and regressions"),
        ("joint", 0.5, "2 networks"),
        ("median", 0.0, "2 networks"),
    ],
)
def test_regressions_are_named_where_they_complete_cells(completion, weight, words):
    imputer = bt.BayesianNetworkImputer(completion=completion)
    imputer.networks_ = (None, None)
    imputer.model_weights_ = {"networks": 1.0, "regressions": weight}
    assert impute._models_in_words(imputer) == words


def test_the_report_of_a_table_of_numbers_has_no_accuracy_of_states(tmp_path, capsys):
    random = np.random.default_rng(0)
    first = random.normal(size=200)
    table = pd.DataFrame({"first": first, "second": first + 0.1 * random.normal(size=200)})
    path = tmp_path / "numbers.csv"
    table.mask(random.random(table.shape) < 0.1).to_csv(path, index=False)
    assert run_impute(path, "--report", "--json")[0] == 0
    summary = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert summary["accuracy"] is None
    assert summary["normalized_rmse"] < 0.8 * summary["mean_normalized_rmse"]


def test_a_preset_is_that_of_python(tmp_path):
    rows = pd.DataFrame({"rain": ["no", "no", "yes", "yes"] * 10, "wet": [0, 0, 1, 1] * 10})
    incomplete = bt.ampute(rows, 0.2, random_state=0)
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    incomplete.to_csv(source, index=False)
    options = ["--preset", "sem-tree", "--random-state", "0", "--max-structure-updates", "3"]
    assert main(["impute", str(source), "-o", str(output), *options]) == 0
    imputer = bt.BayesianNetworkImputer.preset("sem-tree")
    imputer.set_params(random_state=0, learner__em__max_structure_updates=3)
    expected = imputer.fit_transform(pd.read_csv(source))
    assert pd.read_csv(output).to_numpy().tolist() == expected.to_numpy().tolist()
