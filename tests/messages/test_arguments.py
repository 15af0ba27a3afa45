from fractions import Fraction

import numpy as np
import pytest

from baytree.messages.arguments import integer_at_least, one_of, positive_number, verbosity
from baytree.messages.quoting import shortened


@pytest.mark.parametrize("value", [1, 7, np.int8(7), np.uint64(2**63), 2**70])
def test_an_integer_comes_back_as_one_of_python(value):
    assert type(integer_at_least("n", value, 1)) is int
    assert integer_at_least("n", value, 1) == value


@pytest.mark.parametrize(
    "value",
    [0, -(10**5000), True, np.True_, 2.0, "2", None, np.array(2), [2], np.timedelta64(2), 1j],
    ids=shortened,
)
def test_what_is_no_integer_of_at_least_the_least_is_refused(value):
    with pytest.raises(ValueError, match="n must be an integer of at least 1; got"):
        integer_at_least("n", value, 1)


@pytest.mark.parametrize("value", [1e5, np.float32(100_000), Fraction(100_000)])
def test_a_whole_number_of_another_type_is_refused_with_a_hint(value):
    with pytest.raises(ValueError, match=r"n must be an integer.*; got .*\. Write 100000\.$"):
        integer_at_least("n", value, 1)


@pytest.mark.parametrize("value", [0.0, -1.0, 2.5, np.nan, np.inf, Fraction(5, 2)])
def test_a_number_that_will_not_do_gets_no_spelling(value):
    with pytest.raises(ValueError, match=r"n must be an integer of at least 1; got \S+( 2\))?\.$"):
        integer_at_least("n", value, 1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(2, 2.0), (np.float32(0.5), 0.5), (Fraction(1, 4), 0.25), (10**400, np.inf), (np.inf, np.inf)],
)
def test_a_positive_number_comes_back_as_a_float(value, expected):
    assert type(positive_number("x", value)) is float
    assert positive_number("x", value) == expected


@pytest.mark.parametrize(
    "value",
    [0, -1, -(10**400), np.nan, True, "1", None, 1j, np.array(1.0), [1.0], np.timedelta64(1, "s")],
)
def test_what_is_no_positive_number_is_refused(value):
    with pytest.raises(ValueError, match="x must be a positive number of seconds; got"):
        positive_number("x", value, "seconds")


@pytest.mark.parametrize("value", ["green", None, 1, np.array(["red", "blue"]), ["red"]])
def test_what_is_not_one_of_the_words_is_refused(value):
    with pytest.raises(ValueError, match='hue must be one of "red", "blue"; got'):
        one_of("hue", value, ["red", "blue"])


@pytest.mark.parametrize("value", [np.zeros((50, 50)), "x" * 1000, 10**5000], ids=range(3))
def test_what_came_is_shown_in_one_short_line(value):
    assert len(shortened(value)) <= 80
    assert "\n" not in shortened(value)


@pytest.mark.parametrize(("value", "expected"), [(0, 0), (True, 1), (np.int64(2), 2)])
def test_verbosity_is_an_integer_or_a_truth_value(value, expected):
    assert verbosity(value) == expected


@pytest.mark.parametrize("value", ["1", 1.0, None])
def test_what_is_no_verbosity_is_refused(value):
    with pytest.raises(ValueError, match="verbose must be an integer; got"):
        verbosity(value)
