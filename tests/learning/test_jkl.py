import gzip
import lzma

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baytree import _core
from baytree.exceptions import FileFormatError
from baytree.learning.jkl import read_jkl, write_jkl

SMALL = b"2\n0 2\n-1.5 1 1\n-2 0\n1 1\n-0.25 0\n"
COMPRESS = {"gz": gzip.compress, "xz": lzma.compress}
NAMES = [
    "",
    "plain",
    "two words",
    'a "quoted" \\ name',
    "line\nbreak",
    "naïve 中 🌳",
    "# 3",
    "\t",
    7,
]


@pytest.fixture
def jkl_file(written):
    return lambda content, name="cache.jkl": written(name, content)


def random_cache(n_variables, n_sets=40):
    random = np.random.default_rng(0)
    arrays = []
    for child in range(n_variables):
        others = [variable for variable in range(n_variables) if variable != child]
        sets = [random.choice(others, size=1 + i % 3, replace=False) for i in range(n_sets)]
        sets = sorted({tuple(sorted(chosen.tolist())) for chosen in sets} | {()})
        members = np.array([parent for chosen in sets for parent in chosen], dtype=np.uint32)
        starts = np.cumsum([0, *map(len, sets)], dtype=np.uint32)
        arrays.append((-np.exp(random.normal(5, 9, len(sets))), members, starts))
    return _core.ParentSetCache(arrays)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_sets_scores_and_names_come_back_to_the_bit(tmp_path, suffix):
    cache = random_cache(len(NAMES))
    write_jkl(tmp_path / f"cache.jkl{suffix}", cache, NAMES)
    again, names = read_jkl(tmp_path / f"cache.jkl{suffix}")
    assert names == NAMES
    for variable in range(len(NAMES)):
        assert again.parent_sets(variable) == cache.parent_sets(variable)
        assert again.scores(variable).tobytes() == cache.scores(variable).tobytes()


@given(names=st.lists(st.text(max_size=8) | st.integers(), min_size=4, max_size=4, unique=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_or_integer_is_a_name(tmp_path, names):
    write_jkl(tmp_path / "cache.jkl", random_cache(4), names)
    assert read_jkl(tmp_path / "cache.jkl")[1] == names


def test_names_of_other_types_come_back_as_text(tmp_path):
    names = [("a", 1), 2.5, None, float("nan"), pd.Timestamp("2026-01-02"), b"x", "x"]
    write_jkl(tmp_path / "cache.jkl", random_cache(7), names)
    texts = ["('a', 1)", "2.5", "None", "nan", "2026-01-02 00:00:00", "b'x'", "x"]
    assert read_jkl(tmp_path / "cache.jkl")[1] == texts


def test_integers_of_numpy_come_back_as_integers(tmp_path):
    write_jkl(tmp_path / "cache.jkl", random_cache(4), list(np.arange(2000, 2004)))
    names = read_jkl(tmp_path / "cache.jkl")[1]
    assert names == [2000, 2001, 2002, 2003]
    assert {type(name) for name in names} == {int}


@pytest.mark.parametrize("pair", [(None, "None"), (2.5, "2.5"), (("a", 1), "('a', 1)")])
def test_names_with_one_text_are_refused_before_anything_is_written(tmp_path, pair):
    with pytest.raises(ValueError, match="would both be named") as caught:
        write_jkl(tmp_path / "cache.jkl", random_cache(4), ["x", *pair, "y"])
    assert all(repr(name) in str(caught.value) for name in pair)
    assert not list(tmp_path.iterdir())


def test_an_unknown_compression_is_neither_written_nor_read(tmp_path):
    path = tmp_path / "cache.jkl.bz2"
    with pytest.raises(ValueError, match=r"cannot be compressed as \.bz2"):
        write_jkl(path, random_cache(4), list("abcd"))
    assert not list(tmp_path.iterdir())
    path.write_bytes(SMALL)
    with pytest.raises(ValueError, match=r"cannot be compressed as \.bz2"):
        read_jkl(path)


def test_text_is_commented_and_numbered(tmp_path):
    write_jkl(tmp_path / "cache.jkl", read_bytes(SMALL), ["rain", 'we"t'])
    lines = (tmp_path / "cache.jkl").read_text().splitlines()
    plain = [line for line in lines if not line.startswith("#")]
    assert plain == ["2", "0 2", "-1.5 1 1", "-2 0", "1 1", "-0.25 0"]
    assert lines[2:4] == ['# variable 0 "rain"', '# variable 1 "we\\"t"']


def read_bytes(text):
    reader = _core.JklReader()
    reader.feed(text)
    return reader.finish()


def test_sets_in_any_order_come_back_best_first(jkl_file):
    path = jkl_file(b"2\n1 1\n-1 0\n0 2\n-9 0\n-3 1 1\n")
    cache, _ = read_jkl(path)
    assert cache.parent_sets(0) == [(1,), ()]
    assert cache.scores(0).tolist() == [-3.0, -9.0]


@pytest.mark.parametrize(
    "comments",
    [
        b"",
        b"# remark\n",
        b'# variable 0 "a"\n',
        b'# variable 0 "a"\n# variable 1 "a"\n',
        b'# variable 0 "a"\n# variable 2 "b"\n',
        b'# variable 0 "a"\n# variable 1 "b"\n# variable 2 "c"\n',
        b'# variable 0 "a"\n# variable 1 b\n',
        b'# variable 0 "a"\n# variable one "b"\n',
        b'# variable 0 "a"\n# variable 1 \xff\n',
        b'# variable 0 "a"\n# variable 1 2.5\n',
        b'# variable 0 "a"\n# variable 1 null\n',
        b'# variable 0 "a"\n# variable 1 ["b"]\n',
        b'# variable 0 "a"\n# variable 1 {"b": 1}\n',
        b'# variable 0 "a"\n# variable 1 ' + b"[" * 200_000 + b"\n",
        b'# variable 0 "a"\n# variable 1 ' + b"1" * 10_000 + b"\n",
    ],
    ids=range(15),
)
def test_variables_are_numbered_unless_the_file_names_them_all(jkl_file, comments):
    assert read_jkl(jkl_file(comments + SMALL))[1] == ["x0", "x1"]


@pytest.mark.parametrize(
    "content",
    [
        b'# variable 0 "a"\n# variable 1 "b"\n' + SMALL,
        SMALL + b'# variable 1 "b"\n# variable 0 "a"',
        (b'# variable 0 "a"\n#\n' + SMALL + b'# variable 1 "b"\n').replace(b"\n", b"\r\n"),
    ],
)
def test_names_may_stand_anywhere(jkl_file, content):
    cache, names = read_jkl(jkl_file(content))
    assert names == ["a", "b"]
    assert cache.parent_sets(0) == [(1,), ()]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1: the file is empty."),
        (b"two\n", "line 1: expected the number of variables, found 'two'"),
        (b"# first\n2\n5 1\n", "line 3: variable 5 is not below the number of variables, 2"),
        (b"2\n0 1\n-1 1 0\n", "line 3: expected another variable below 2, found '0'"),
        (b"2\r\n0 1\r\n-1 0\r\n1 1\r\n-1 7\r\n", "line 5: expected 7 parents, found 0"),
        (SMALL[:-8], "line 5: the file ends 1 parent sets early, in variable 1"),
        (b"\x1f\x8b\x08\x00", "line 1: expected the number of variables"),
    ],
)
def test_a_broken_line_is_named_with_its_file(jkl_file, content, message):
    path = jkl_file(content)
    with pytest.raises(FileFormatError) as caught:
        read_jkl(path)
    assert str(caught.value).startswith(f"{path}, {message}")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"a,b\n", "'a,b'"),
        ("größe 1,b\n".encode(), "'größe 1,b'"),
        ("größe,b\n".encode("latin-1"), r"'gr\xf6\xdfe,b'"),
    ],
)
def test_what_came_in_the_place_of_a_cache_is_shown(jkl_file, content, found):
    with pytest.raises(FileFormatError) as caught:
        read_jkl(jkl_file(b"# a comment\n\n" + content))
    problem = f"line 3: expected the number of variables, found {found}. Is this a cache?"
    assert problem in str(caught.value)


@pytest.mark.parametrize("kind", ["gz", "xz"])
@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.95])
def test_a_truncated_archive_is_named(jkl_file, kind, fraction):
    text = b"2\n0 1\n-1 0\n1 1\n-1 0\n" + np.random.default_rng(0).bytes(4000).hex().encode()
    packed = COMPRESS[kind](b"#" + text)
    path = jkl_file(packed[: int(len(packed) * fraction)], f"cache.{kind}")
    with pytest.raises(FileFormatError, match=rf"cache\.{kind}: the compressed data is broken"):
        read_jkl(path)


@pytest.mark.parametrize("kind", ["gz", "xz"])
def test_what_is_no_archive_is_named(jkl_file, kind):
    path = jkl_file(SMALL, f"cache.{kind}")
    with pytest.raises(FileFormatError, match=rf"cache\.{kind}: the compressed data is broken"):
        read_jkl(path)


@pytest.mark.parametrize("kind", ["gz", "xz"])
def test_an_archive_of_one_endless_line_is_not_unpacked(jkl_file, kind):
    path = jkl_file(COMPRESS[kind](b"2\n" + b"1" * 30_000_000), f"cache.{kind}")
    with pytest.raises(FileFormatError, match="line 2: the line is longer than a million"):
        read_jkl(path)


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_jkl(tmp_path / "cache.jkl")


@given(content=st.binary(max_size=80), suffix=st.sampled_from(["jkl", "gz", "xz"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_refused_as_a_broken_file(jkl_file, content, suffix):
    path = jkl_file(content, f"cache.{suffix}")
    with pytest.raises(FileFormatError, match=r"line \d+:|compressed data"):
        read_jkl(path)
