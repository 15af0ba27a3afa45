import json
import re

import pytest

from baytree.exceptions import FileFormatError
from baytree.networks.files import json_documents
from baytree.networks.files.file_contents import TextSource
from baytree.networks.files.json_documents import NUMBER, JsonPart, ListOf, ObjectOf, read_document

TEXT = r'{"a": [1, {"b": 2, "c": {"b": []}}], "d\n\"": "x,]}", "e": {}, "f": 0}'


@pytest.fixture
def source(written):
    return lambda text: TextSource(written("document.json", text), 10**8)


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
def test_an_error_has_the_place_where_a_member_or_item_starts(source, path, start):
    part = JsonPart(source(TEXT), json.loads(TEXT))
    for key in path:
        part = part[key]
    with pytest.raises(FileFormatError, match=f"line 1, column {TEXT.index(start) + 1}: wrong"):
        part.refuse("wrong")


@pytest.mark.parametrize(
    ("text", "start", "problem"),
    [
        ('{"a": {"b": 1}, "c": {"b": 1, "d": {"b": 2}, "b": 4}}', '"b": 4', "has 'b' twice"),
        ('{"b": {"a": 1}, "a": 1, "a": 2}', '"a": 2', "has 'a' twice"),
        ('{"a": "NaN", "b": [0, NaN]}', "NaN]", "NaN is not a number"),
        ('{"a": "-Infinity", "b": -Infinity} no JSON', "-Infinity}", "-Infinity is not a number"),
        ('[{"a": 1}, [[' + "1" * 5000 + ', "]"]]]', "1" * 5000, "a number of 5,000 digits"),
    ],
)  # fmt: skip
def test_what_python_would_accept_is_refused_with_its_place(source, text, start, problem):
    match = f"line 1, column {text.index(start) + 1}: "
    with pytest.raises(FileFormatError, match=f"{match}.*{re.escape(problem)}"):
        read_document(source(text), ObjectOf("a test", {}))


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_text_that_is_too_deep_is_refused_at_the_first_value_that_is(source, opening):
    column = (json_documents.MAX_DEPTH + 1) * len(opening) + 1
    with pytest.raises(FileFormatError, match=f"line 1, column {column}: .* too deep to be a test"):
        read_document(source(opening * 100_000), ObjectOf("a test", {}))


def test_errors_in_long_texts_have_no_place(source, monkeypatch):
    monkeypatch.setattr(json_documents, "MAX_CHARACTERS", 10)
    schema = ObjectOf("a test", {"a": ListOf(NUMBER)})
    for text in ('{"a": ["x"]}', '{"a": [NaN]}'):
        with pytest.raises(FileFormatError, match=r"document\.json: "):
            read_document(source(text), schema)
    with pytest.raises(FileFormatError, match=r"line 1, column 2: a must be a list; got 1"):
        read_document(source('{"a": 1}'), schema)
