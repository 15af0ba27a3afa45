import json

import pytest

from baytree.networks.files import json_places
from baytree.networks.files.json_places import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    place_of,
    place_of_depth,
    place_of_second,
    place_of_word,
)

TEXT = r'{"a": [1, {"b": 2, "c": {"b": []}, "b": NaN}], "d\n\"": "x,]}", "e": {}, "f": 0, "a": 4}'


@pytest.mark.parametrize(
    ("path", "start"),
    [
        (("a",), '"a": [1'),
        (("a", 0), "1, {"),
        (("a", 1), '{"b": 2'),
        (("a", 1, "c", "b"), '"b": []'),
        (('d\n"',), r'"d\n'),
        (("f",), '"f"'),
    ],
)
def test_a_member_or_item_is_found_where_it_starts(path, start):
    assert place_of(TEXT, *path) == TEXT.index(start)


def test_what_is_not_there_has_no_place():
    assert place_of(TEXT, "b") is None
    assert place_of(TEXT, "a", 2) is None
    assert place_of_word(TEXT, "Infinity") is None
    assert place_of_second(TEXT, "f") is None
    assert place_of_depth(TEXT) is None


def test_a_key_is_second_within_its_own_object_alone():
    assert place_of_second(TEXT, "b") == TEXT.index('"b": NaN')
    assert place_of_second(TEXT, "a") == TEXT.index('"a": 4')
    assert place_of_second('[{"b": 1}, {"b": 1}]', "b") is None


def test_words_in_quotes_are_no_words():
    assert place_of_word('{"a": "NaN", "b": NaN}', "NaN") == 18


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_text_is_left_at_the_first_value_that_is_too_deep(opening):
    text = opening * 1_000_000
    place = place_of_depth(text[: MAX_CHARACTERS // 10])
    assert place is not None
    assert place // len(opening) in (MAX_DEPTH, MAX_DEPTH + 1)


@pytest.mark.parametrize(
    "text", ["", "]", ",", ":", "}{", '"', '{"a', "{[,]:}", "{1: 2, nul: 3}", "[,,"]
)
def test_text_that_is_no_json_is_no_trouble(text):
    assert place_of(text, "a", 0) is None
    assert place_of_second(text, "a") is None


def test_long_texts_are_not_walked(monkeypatch):
    monkeypatch.setattr(json_places, "MAX_CHARACTERS", 10)
    assert place_of(json.dumps({"a": 1}), "a") == 1
    assert place_of(json.dumps({"a": 1, "b": 2}), "a") is None
