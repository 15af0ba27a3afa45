from functools import partial

import numpy as np
import pytest

import baytree as bt
from baytree.exceptions import EscapedLabelWarning, FileFormatError

CYCLE = """variable a { type discrete [1] {x}; }
variable b { type discrete [1] {x}; }
variable c { type discrete [1] {x}; }
probability (a) { table 1; }
probability (b | a, c) { table 1; }
probability (c | b) { table 1; }
"""
HEAD = """network weather { property version 1; }
variable rain { type discrete [ 2 ] { no, yes }; }
variable sun { type discrete [ 3 ] { low, mid, high }; }
variable wet { type discrete [ 2 ] { no, yes }; }
probability ( rain ) { table 0.8, 0.2; }
probability ( sun ) { table 0.5, 0.25, 0.25; }
"""
WET = "probability ( wet | sun, rain ) {\n"
ROWS = [
    (f"({sun}, {rain})", [1 - p, p])
    for (sun, rain), p in zip(
        [(s, r) for s in ("low", "mid", "high") for r in ("no", "yes")],
        [0.125, 0.25, 0.375, 0.5, 0.625, 0.75],
        strict=True,
    )
]


def row_text(rows):
    return "".join(f"  {given} {row[0]}, {row[1]};\n" for given, row in rows)


@pytest.fixture
def read(read_as):
    return partial(read_as, "network.bif")


def p_wet(network):
    """Return P(wet = yes), sun slowest and rain fastest, as the rows above list it."""
    assert network.parents("wet") == ("rain", "sun")
    return network.cpt("wet")["yes"].to_numpy().reshape(2, 3).T.ravel().tolist()


@pytest.mark.parametrize(
    "body",
    [
        row_text(ROWS),
        row_text(ROWS[::-1]),
        "  property note;\n" + row_text(ROWS).replace(",", " "),
        row_text(ROWS[:2] + ROWS[3:]) + "  default 0.625, 0.375;\n",
        "  default 0.625 0.375;\n" + row_text(ROWS[:2] + ROWS[3:]),
        # The variable's own state changes slowest, as JavaBayes has it.
        "  table 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75;\n",
        "// a row\n" + row_text(ROWS).replace("low", '"low"') + "/* ; } \n */",
    ],
    ids=["rows", "any order", "spaces", "default", "default first", "table", "quotes"],
)
def test_all_ways_to_list_probabilities_mean_the_same(read, body):
    network = read(HEAD + WET + body + "}\n")
    assert p_wet(network) == [0.125, 0.25, 0.375, 0.5, 0.625, 0.75]
    assert network.cpt("rain").to_numpy().tolist() == [[0.8, 0.2]]


@pytest.mark.parametrize("head", ["( wet | sun rain )", "( wet sun rain )", '("wet"|"sun","rain")'])
def test_parents_are_read_however_they_are_separated(read, head):
    network = read(f"{HEAD}probability {head}{{{row_text(ROWS)}}}")
    assert p_wet(network)[1] == 0.25


def test_names_and_states_of_other_programs_stay_text(read):
    network = read(
        'network "x" {}\nvariable "light-on" {\n type discrete[3] { "1" "two words" "<5" };\n'
        " property position = (1, 2) ;\n}\nvariable a.b-c { type discrete [2] { 0, -1.5 }; }\n"
        'probability("light-on") { table 0.25 0.25 5e-1; }\n'
        "probability(a.b-c) { table 1 0.0; }"
    )
    assert network.states("light-on") == ("1", "two words", "<5")
    assert network.states("a.b-c") == ("0", "-1.5")
    assert network.cpt("light-on").to_numpy().tolist() == [[0.25, 0.25, 0.5]]


def test_words_with_spaces_are_read_where_commas_separate_them(read):
    network = read(
        "network unknown {\n}\nvariable my name {\n  type discrete [ 2 ] { very good, bad };\n}\n"
        "variable b { type discrete [2] {x, y}; }\nprobability ( my name ) { table 0.5, 0.5; }\n"
        "probability ( b | my name ) {\n (very good) 0.5, 0.5;\n (bad) 1, 0;\n}\n"
    )
    assert network.states("my name") == ("very good", "bad")
    assert network.cpt("b").loc["bad"].tolist() == [1, 0]


def test_variables_may_come_behind_their_tables(read):
    lines = HEAD.splitlines()
    network = read("\n".join([*lines[4:], WET + row_text(ROWS) + "}", *lines[1:4]]))
    assert p_wet(network)[0] == 0.125


def test_rows_that_sum_to_one_within_rounding_are_put_right(read):
    network = read("variable a {type discrete[3]{x,y,z};} probability(a){table .333,.333,.333;}")
    assert network.cpt("a").to_numpy() == pytest.approx(np.full((1, 3), 1 / 3), abs=1e-15)


def test_a_byte_order_mark_and_carriage_returns_are_no_trouble(read):
    text = (HEAD + WET + row_text(ROWS) + "}\n").replace("\n", "\r\n")
    assert p_wet(read("\ufeff" + text))[0] == 0.125


def test_words_that_bif_cannot_hold_are_escaped_with_a_warning(tmp_path):
    states = {"a b": ["x;", "x,"], "default": [1, "1"], "c": [True, 2.5]}
    cpts = {name: [0.25, 0.75] for name in states}
    network = bt.BayesianNetwork(states, cpts=cpts)
    path = tmp_path / "network.bif"
    with pytest.warns(EscapedLabelWarning, match=r"BIF cannot hold .*'a b' \(written as _a_b\)"):
        network.write(path)
    assert "variable _a_b {" in path.read_text()
    assert "{ _x, _x_2 }" in path.read_text()
    again = bt.BayesianNetwork.read(path)
    assert again == network
    assert [type(state) for state in again.states("c")] == [bool, float]


@pytest.mark.parametrize("state", ["1e5", "9e", "5-12", "2.5kg", "12+"])
def test_states_that_others_take_for_numbers_are_escaped(tmp_path, state):
    network = bt.BayesianNetwork({"a": [state, "b"]}, cpts={"a": [0.5, 0.5]})
    with pytest.warns(EscapedLabelWarning, match="BIF cannot hold"):
        network.write(tmp_path / "network.bif")
    assert bt.BayesianNetwork.read(tmp_path / "network.bif") == network


def test_plain_words_and_integers_need_no_warning(tmp_path):
    network = bt.BayesianNetwork(
        {"a.b-c": [-1, 0], "_d": ["T", "true"]}, cpts={"a.b-c": [0.5, 0.5], "_d": [0.5, 0.5]}
    )
    network.write(tmp_path / "network.bif")
    assert "{ -1, 0 }" in (tmp_path / "network.bif").read_text()
    assert bt.BayesianNetwork.read(tmp_path / "network.bif").states("a.b-c") == (-1, 0)


def test_words_that_were_edited_win_over_the_note_about_them(tmp_path):
    path = tmp_path / "network.bif"
    bt.BayesianNetwork({"a": [0, 1]}, cpts={"a": [0.5, 0.5]}).write(path)
    path.write_text(path.read_text().replace("{ 0, 1 }", "{ 0, many }"))
    assert bt.BayesianNetwork.read(path).states("a") == (0, "many")


def test_a_structure_alone_is_not_written(tmp_path):
    with pytest.raises(ValueError, match=r"a structure alone, which \.bif cannot hold"):
        bt.BayesianNetwork({"a": [0, 1]}).write(tmp_path / "network.bif")
    assert not list(tmp_path.iterdir())


RAIN = HEAD[: HEAD.index("variable sun")] + "probability ( rain ) { "


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("", 1, 1, "no variable. Is this a BIF file"),
        ("{}", 1, 1, "expected a block; got '{}'"),
        ("network x {\n junk }", 2, 2, "expected property or }; got 'junk }'"),
        ("\n  nonsense x {}", 2, 3, "expected network, variable or probability; got 'nonsense'"),
        ("network {}\nvariable rain", 2, 10, "expected the name of a variable and {"),
        ("variable a { /* no end", 1, 14, "a comment that does not end"),
        ("variable a {\n type continuous {x};}", 2, 7, "must be discrete; got 'continuous'"),
        ("variable a {\n type discrete [3] {x, y};}", 2, 17, "3 states are declared, 2 listed"),
        ("variable a {\n type discrete [1] (x);}", 2, 2, "expected type discrete"),
        ("variable a {type discrete[2]{x,x};}", 1, 10, "'a' has state 'x' twice"),
        ("variable a { }", 1, 10, "'a' has no states"),
        (RAIN.replace("rain )", "snow )") + "table 1, 0; }", 3, 15, "no variable 'snow'"),
        (HEAD + "variable sun { type discrete [1] {a}; }", 7, 10, "variable 'sun' comes twice"),
        (HEAD + "probability (sun){table 1 0 0;}", 7, 1, "probabilities of 'sun' come twice"),
        (HEAD, 4, 10, "variable 'wet' has no probabilities"),
        (CYCLE, 2, 10, "arcs form a cycle: 'b' -> 'c' -> 'b'"),
        (HEAD + "probability ( wet | wet ) { table 1; }", 7, 1, "is its own parent"),
        (HEAD + "probability ( wet | sun, sun ) { table 1; }", 7, 1, "has a parent twice"),
        (HEAD + "probability ( wet, rain | sun ) { table 1; }", 7, 14, "expected one variable"),
        (HEAD + WET + " (low, often) 1, 0;}", 8, 2, "of 'wet' has no state 'often' (known: "),
        (HEAD + WET + " (low) 1, 0;}", 8, 2, "a state of each of its 2 parents"),
        (HEAD + WET + " (low, no 1, 0;}", 8, 2, "a state of each of its 2 parents"),
        (HEAD + WET + " (low, no) 1, 0, 0;}", 8, 2, "3 numbers for the 2 states of 'wet'"),
        (HEAD + WET + " (low, no) 1, zero;}", 8, 15, "'zero' is not a number"),
        (HEAD + WET + " (low, no) 0.5, 0.52;" + row_text(ROWS[1:]) + "}", 8, 2,
         "'wet' given sun = low, rain = no must not be negative and sum to 1"),
        (HEAD + WET + " (low, no) nan, 1;" + row_text(ROWS[1:]) + "}", 8, 2, "sum to 1"),
        (HEAD + WET + row_text(ROWS[:1] * 2) + "}", 9, 3, r"the row (low, no) comes twice"),
        (HEAD + WET + row_text(ROWS[:3] + ROWS[4:]) + "}", 7, 1,
         "no probabilities of 'wet' given sun = mid, rain = yes"),
        (HEAD + WET + row_text(ROWS) + " table 1, 0; }", 14, 2, "either table or rows"),
        (HEAD + WET + "table 1, 0; table 1, 0; }", 8, 13, "table comes twice"),
        (HEAD + WET + "table 1, 0; }", 8, 1, "2 numbers for the probabilities of 'wet'; 12 are"),
        (HEAD + WET + "rows 1, 0; }", 8, 1, "expected a row, table, default or property"),
        (HEAD + WET + "(low, no) 1, 0", 7, 34, "} is missing"),
        (HEAD + "probability wet", 7, 13, "expected ( variable | parents ) {"),
        (RAIN + "table -0.5, 1.5; }", 3, 24, "must not be negative"),
        ("variable a {\n// baytree labels: [1\n type discrete [1] {x};} probability(a){table 1;}",
         2, 1, "the note about labels is broken"),
        ("network a {\n \0 }", 2, 2, "a NUL byte"),
        (b"network a {\n \xff }", 2, 2, "byte 0xff is not UTF-8"),
    ],
    ids=range(38),
)  # fmt: skip
def test_a_broken_file_is_refused_with_line_and_column(read, text, line, column, problem):
    with pytest.raises(FileFormatError) as caught:
        read(text)
    assert f"network.bif, line {line}, column {column}: " in str(caught.value)
    assert problem in str(caught.value)


def test_a_cycle_is_named(read):
    text = "variable a {type discrete[1]{x};} variable b {type discrete[1]{x};}"
    with pytest.raises(FileFormatError, match="arcs form a cycle"):
        read(text + "probability(a|b){(x)1;} probability(b|a){(x)1;}")


def huge_table(body):
    states = ", ".join("abcdefghij")
    names = [f"v{i}" for i in range(41)]
    text = "".join(f"variable {name} {{ type discrete [10] {{ {states} }}; }}\n" for name in names)
    return f"{text}probability ( v0 | {', '.join(names[1:])} ) {{ {body} }}"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("default " + "0.1 " * 10 + ";", "are too many"),
        ("table " + "0.1 " * 10 + ";", r"10 numbers .*; about 10\^41 are needed"),
        (f"({', '.join('a' * 40)}) " + "0.1 " * 10 + ";", "no probabilities of 'v0' given"),
    ],
)
def test_a_huge_table_is_refused_before_it_is_made(read, body, problem):
    with pytest.raises(FileFormatError, match=problem):
        read(huge_table(body))


def test_many_parents_of_one_state_are_no_trouble(read):
    names = [f"v{i}" for i in range(100)]
    text = "".join(f"variable {name} {{ type discrete [1] {{ x }}; }}\n" for name in names)
    text += "".join(f"probability ( {name} ) {{ table 1; }}\n" for name in names[1:])
    network = read(f"{text}probability ( v0 | {', '.join(names[:0:-1])} ) {{ table 1; }}")
    assert len(network.parents("v0")) == 99
