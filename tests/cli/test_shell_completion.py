"""Completions, requested as the shell function of argcomplete requests them."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest

from baytree.cli.main import main
from baytree.vocabulary import SEARCHES

NOTHING = ()
COMPLETIONS = [
    ("le", ["learn "]),
    ("s", ["sample", "score", "search"]),
    ("--v", ["--version "]),
    ("learn --sea", ["--search "]),
    ("learn table.csv --max-t", ["--max-treewidth "]),
    ("learn --search ", SEARCHES),
    ("learn --search=hill", ["hill-climb "]),
    ("impute --completion j", ["joint "]),
    ("learn --required rain ", NOTHING),
    ("generate ", NOTHING),
    ("generate 2 --random-state ", NOTHING),
    ("query --max-s", ["--max-sweeps "]),
    ("info --treew", NOTHING),
    ("learn my", [r"my\ table.csv "]),
    ("learn my.csv --initial-network my", [r"my\ table.csv "]),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "my table.csv").touch()
    return tmp_path


def completions(line, folder, code="from baytree.__main__ import main; main()"):
    """Return the completions of a line after `baytree`, by the protocol of argcomplete."""
    line = f"baytree {line}"
    reply = folder / ".reply"
    protocol = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\013",
        "_ARGCOMPLETE_COMP_WORDBREAKS": "\"'><=;|&(:",
        "_ARGCOMPLETE_SHELL": "bash",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(reply),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    words = [sys.executable, "-c", code]
    run = subprocess.run(
        words, env=os.environ | protocol, cwd=folder, capture_output=True, timeout=100, check=True
    )
    assert (run.stdout, run.stderr) == (b"", b"")
    return [word for word in reply.read_text().split("\013") if word]


@pytest.mark.parametrize(("line", "expected"), COMPLETIONS)
def test_the_shell_is_offered_what_fits(folder, line, expected):
    assert sorted(completions(line, folder)) == sorted(expected)


def test_the_shell_need_not_wait_for_the_heavy_packages(folder):
    code = """
import os, sys
leave = os._exit
def checked(code):
    heavy = {"numpy", "pandas", "rich", "baytree._core"} & set(sys.modules)
    leave(code if not heavy else 99)
os._exit = checked
from baytree.__main__ import main
main()
"""
    assert completions("le", folder, code) == ["learn "]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_asks_as_these_tests_do(folder):
    executable = folder / "baytree"
    executable.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m baytree\n")
    executable.chmod(0o755)
    code = f"""
        PATH={shlex.quote(str(folder))}:$PATH
        eval "$({shlex.quote(sys.executable)} -c \
            'import argcomplete; print(argcomplete.shellcode(["baytree"]))')"
        compopt() {{ :; }}  # bash has it only while it completes
        COMP_WORDS=(baytree lea); COMP_CWORD=1; COMP_LINE='baytree lea'; COMP_POINT=11; COMP_TYPE=9
        _python_argcomplete baytree
        echo "${{COMPREPLY[@]}}" """
    run = subprocess.run(
        ["bash", "--norc", "-c", code],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=100,
        check=True,
    )
    assert (run.stdout.strip(), run.stderr) == ("learn", "")


def test_completion_is_no_command(capsys):
    with pytest.raises(SystemExit) as end:
        main(["completion", "bash"])
    assert end.value.code == 2
    assert "invalid choice: 'completion'" in capsys.readouterr().err
