import re
import struct
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baytree import _core
from core_calls import kept_sets

SMALL = b"# variable 0 a\n3\n0 2\n-1.5 2 1 2\n-2 0\n1 1\n-1e-3 0\n2 1\n-7 1 0\n"


def read(*pieces):
    reader = _core.JklReader()
    for piece in pieces:
        reader.feed(piece)
    return reader.finish()


def contents(cache):
    return [kept_sets(cache, variable) for variable in range(cache.n_variables)]


def test_blocks_of_all_variables_are_read():
    assert contents(read(SMALL)) == [{(1, 2): -1.5, (): -2.0}, {(): -1e-3}, {(0,): -7.0}]


@given(cuts=st.lists(st.integers(0, len(SMALL))))
def test_text_may_be_cut_anywhere(cuts):
    bounds = [0, *sorted(cuts), len(SMALL)]
    pieces = [SMALL[i:j] for i, j in pairwise(bounds)]
    assert contents(read(*pieces)) == contents(read(SMALL))


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace(b"\n", b"\r\n"),
        SMALL.rstrip(b"\n"),
        SMALL.replace(b"\n", b"\n# remark\n\n"),
        SMALL.replace(b" ", b" \t "),
        b"3\n2 1\n-7 1 0\n1 1\n-1e-3 0\n0 2\n-2 0\n-1.5 2 2 1\n",
    ],
)
def test_spacing_remarks_and_order_do_not_matter(text):
    assert contents(read(text)) == contents(read(SMALL))


def finite_doubles():
    bits = st.integers(0, 2**64 - 1).map(lambda n: struct.unpack("d", n.to_bytes(8, "little"))[0])
    return bits.filter(np.isfinite)


@given(scores=st.lists(finite_doubles(), min_size=1, max_size=8))
@example(scores=[-0.1, 5e-324, -1.7976931348623157e308, 1 / 3, -0.0])
def test_scores_come_back_to_the_bit(scores):
    starts = np.arange(len(scores) + 1, dtype=np.uint32)
    members = np.arange(1, len(scores) + 1, dtype=np.uint32)
    empty = (np.zeros(1), np.empty(0, dtype=np.uint32), np.zeros(2, dtype=np.uint32))
    cache = _core.ParentSetCache([(np.array(scores), members, starts), *[empty] * len(scores)])
    n_variables = cache.n_variables
    blocks = [cache.jkl_block(variable).encode() for variable in range(n_variables)]
    again = read(f"{n_variables}\n".encode(), *blocks)
    assert again.scores(0).tobytes() == cache.scores(0).tobytes()
    assert again.parent_sets(0) == cache.parent_sets(0)


def test_comments_that_name_variables_are_kept_as_they_are():
    reader = _core.JklReader()
    reader.feed(b"# variable 0 \xff\x00\n#variable 1\n# variables\n1\n# variable x\n0 1\n0 0\n")
    assert reader.variable_comments == [b"0 \xff\x00", b"x"]


BROKEN = [
    (b"", "line 1: the file is empty"),
    (b"\n# remark\n", "line 2: the file ends before the number of variables"),
    (b"# nothing\n\n", "line 2: the file ends before the number of variables"),
    (b"x\n", "line 1: expected the number of variables, found 'x'"),
    (b"0\n", "line 1: expected the number of variables, found '0'"),
    (b"-1\n", "line 1: expected the number of variables, found '-1'"),
    (b"1.5\n", "line 1: expected the number of variables, found '1.5'"),
    (b"99999999999\n", "line 1: expected the number of variables, found '99999999999'"),
    (b"2 2\n", "line 1: expected the number of variables, found '2'"),
    (b"2\n0\n", "line 2: expected the number of a variable and of its parent sets, found '0'"),
    (b"2\n0 1 1\n", "line 2: expected the number of a variable"),
    (b"2\nx 1\n", "line 2: expected the number of a variable"),
    (b"2\n0 -1\n", "line 2: expected the number of a variable"),
    (b"2\n2 1\n", "line 2: variable 2 is not below the number of variables, 2"),
    (b"2\n0 0\n", "line 2: variable 0 has no parent set"),
    (b"2\n0 1\n-1 0\n\n0 1\n", "line 5: variable 0 has a block already"),
    (b"2\n0 1\nx 0\n", "line 3: expected a finite score, found 'x'"),
    (b"2\n0 1\nnan 0\n", "line 3: expected a finite score, found 'nan'"),
    (b"2\n0 1\n-inf 0\n", "line 3: expected a finite score, found '-inf'"),
    (b"2\n0 1\n1e999 0\n", "line 3: expected a finite score, found '1e999'"),
    (b"2\n0 1\n-1,5 0\n", "line 3: expected a finite score, found '-1,5'"),
    (b"2\n0 1\n-1\n", "line 3: expected the number of parents, found ''"),
    (b"2\n0 1\n-1 x\n", "line 3: expected the number of parents, found 'x'"),
    (b"2\n0 1\n-1 -1\n", "line 3: expected the number of parents, found '-1'"),
    (b"2\n0 1\n-1 1\n", "line 3: expected 1 parents, found 0"),
    (b"2\n0 1\n-1 0 1\n", "line 3: expected 0 parents, found 1"),
    (b"2\n0 1\n-1 1 0\n", "line 3: expected another variable below 2, found '0'"),
    (b"2\n0 1\n-1 1 2\n", "line 3: expected another variable below 2, found '2'"),
    (b"2\n0 1\n-1 1 y\n", "line 3: expected another variable below 2, found 'y'"),
    (b"2\n0 1\n-1 2 1 1\n", "line 3: a parent is named twice"),
    (b"2\n0 2\n-1 1 1\n-2 1 1\n", "line 4: variable 0 has a parent set twice"),
    (b"2\n0 2\n-1 0\n", "line 3: the file ends 1 parent sets early, in variable 0"),
    (b"2\n0 1\n-1 0\n", "line 3: the file ends after 1 of 2 variables"),
    ("2\n0 1\n½ 0\n".encode(), "line 3: expected a finite score, found '??'"),
    (b"2\n0 1\n" + b"9" * 50 + b"x 0\n", "line 3: expected a finite score, found '" + "9" * 40),
    (b"2\n0 1\n\xff\xfe 0\n", "line 3: expected a finite score"),
    (b"2\n0 1\nx\x00y 0\n", "line 3: expected a finite score"),
    (b"2\n0 1\nx" + "½".encode() * 30 + b" 0\n", "line 3: expected a finite score"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_is_named(text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        read(text)


def test_a_declared_billion_costs_nothing():
    with pytest.raises(ValueError, match="line 3: the file ends 999999999999 parent sets early"):
        read(b"1000000000\n0 1000000000000\n-1 0\n")


def test_an_endless_line_ends():
    endless = [b"# fine\n", *[b"7" * 300_000] * 4]
    with pytest.raises(ValueError, match="line 2: the line is longer than a million characters"):
        read(*endless)


@given(text=st.binary(max_size=60) | st.text("0123456789-.e# \n", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_with_their_line(text):
    try:
        outcome = f"line 0: {read(text).n_variables} variables"
    except ValueError as error:
        outcome = str(error)
    assert re.match(r"line \d+: ", outcome)
