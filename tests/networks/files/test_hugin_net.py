from functools import partial

import pytest

import baytree as bt
from baytree.exceptions import EscapedLabelWarning, FileFormatError

GOOD = r"""% a comment with " a quote
net
{
    node_size = (100 40);
    name = "50 % sure";
}
node sun { label = "The; {sun}"; position = (1 2); states = ("a b" "c \"d\""); }
discrete node rain {
    states = (none some much);
}
node wet {
    subtype = boolean;
    states = ("no" "yes");
}
potential (sun) { data = (0.5 0.5); }
potential ( rain | ) { data = (0.5 0.25 0.25); }
potential ( wet | rain sun )
{
    data = (((0.9 0.1)   % rain none, sun "a b"
             (0.8 0.2))
            ((0.7 0.3)(0.6 0.4)) ((0.5 0.5) (0.4 0.6)));
}
"""


@pytest.fixture
def read(read_as):
    return partial(read_as, "network.net")


def test_the_last_parent_changes_fastest_and_the_state_faster_still(read):
    network = read(GOOD)
    assert network.states("sun") == ("a b", 'c "d"')
    assert network.cpt("wet").loc[('c "d"', "none"), "yes"] == 0.2
    assert network.cpt("wet").loc[("a b", "some"), "yes"] == 0.3


def test_brackets_stand_around_the_states_of_every_parent(tmp_path):
    path = tmp_path / "network.net"
    cpts = {"a": [0.5, 0.5], "b": [0.5, 0.5], "c": [[[1, 0], [0, 1]], [[0.5, 0.5], [0.25, 0.75]]]}
    arcs = [("a", "c"), ("b", "c")]
    bt.BayesianNetwork({name: ["x", "y"] for name in "abc"}, arcs, cpts=cpts).write(path)
    data = path.read_text().split("( c | a b ) {")[1]
    brackets = "".join(mark for mark in data if mark in "()")
    assert brackets == "((()())(()()))"


def test_other_labels_are_escaped_with_a_warning(tmp_path):
    path = tmp_path / "network.net"
    network = bt.BayesianNetwork({"node": ['"', ";}%"]}, cpts={"node": [0.5, 0.5]})
    with pytest.warns(EscapedLabelWarning, match=r"NET cannot hold .*: 'node' \(written"):
        network.write(path)
    assert bt.BayesianNetwork.read(path) == network


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ("discrete node", "continuous node", "line 8, column 1", "got 'continuous'"),
        ("net\n", "class x\n", "line 2, column 1", "got 'class'"),
        ("node sun", "node", "line 7, column 6", "expected the name of a node and {"),
        ("subtype = boolean;", "subtype boolean;", "line 12, column 5", "expected name = value;"),
        ("node rain", "node sun", "line 8, column 15", "variable 'sun' comes twice"),
        ("    states = (none some much);", "", "line 8, column 15", "'rain' has no states"),
        ("| rain sun", "| snow sun", "line 17, column 19", "no variable 'snow'"),
        ("| rain sun", "| wet sun", "line 17, column 12", "its own parent"),
        ("wet | rain", "wet sun | rain", "line 17, column 12", "expected one variable"),
        ("(0.5 0.5); }", "(0.5 half); }", "line 15, column 31", "'half' is not a number"),
        ("(0.5 0.5); }", "(0.5 0.6); }", "line 15, column 26", "must not be negative and sum"),
        ("(0.8 0.2)", "(0.8)", "line 19, column 12", "11 numbers for the probabilities"),
        ("data = (0.5 0.5);", "", "line 15, column 12", "the potential of 'sun' has no data"),
        ("potential (sun)", "potential sun", "line 15, column 11", "expected ( variable | parents"),
        ("0.4 0.6)));\n}", "0.4 0.6)));", "line 22, column 1", "or }; got the end"),
        ("potential (sun)", "; potential (sun)", "line 15, column 1", "expected a block; got"),
    ],
)
def test_a_broken_file_is_refused_with_line_and_column(read, old, new, place, problem):
    assert GOOD.count(old) >= 1
    with pytest.raises(FileFormatError) as caught:
        read(GOOD.replace(old, new, 1))
    assert f"network.net, {place}" in str(caught.value)
    assert problem in str(caught.value)


def test_deep_brackets_are_no_trouble(read):
    text = GOOD.replace("(0.5 0.5); }", "(" * 100_000 + "0.5 0.5; }", 1)
    assert read(text).cpt("sun").to_numpy().tolist() == [[0.5, 0.5]]


def test_many_quotes_that_do_not_end_are_refused_quickly(read):
    with pytest.raises(FileFormatError, match="line 1, column 10: expected name = value"):
        read('node a { x = "' + '\\"' * 1_000_000)


def test_a_file_without_nodes_is_refused(read):
    with pytest.raises(FileFormatError, match=r"line 1, column 8: no node\. Is this a NET file"):
        read("net { }")
