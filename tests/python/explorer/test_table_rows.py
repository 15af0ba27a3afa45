import pytest

from baytree.exceptions import TableError, UnknownStateError
from baytree.explorer.table_rows import table_codes


def written(folder, text):
    path = folder / "rows.csv"
    path.write_text(text)
    return path


def test_cells_become_codes_and_gaps(sprinkler_network, tmp_path):
    path = written(tmp_path, "grass,rain,sprinkler\nwet,,1\n,no,0\n")
    assert table_codes(sprinkler_network, path).tolist() == [[-1, 1, 2], [0, 0, -1]]


def test_a_variable_that_the_table_lacks_is_a_gap_and_other_columns_do_not_matter(
    sprinkler_network, tmp_path
):
    path = written(tmp_path, "name,rain\nfirst,yes\n")
    assert table_codes(sprinkler_network, path).tolist() == [[1, -1, -1]]


def test_a_table_of_something_else_is_refused(sprinkler_network, tmp_path):
    with pytest.raises(TableError, match="no column that is a variable"):
        table_codes(sprinkler_network, written(tmp_path, "name\nfirst\n"))


def test_an_unknown_state_is_named(sprinkler_network, tmp_path):
    with pytest.raises(UnknownStateError, match="'sometimes'"):
        table_codes(sprinkler_network, written(tmp_path, "rain\nsometimes\n"))
