import errno
import gzip
import lzma
import os

import pytest

from baytree.runtime.atomic_files import replaced_file


def write_and_raise(path, error):
    with replaced_file(path) as stream:
        stream.write(b"new")
        raise error


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("name", ["cache.jkl", "cache.jkl.gz", "cache.jkl.xz"])
def test_a_failed_block_leaves_the_old_file_and_no_draft(tmp_path, name, error):
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(error):
        write_and_raise(path, error)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [name]


def test_the_file_appears_only_when_the_block_ends(tmp_path):
    path = tmp_path / "cache.jkl"
    with replaced_file(str(path)) as stream:
        stream.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["cache.jkl"]


@pytest.mark.parametrize(("name", "module"), [("a.gz", gzip), ("a.XZ", lzma)])
def test_the_name_says_how_to_compress(tmp_path, name, module):
    with replaced_file(tmp_path / name) as stream:
        stream.write(b"text" * 1000)
    assert module.decompress((tmp_path / name).read_bytes()) == b"text" * 1000


@pytest.mark.parametrize("name", ["a.gz", "a.xz"])
def test_equal_contents_make_equal_files(tmp_path, name):
    contents = set()
    for _ in range(2):
        with replaced_file(tmp_path / name) as stream:
            stream.write(b"text")
        contents.add((tmp_path / name).read_bytes())
    assert len(contents) == 1


def test_a_file_in_the_working_directory_needs_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with replaced_file("bare.txt") as stream:
        stream.write(b"x")
    assert os.listdir(tmp_path) == ["bare.txt"]


def test_the_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "usual").touch()
    with replaced_file(tmp_path / "ours"):
        pass
    modes = {(tmp_path / name).stat().st_mode for name in ("usual", "ours")}
    assert len(modes) == 1


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "cache.jkl"
    path.touch()
    path.chmod(mode)
    with replaced_file(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == mode


def test_the_umask_of_the_process_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", None)
    with replaced_file(tmp_path / "cache.jkl"):
        pass
    assert os.listdir(tmp_path) == ["cache.jkl"]


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    with replaced_file(tmp_path / ("x" * 255)):
        pass
    assert os.listdir(tmp_path) == ["x" * 255]


def test_a_folder_that_is_not_there_is_an_error_of_the_system(tmp_path):
    path = tmp_path / "no" / "file"
    with pytest.raises(FileNotFoundError) as caught, replaced_file(path):
        pass
    assert caught.value.filename == str(path)


@pytest.mark.parametrize("call", ["open", "replace", "fsync"])
def test_an_error_of_the_system_names_the_file_that_was_asked_for(tmp_path, monkeypatch, call):
    def refuse(*places):
        drafts = [str(place) for place in places if not isinstance(place, int)][:2]
        raise PermissionError(errno.EACCES, "Permission denied", *drafts[:1], None, *drafts[1:])

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(PermissionError) as caught, replaced_file("cache.jkl"):
        pass
    assert str(caught.value) == "[Errno 13] Permission denied: 'cache.jkl'"


def test_an_error_that_names_another_file_is_left_alone(tmp_path):
    with pytest.raises(OSError, match=r"'other\.csv'"):
        write_and_raise(tmp_path / "cache.jkl", FileNotFoundError(2, "No such file", "other.csv"))


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "target.jkl").write_bytes(b"old")
    link = tmp_path / "link.jkl"
    link.symlink_to("target.jkl")
    with replaced_file(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert (tmp_path / "target.jkl").read_bytes() == b"new"


def test_what_is_not_an_ordinary_file_is_refused(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="pipe is not an ordinary file"):
        write_and_raise(pipe, AssertionError)


def test_the_file_behind_a_standard_stream_is_not_replaced(tmp_path):
    with pytest.raises(ValueError, match="/dev/stdout cannot be written: devices"):
        write_and_raise("/dev/stdout", AssertionError)
