import pandas as pd
import pytest

import baytree as bt
from baytree.exceptions import TableError, UnknownStateError
from baytree.tables import inputs


@pytest.fixture
def sprinkler_network():
    states = {"rain": ["no", "yes"], "sprinkler": [0, 1], "grass": ["dry", "damp", "wet"]}
    return bt.BayesianNetwork(states, [("rain", "grass")])


def written(folder, text):
    path = folder / "rows.csv"
    path.write_text(text)
    return path


def test_cells_become_codes_and_missing_cells_minus_one(sprinkler_network, tmp_path):
    path = written(tmp_path, "grass,rain,sprinkler\nwet,,1\n,no,0\n")
    assert sprinkler_network.state_codes(path).tolist() == [[-1, 1, 2], [0, 0, -1]]


def test_a_variable_that_the_table_lacks_is_missing_and_other_columns_are_ignored(
    sprinkler_network, tmp_path
):
    path = written(tmp_path, "name,rain\nfirst,yes\n")
    assert sprinkler_network.state_codes(path).tolist() == [[1, -1, -1]]


def test_a_table_of_something_else_is_refused(sprinkler_network, tmp_path):
    with pytest.raises(TableError, match="no column that is a variable"):
        sprinkler_network.state_codes(written(tmp_path, "name\nfirst\n"))


def test_a_table_without_rows_is_refused(sprinkler_network, tmp_path):
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"rain": []}, dtype=object).to_parquet(path)
    for ask in (sprinkler_network.state_codes, sprinkler_network.read_table):
        with pytest.raises(TableError, match=r"rows\.parquet: the table has no rows"):
            ask(path)


def test_a_file_is_read_once_to_be_filled(tmp_path, monkeypatch):
    network = bt.BayesianNetwork({"rain": ["no", "yes"]}, cpts={"rain": [0.2, 0.8]})
    path = written(tmp_path, "day,rain\nMon,no\nTue,\n")
    reads = []
    read = inputs.open_file
    monkeypatch.setattr(inputs, "open_file", lambda *a, **k: reads.append(a) or read(*a, **k))
    assert network.impute(path)["rain"].tolist() == ["no", "yes"]
    assert len(reads) == 1


def test_an_unknown_state_is_named(sprinkler_network, tmp_path):
    with pytest.raises(UnknownStateError, match="'sometimes'"):
        sprinkler_network.state_codes(written(tmp_path, "rain\nsometimes\n"))


def test_names_and_states_need_not_be_text(tmp_path):
    network = bt.BayesianNetwork({1: [0, 1], 2: [True, False]})
    table = network.read_table(written(tmp_path, "2,1\nTrue,0\n,1\n"))
    assert table.to_dict("list") == {2: [True, None], 1: [0, 1]}


def test_words_for_missing_are_those_given(sprinkler_network, tmp_path):
    path = written(tmp_path, "rain\ngone\nno\n")
    codes = sprinkler_network.state_codes(
        sprinkler_network.read_table(path, missing_values=["gone"])
    )
    assert codes[:, 0].tolist() == [-1, 0]


def test_words_for_missing_are_those_of_learning_where_none_are_given(tmp_path):
    path = written(tmp_path, "rain,wet\n" + "no,1\nyes,2\ngone,1\n" * 5)
    learner = bt.NetworkLearner(1, search="chow-liu", missing_values=["gone"]).fit(path)
    codes = learner.network_.state_codes(path)
    assert codes[:3].tolist() == [[0, 0], [1, 1], [-1, 0]]
