from functools import partial

import pytest

import baytree as bt
from baytree.exceptions import EscapedLabelWarning, FileFormatError

GOOD = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="N" numsamples="1000">
<nodes>
<cpt id="sun"><state id="a" /><state id="b" /><probabilities>0.5 0.5</probabilities></cpt>
<cpt id="rain"><state id="n" /><state id="s" /><state id="m" />
  <probabilities>0.5 0.25 0.25</probabilities></cpt>
<cpt id="wet"><state id="no" /><state id="yes" /><parents>rain sun</parents>
<probabilities>0.9 0.1  0.8 0.2  0.7 0.3  0.6 0.4  0.5 0.5  0.4 0.6</probabilities></cpt>
<deterministic id="both"><state id="no" /><state id="yes" /><parents>wet sun</parents>
<resultingstates>no no no yes</resultingstates></deterministic>
</nodes>
<extensions><genie version="1.0"><node id="sun"><name>The Sun</name></node></genie></extensions>
</smile>
"""


@pytest.fixture
def read(read_as):
    return partial(read_as, "network.xdsl")


def test_the_last_parent_changes_fastest_and_the_state_faster_still(read):
    cpt = read(GOOD).cpt("wet")
    assert cpt.loc[("b", "n"), "yes"] == 0.2
    assert cpt.loc[("a", "s"), "yes"] == 0.3


def test_deterministic_nodes_are_tables_of_ones_and_zeros(read):
    cpt = read(GOOD).cpt("both")
    assert cpt["yes"].to_dict() == {
        ("a", "no"): 0,
        ("a", "yes"): 0,
        ("b", "no"): 0,
        ("b", "yes"): 1,
    }


def test_parents_come_first_in_the_file_and_the_order_comes_back(tmp_path):
    path = tmp_path / "network.xdsl"
    network = bt.BayesianNetwork(
        {"wet": ["n", "y"], "rain": ["n", "y"]},
        [("rain", "wet")],
        cpts={"rain": [0.5, 0.5], "wet": [[0.5, 0.5], [1, 0]]},
    )
    network.write(path)
    assert path.read_text().index('cpt id="rain"') < path.read_text().index('cpt id="wet"')
    assert bt.BayesianNetwork.read(path).variables == ("wet", "rain")


def test_other_labels_are_escaped_and_shown_in_full(tmp_path):
    path = tmp_path / "network.xdsl"
    network = bt.BayesianNetwork({"a & b": [0, 1]}, cpts={"a & b": [0.5, 0.5]})
    with pytest.warns(EscapedLabelWarning, match=r"'a & b' \(written as _a_b\), 0 \("):
        network.write(path)
    assert '<node id="_a_b"><name>a &amp; b</name>' in path.read_text()
    assert bt.BayesianNetwork.read(path) == network


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ("<nodes>", "<nodes />", "", "no well-formed XML"),
        ("smile", "Smile", "line 2, column 1", "Is this an XDSL file?"),
        ('cpt id="sun"', "cpt", "line 4, column 1", "a node without an id"),
        ("deterministic", "noisymax", "line 9, column 1", "'both' is of the kind noisymax; cpt"),
        ("rain sun", "snow sun", "line 7, column", "no variable 'snow'"),
        ("rain sun", "wet sun", "line 7, column", "its own parent"),
        ("0.9 0.1", "0.9", "line 8, column 1", "11 numbers for the probabilities of 'wet'; 12"),
        ("0.9 0.1", "0.9 zero", "line 8, column 1", "'zero' is not a number"),
        ("no no no yes", "no no no maybe", "line 10, column 1", "'maybe' is no state"),
        ("no no no yes", "no no no", "line 10, column 1", "0 numbers for the probabilities"),
        ("resultingstates", "results", "line 9, column 1", "'both' has no resultingstates"),
        ('<state id="a" />', '<state id="b" />', "line 4", "'sun' has state 'b' twice"),
    ],
)
def test_a_broken_file_is_refused_with_line_and_column(read, old, new, place, problem):
    text = GOOD.replace(old, new)
    assert text != GOOD
    with pytest.raises(FileFormatError) as caught:
        read(text)
    assert f"network.xdsl, {place}" in str(caught.value)
    assert problem in str(caught.value)


def test_a_file_without_nodes_is_refused(read):
    with pytest.raises(FileFormatError, match="line 1, column 8: no node"):
        read("<smile><nodes></nodes></smile>")
