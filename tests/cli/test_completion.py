"""Scripts for shells, asked as shells ask them."""

import argparse
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from baytree.cli.completion import SHELLS
from baytree.cli.completion_scripts import SCRIPTS
from baytree.cli.completion_words import completed_commands
from baytree.cli.main import command_parser, main
from baytree.cli.search_options import SEARCHES

NOTHING = ()
COMPLETIONS = [
    (["le"], ["learn"]),
    (["s"], ["sample", "score", "search"]),
    (["--v"], ["--version"]),
    (["learn", "--sea"], ["--search"]),
    (["learn", "table.csv", "--tr"], ["--treewidth"]),
    (["learn", "--search", ""], SEARCHES),
    (["impute", "--method", "j"], ["joint"]),
    (["completion", ""], SHELLS),
    (["generate", ""], NOTHING),
    (["learn", "--seed", ""], NOTHING),
    (["query", "--max-s"], ["--max-sweeps"]),
    (["info", "--treew"], NOTHING),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    for shell in SHELLS:
        text = SCRIPTS[shell](completed_commands(command_parser()))
        (folder / f"baytree.{shell}").write_text(text + "\n")
    return folder


def output_of(*words, folder):
    run = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=True)
    assert run.stderr == ""
    return run.stdout


def bash_replies(scripts, *words):
    """Return what the function of bash offers for the last word."""
    given = " ".join(f"'{word}'" for word in ("baytree", *words))
    code = f"""
        source baytree.bash
        compopt() {{ :; }}  # bash has it only while it completes
        COMP_WORDS=({given}); COMP_CWORD={len(words)}; _baytree
        for reply in "${{COMPREPLY[@]}}"; do echo "$reply"; done"""
    return output_of("bash", "--norc", "-c", code, folder=scripts).split()


@pytest.mark.parametrize(("words", "replies"), COMPLETIONS)
def test_bash_offers_what_fits(scripts, words, replies):
    assert sorted(bash_replies(scripts, *words)) == sorted(replies)


def test_bash_sees_values_behind_an_equals_sign_and_second_values(scripts):
    assert bash_replies(scripts, "learn", "--search", "=", "hill") == ["hill-climb"]
    assert bash_replies(scripts, "learn", "--criterion", "=")[:2] == ["bic", "aic"]
    assert bash_replies(scripts, "learn", "--require", "rain", "") == []


class Terminal:
    """An interactive bash without settings."""

    def __init__(self, folder):
        self.stream, end = pty.openpty()
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"],
            cwd=folder,
            env={**os.environ, "TERM": "dumb", "INPUTRC": os.devnull},
            **dict.fromkeys(("stdin", "stdout", "stderr"), end),
            start_new_session=True,
        )
        os.close(end)

    def type(self, text, until):
        """Type text and return what was shown up to a pattern."""
        os.write(self.stream, text.encode())
        shown, deadline = "", time.monotonic() + 60
        while not re.search(until, shown):
            assert time.monotonic() < deadline, f"{until!r} is not in {shown!r}"
            if select.select([self.stream], [], [], 0.1)[0]:
                shown += os.read(self.stream, 4096).decode()
        return shown

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.stream)


@pytest.fixture
def terminal(scripts):
    (scripts / "my table.csv").touch()
    terminal = Terminal(scripts)
    terminal.type("source baytree.bash; echo rea''dy\n", until="ready")
    yield terminal
    terminal.close()


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("baytree lea\t", "learn "),
        ("baytree learn --sea\t", "--search "),
        ("baytree learn --search=hi\t", "hill-climb "),
        ("baytree learn my\t", r"my\\ table.csv "),
        ("baytree learn --start my\t", r"my\\ table.csv "),
    ],
)
def test_the_tab_key_completes_in_bash(terminal, typed, completed):
    terminal.type(typed, until=completed)


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("words", "replies"), COMPLETIONS)
def test_fish_offers_what_fits(scripts, words, replies):
    code = f"source baytree.fish; complete -C '{' '.join(['baytree', *words])}'"
    lines = output_of("fish", "--no-config", "-c", code, folder=scripts).splitlines()
    assert sorted(line.split("\t")[0] for line in lines) == sorted(replies)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_can_read_its_script(scripts):
    assert output_of("zsh", "-f", "-n", "baytree.zsh", folder=scripts) == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_every_script(scripts, shell):
    text = (scripts / f"baytree.{shell}").read_text()
    commands = completed_commands(command_parser())
    for command in commands:
        assert re.search(rf"\b{command.name}\b", text)
    options = [option for command in commands for option in command.options]
    for word in {word for option in options for word in option.words}:
        dashes, name = re.fullmatch("(--?)(.*)", word).groups()
        fish_word = f"-l {name}" if dashes == "--" else f"-s {name}"
        assert (fish_word if shell == "fish" else word) in text


def test_texts_with_marks_of_the_shells_stay_texts(tmp_path):
    parser = argparse.ArgumentParser(prog="baytree")
    command = parser.add_subparsers().add_parser("learn", help="it's [a: \\ $HOME `ls`]")
    command.add_argument("--criterion", metavar="NAME", help="100 %% of 'it': $(touch hacked) [x]")
    command.add_argument("table", metavar="TABLE", help="a table")
    for shell, script in SCRIPTS.items():
        path = tmp_path / f"baytree.{shell}"
        path.write_text(script(completed_commands(parser)) + "\n")
        if shutil.which(shell):
            checks = ("-n",) if shell == "zsh" else ()
            output_of(shell, *checks, path.name, folder=tmp_path)
    assert not (tmp_path / "hacked").exists()
    assert "100 % of" in (tmp_path / "baytree.fish").read_text()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_goes_to_stdout(shell, capsys):
    assert main(["completion", shell]) == 0
    captured = capsys.readouterr()
    assert captured.out == SCRIPTS[shell](completed_commands(command_parser())) + "\n"
    assert captured.err == ""


def test_an_unknown_shell_is_misuse(capsys):
    with pytest.raises(SystemExit) as end:
        main(["completion", "tcsh"])
    assert end.value.code == 2
    assert "invalid choice: 'tcsh'" in capsys.readouterr().err
