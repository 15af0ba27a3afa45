import os
import threading

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import TableError
from baytree.imputation import file_imputation
from baytree.imputation.completion import NetworkAverage


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    rain = random.random(120) < 0.4
    table = pd.DataFrame(
        {
            "rain": np.where(rain, "yes", "no"),
            "wet": np.where(rain ^ (random.random(120) < 0.1), "wet", "dry"),
            "dry": np.where(random.random(120) < 0.5, "a", "b"),
        }
    )
    return table.mask(random.random(table.shape) < 0.15)


@pytest.fixture
def imputer(table):
    return bt.BayesianNetworkImputer(random_state=3).fit(table)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_files_are_imputed_as_their_tables(table, imputer, tmp_path, ending, monkeypatch):
    monkeypatch.setattr(file_imputation, "CHUNK_ROWS", 50)
    source, output = tmp_path / f"table.{ending}", tmp_path / f"imputed.{ending}"
    read = pd.read_parquet if ending == "parquet" else pd.read_csv
    table.to_parquet(source) if ending == "parquet" else table.to_csv(source, index=False)
    found = imputer.transform_file(source, output)
    assert (found.n_rows, found.n_missing) == (120, table.isna().sum().sum())
    assert read(output).equals(imputer.transform(table))


def test_draws_and_distributions_go_to_files_of_their_own(table, imputer, tmp_path):
    source, *outputs = (
        tmp_path / f"{name}.csv" for name in ("table", "out", "one", "two", "cells")
    )
    table.to_csv(source, index=False)
    *_, one, two, cells = outputs
    imputer.transform_file(source, outputs[0], samples=[one, two], probabilities=cells)
    for drawn, path in zip(imputer.sample(table, 2), (one, two), strict=True):
        assert pd.read_csv(path).equals(drawn)
    expected = imputer.cell_probabilities(table)
    pd.testing.assert_frame_equal(pd.read_csv(cells), expected, check_dtype=False)


def test_files_have_the_columns_of_the_source_and_settings_stay(table, tmp_path):
    source, output = tmp_path / "table.csv", tmp_path / "imputed.csv"
    table.assign(empty=None).to_csv(source, index=False)
    imputer = bt.BayesianNetworkImputer(
        add_indicator=True, keep_empty_features=False, random_state=0
    )
    with pytest.warns(bt.exceptions.EmptyVariableWarning):
        imputer.fit(source)
    settings = imputer.get_params()
    imputer.transform_file(source, output)
    assert list(pd.read_csv(output)) == ["rain", "wet", "dry", "empty"]
    assert imputer.get_params() == settings
    assert list(imputer.transform(source))[-1] == "missingindicator_empty"


def test_posteriors_that_are_written_are_those_that_impute(table, imputer, tmp_path, monkeypatch):
    table.iloc[7] = None  # a row in which nothing is observed gets joint states
    source, output = tmp_path / "table.csv", tmp_path / "imputed.csv"
    table.to_csv(source, index=False)
    expected = imputer.transform(table)
    calls, compute = [], NetworkAverage.predict

    def counted(average, rows, **options):
        calls.append(len(rows.codes))
        return compute(average, rows, **options)

    monkeypatch.setattr(NetworkAverage, "predict", counted)
    imputer.transform_file(source, output, probabilities=tmp_path / "cells.csv")
    assert calls == [len(table)]
    assert pd.read_csv(output).equals(expected)


def test_a_file_of_another_kind_is_refused(table, imputer, tmp_path):
    source = tmp_path / "table.csv"
    table.to_csv(source, index=False)
    with pytest.raises(ValueError, match=r"imputed\.parquet: the name must end as that of .*\.csv"):
        imputer.transform_file(source, tmp_path / "imputed.parquet")
    assert not (tmp_path / "imputed.parquet").exists()


def test_a_file_that_lacks_a_variable_is_refused(table, imputer, tmp_path):
    source = tmp_path / "table.csv"
    table.drop(columns="wet").to_csv(source, index=False)
    with pytest.raises(TableError, match="'wet'"):
        imputer.transform_file(source, tmp_path / "imputed.csv")


@pytest.mark.parametrize("option", ["samples", "probabilities"])
def test_a_file_is_not_written_twice(table, imputer, tmp_path, option):
    source, output = tmp_path / "table.csv", tmp_path / "imputed.csv"
    table.to_csv(source, index=False)
    again = {"samples": [output], "probabilities": output}[option]
    with pytest.raises(ValueError, match=r"The files to write must differ; got .*imputed\.csv, "):
        imputer.transform_file(source, output, **{option: again})
    assert not output.exists()


def test_one_path_is_no_list_of_samples(table, imputer, tmp_path):
    table.to_csv(tmp_path / "table.csv", index=False)
    with pytest.raises(ValueError, match=r"samples must be a list of files; got 'one\.csv'"):
        imputer.transform_file(tmp_path / "table.csv", tmp_path / "out.csv", samples="one.csv")


def write_awkward_csv(path):
    """Write numbers in several spellings, a column of words, quotation marks and blanks."""
    random = np.random.default_rng(5)
    lines = ["size;kind;note;whole"]
    for number in random.normal(size=400):
        size = random.choice([f"{number:.6f}", f" {number:.4f} ", f"{number:.3e}", "", "NA"])
        kind = "low" if number < 0 else random.choice(["high", " high", "?"])
        note = random.choice(['"a;b"', '"say ""so"""', "plain", ""])
        lines.append(f"{size};{kind};{note};{random.integers(3)}")
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def awkward_file(tmp_path, monkeypatch):
    monkeypatch.setattr(file_imputation, "CHUNK_ROWS", 50)
    path = tmp_path / "table.csv"
    write_awkward_csv(path)
    return path


BINNED = pytest.mark.filterwarnings("ignore:Cut numeric variables into bins")


@BINNED
def test_learning_and_imputing_a_file_at_once_writes_what_both_steps_write(awkward_file, tmp_path):
    names = ("at_once", "samples", "cells")
    at_once, first, second = ([tmp_path / f"{n}{i}.csv" for n in names] for i in range(3))
    outputs = [
        {"output": out, "samples": [drawn], "probabilities": cells}
        for out, drawn, cells in (at_once, first, second)
    ]
    imputer = bt.BayesianNetworkImputer(random_state=0)
    found = imputer.fit_transform_file(awkward_file, **outputs[0])
    steps = bt.BayesianNetworkImputer(random_state=0).fit(awkward_file)
    assert steps.transform_file(awkward_file, **outputs[1]) == found
    for whole, step in zip(at_once, first, strict=True):
        assert whole.read_bytes() == step.read_bytes()


@BINNED
def test_observed_cells_of_a_file_that_is_read_once_stay_as_they_are_written(
    awkward_file, tmp_path
):
    output = tmp_path / "imputed.csv"
    bt.BayesianNetworkImputer(random_state=0).fit_transform_file(awkward_file, output)
    read = [
        pd.read_csv(path, sep=";", dtype=str, keep_default_na=False)
        for path in (awkward_file, output)
    ]
    is_missing = read[0].isin(["", "NA", "?"])
    assert read[1].mask(is_missing).equals(read[0].mask(is_missing))
    assert not read[1].isin(["", "NA", "?"]).to_numpy().any()


@BINNED
@pytest.mark.timeout(60)
def test_a_file_that_can_be_read_only_once_is_learned_and_imputed(awkward_file, tmp_path):
    pipe, outputs = tmp_path / "pipe.csv", [tmp_path / "a.csv", tmp_path / "b.csv"]
    text = awkward_file.read_text().replace('"a;b"', "ab").replace(";", ",")  # a pipe has commas
    awkward_file.write_text(text)
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    for source, output in zip((pipe, awkward_file), outputs, strict=True):
        bt.BayesianNetworkImputer(random_state=0).fit_transform_file(source, output)
    writer.join()
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_files_to_write_are_checked_before_anything_is_learned(awkward_file, tmp_path, monkeypatch):
    monkeypatch.setattr(bt.BayesianNetworkImputer, "_fit", lambda *_: pytest.fail("it learns"))
    with pytest.raises(ValueError, match=r"out\.parquet: the name must end as that of"):
        bt.BayesianNetworkImputer().fit_transform_file(awkward_file, tmp_path / "out.parquet")


def test_parquet_files_are_learned_and_imputed_at_once_too(table, imputer, tmp_path):
    source, output = tmp_path / "table.parquet", tmp_path / "imputed.parquet"
    table.to_parquet(source)
    learned = bt.BayesianNetworkImputer(random_state=3)
    learned.fit_transform_file(source, output)
    assert pd.read_parquet(output).equals(imputer.transform(table))
