from functools import partial

import pytest

import baytree as bt
from baytree.exceptions import EscapedLabelWarning, FileFormatError

DTD = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ATTLIST BIF VERSION CDATA #REQUIRED>
]>
"""
VARIABLES = """<BIF VERSION="0.3"><NETWORK><NAME>w</NAME>
<VARIABLE TYPE="nature"><NAME>wet</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME> sun </NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>rain</NAME><PROPERTY>x = 1</PROPERTY>
  <OUTCOME>0</OUTCOME><OUTCOME>1 &lt; 2</OUTCOME><OUTCOME>2</OUTCOME></VARIABLE>
"""
SUN = "<DEFINITION><FOR>sun</FOR><TABLE>0.5 0.5</TABLE></DEFINITION>\n"
RAIN = "<DEFINITION><FOR>rain</FOR><TABLE>0.5 <!-- half --> 0.25 0.25</TABLE></DEFINITION>\n"
WET = """<DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN><GIVEN>sun</GIVEN>
<TABLE>0.9 0.1  0.8 0.2  0.7 0.3  0.6 0.4  0.5 0.5  0.4 0.6</TABLE></DEFINITION>
"""
END = "</NETWORK></BIF>"
GOOD = DTD + VARIABLES + SUN + RAIN + WET + END


@pytest.fixture
def read(read_as):
    return partial(read_as, "network.xml")


def test_the_last_parent_changes_fastest_and_the_state_faster_still(read):
    network = read(GOOD)
    assert network.states("rain") == ("0", "1 < 2", "2")
    cpt = network.cpt("wet")
    assert cpt.loc[("b", "0"), "yes"] == 0.2
    assert cpt.loc[("a", "1 < 2"), "yes"] == 0.3
    assert network.cpt("rain").to_numpy().tolist() == [[0.5, 0.25, 0.25]]


def test_the_encoding_is_the_one_that_the_file_names(read):
    text = (VARIABLES + SUN + RAIN + WET + END).replace("<OUTCOME>a<", "<OUTCOME>\xe9<")
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
    assert read((head + text).encode("latin-1")).states("sun") == ("\xe9", "b")


def test_text_is_kept_as_it_is_but_for_ends_and_control_characters(tmp_path):
    path = tmp_path / "network.xml"
    states = {'a <b> & "c", é': ["x y", "]]>"]}
    network = bt.BayesianNetwork(states, cpts={name: [0.5, 0.5] for name in states})
    network.write(path)  # no warning
    assert bt.BayesianNetwork.read(path) == network
    network = bt.BayesianNetwork({"a": [" x", "\0"]}, cpts={"a": [0.5, 0.5]})
    with pytest.warns(EscapedLabelWarning, match=r"XMLBIF cannot hold .*: ' x'"):
        network.write(path)
    assert bt.BayesianNetwork.read(path) == network


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


@pytest.mark.parametrize(
    "declared",
    [
        f'<!ENTITY l0 "ha">{LAUGHS}',
        '<!ENTITY x SYSTEM "file:///etc/hostname">',
        '<!ENTITY % x SYSTEM "http://localhost/x.dtd"> %x;',
    ],
    ids=["billion laughs", "external entity", "parameter entity"],
)
def test_entities_are_refused(read, declared):
    text = f"<!DOCTYPE BIF [\n{declared}]>\n{VARIABLES}"
    with pytest.raises(
        FileFormatError, match=r"line 2, column .*entities of their own are not read"
    ):
        read(text)


def test_entities_of_a_document_type_elsewhere_are_refused_and_not_fetched(read):
    text = GOOD.replace(DTD, '<!DOCTYPE BIF SYSTEM "http://localhost/x.dtd">')
    assert read(text).variables == ("wet", "sun", "rain")
    with pytest.raises(FileFormatError, match="entity 'x'"):
        read(text.replace("<OUTCOME>a<", "<OUTCOME>&x;<"))


def test_deep_nesting_is_refused(read):
    with pytest.raises(FileFormatError, match="more than 32 deep"):
        read("<BIF>" * 100_000)


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        (VARIABLES, "", "line 7, column", "no well-formed XML"),
        ("<BIF VERSION", "<BIF>\n</BIF VERSION", "line 7, column", "no well-formed XML"),
        ("US-ASCII", "EBCDIC-X", "line 1, column", "encoding"),
        ("BIF", "Bif", "line 6, column 1", "Is this an XMLBIF file?"),
        ('"nature"><NAME>wet', '"utility"><NAME>wet', "line 7, column 1", "got 'utility'"),
        ("<NAME>wet</NAME>", "", "line 7, column 1", "a VARIABLE without a NAME"),
        ("> sun <", ">wet<", "line 8, column 1", "variable 'wet' comes twice"),
        ("<OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME>", "", "line 7", "'wet' has no states"),
        ("<GIVEN>rain", "<GIVEN>snow", "line 13, column", "no variable 'snow'"),
        ("<GIVEN>rain", "<GIVEN>wet", "line 13, column", "its own parent"),
        ("<GIVEN>rain", "<GIVEN>sun", "line 13, column", "a parent twice"),
        ("<FOR>wet</FOR>", "", "line 13, column 1", "must have one FOR and a TABLE"),
        ("0.9 0.1", "0.9", "line 14, column 1", "11 numbers for the probabilities of 'wet'; 12"),
        ("  0.8", "\n x8", "line 15, column 2", "'x8' is not a number"),
        ("  0.8", "  0.9", "line 14, column 1", "'wet' given rain = 0, sun = b must not be"),
        (SUN, "", "line 8, column 1", "variable 'sun' has no probabilities"),
        (SUN, SUN + SUN, "line 12, column 1", "probabilities of 'sun' come twice"),
        (SUN, SUN[:20] + "\0", "line 11, column", "no well-formed XML"),
    ],
)
def test_a_broken_file_is_refused_with_line_and_column(read, old, new, place, problem):
    text = GOOD.replace(old, new)
    assert text != GOOD
    with pytest.raises(FileFormatError) as caught:
        read(text)
    assert f"network.xml, {place}" in str(caught.value)
    assert problem in str(caught.value)
