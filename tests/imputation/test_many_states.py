"""Names and identifiers: variables of so many states that their distributions fill the memory."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import baytree as bt
from baytree.imputation import completion
from baytree.imputation.missing_cells import MAX_STATES

N_ROWS = 3_000


def named_table(seed, n_rows=N_ROWS):
    """Return a table with a name in each row, and a tenth of all cells missing."""
    random = np.random.default_rng(seed)
    kind = random.integers(4, size=n_rows)
    copy = (kind + (random.random(n_rows) < 0.2)) % 4
    number = random.integers(10 * n_rows, size=n_rows)
    columns = {"kind": kind, "name": number, "copy": copy, "size": copy / 2 + random.random(n_rows)}
    table = pd.DataFrame(columns).astype({"kind": str, "name": str, "copy": str})
    return table.mask(random.random(table.shape) < 0.1)


@pytest.fixture(scope="module")
def table():
    return named_table(0)


@pytest.fixture(scope="module", params=[1, 2], ids=["one network", "two networks"])
def imputer(table, request):
    imputer = bt.BayesianNetworkImputer(n_networks=request.param, random_state=0)
    with pytest.warns(bt.exceptions.BaytreeWarning):
        return imputer.fit(table)


def test_memory_of_an_imputer_does_not_grow_with_the_states_of_a_name(imputer, monkeypatch):
    table = named_table(1, n_rows=6_000)
    n_bytes, compute = [], completion._core.cell_marginals

    def counted(*args, **options):
        found = compute(*args, **options)
        n_bytes.append(found.nbytes)
        return found

    monkeypatch.setattr(completion._core, "cell_marginals", counted)
    monkeypatch.setattr(completion, "ENTRIES_PER_BATCH", 2**16)
    tracemalloc.start()
    with pytest.warns(bt.exceptions.BaytreeWarning):
        clone(imputer).set_params(tune=True).fit(table).transform(table)
    imputer.report()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    of_names = 8 * int(table["name"].isna().sum()) * table["name"].nunique()
    assert max(n_bytes) < 8 * (2**16 + table["name"].nunique() + 100)
    assert peak < of_names / 2


def test_batches_change_no_distribution(imputer, table, monkeypatch):
    some = table.head(200)
    expected = imputer.cell_probabilities(some)
    completed = imputer.transform(some)
    monkeypatch.setattr(completion, "ENTRIES_PER_BATCH", 1)
    pd.testing.assert_frame_equal(imputer.cell_probabilities(some), expected)
    pd.testing.assert_frame_equal(imputer.transform(some), completed)


def test_a_missing_name_gets_the_most_probable_one_under_the_first_network(imputer, table):
    some = table[table["name"].isna() & table[["kind", "copy", "size"]].notna().all(axis=1)]
    expected = imputer.network_.predict(some, "name")
    assert imputer.transform(some)["name"].tolist() == expected.tolist()


def test_cells_of_few_states_do_not_depend_on_names_that_are_missing_beside_them(imputer, table):
    cells = imputer.cell_probabilities(table)
    assert {"name", "kind", "copy", "size"} == {*cells["variable"]}
    kinds = cells[cells["variable"] == "kind"].reset_index(drop=True)
    modes = kinds.loc[kinds.groupby("row")["probability"].idxmax(), ["row", "state"]]
    observed = table.drop(columns="kind").notna().any(axis=1)
    modes = modes[observed[modes["row"]].to_numpy()]
    assert imputer.transform(table)["kind"][modes["row"]].tolist() == modes["state"].tolist()


def test_files_of_probabilities_change_no_completion(imputer, table, tmp_path):
    source = tmp_path / "table.csv"
    table.head(100).to_csv(source, index=False)
    plain, beside = tmp_path / "plain.csv", tmp_path / "beside.csv"
    imputer.transform_file(source, plain)
    imputer.transform_file(source, beside, probabilities=tmp_path / "cells.csv")
    assert plain.read_text() == beside.read_text()


def test_distributions_that_do_not_fit_are_refused_with_their_cost(imputer, table, monkeypatch):
    monkeypatch.setattr(completion, "available_memory", lambda: 4 * 10**8)
    n_missing, n_states = table["name"].isna().sum(), table["name"].nunique()
    expected = (
        rf"need 0\.1\d+ GB; 0\.1 GB are allowed\. Most is for variable 'name': {n_missing:,} "
        rf"missing cells of {n_states:,} states\. Leave the variable out, or give fewer rows at a "
        r"time\."
    )
    assert n_states > MAX_STATES
    with pytest.raises(bt.exceptions.InferenceTooLargeError, match=expected):
        imputer.cell_probabilities(table)
    imputer.transform(table)


def test_a_file_of_probabilities_that_is_too_large_is_refused_before_learning(
    table, tmp_path, monkeypatch
):
    source, output = tmp_path / "table.csv", tmp_path / "imputed.csv"
    table.assign(name="no. " + table["name"]).to_csv(source, index=False)
    monkeypatch.setattr(completion, "available_memory", lambda: 1e5)
    imputer = bt.BayesianNetworkImputer(random_state=0)
    monkeypatch.setattr(imputer, "_learn", None)
    with (
        pytest.warns(bt.exceptions.BaytreeWarning),
        pytest.raises(bt.exceptions.InferenceTooLargeError, match="Most is for variable 'name'"),
    ):
        imputer.fit_transform_file(source, output, probabilities=tmp_path / "cells.csv")
    assert not output.exists()
