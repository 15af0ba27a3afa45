import os
import re
import subprocess
import sys
import warnings

import pytest

import baytree
from baytree.cli.main import main
from baytree.exceptions import BaytreeWarning

HEAVY = (
    "numpy",
    "scipy",
    "pandas",
    "sklearn",
    "matplotlib",
    "rich",
    "argcomplete",
    "baytree._core",
)
COMMANDS = (
    *("learn", "impute", "query", "explore", "evaluate", "sample"),
    *("info", "convert", "generate", "score", "search"),
)
HELP = [["--help"], *([command, "--help"] for command in COMMANDS)]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rain.csv"
    path.write_text("rain,wet\n" + "no,no\nyes,yes\n" * 20)
    return path


def run_python(*words):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


def test_module_and_function_do_the_same(table, tmp_path, capsys):
    words = ["score", str(table), "-o", str(tmp_path / "cache.jkl")]
    run = run_python("-m", "baytree", *words)
    assert main(words) == run.returncode == 0
    assert run.stdout == capsys.readouterr().out != ""


def test_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"baytree {baytree.__version__}\n"


@pytest.mark.parametrize("words", HELP)
def test_help_goes_to_stdout(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("usage: baytree")
    assert captured.err == ""


@pytest.mark.parametrize("words", [*HELP, ["--version"]])
def test_help_and_version_load_none_of_the_heavy_packages(words):
    code = (
        "import sys\n"
        "from baytree.cli.main import main\n"
        "try:\n"
        f"    main({words!r})\n"
        "finally:\n"
        f"    heavy = set({HEAVY!r}) & set(sys.modules)\n"
        "    print(sorted(heavy), file=sys.stderr)\n"
    )
    assert run_python("-c", code).stderr == "[]\n"


@pytest.mark.parametrize("words", [[], ["learn"], ["--loud"], ["score"], ["search"], ["query"]])
def test_misuse_ends_with_2_and_the_usage(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: baytree")


@pytest.mark.parametrize("name", ["no_such.csv", "no_such.parquet", "no_such.dat.gz"])
def test_failure_ends_with_1_and_one_line(name, tmp_path, capsys):
    path = tmp_path / name
    assert main(["score", str(path), "-o", str(tmp_path / "cache.jkl")]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"baytree: error: {path}: No such file or directory.\n"


def test_failure_shows_no_traceback_in_a_process(tmp_path):
    run = run_python("-m", "baytree", "score", "no.csv", "-o", str(tmp_path / "cache.jkl"))
    assert run.returncode == 1
    assert re.fullmatch(r"baytree: error: .*\n", run.stderr)


def test_debug_shows_the_traceback(tmp_path):
    words = ["score", "no.csv", "-o", str(tmp_path / "cache.jkl"), "--debug"]
    run = run_python("-m", "baytree", *words)
    assert run.returncode == 1
    assert run.stderr.startswith("Traceback")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "out of memory."),
        (ImportError("Parquet files need pyarrow."), "Parquet files need pyarrow."),
        (OSError(28, "No space left on device"), "No space left on device."),
    ],
)
def test_errors_of_the_system_are_sentences(error, sentence, table, tmp_path, capsys, monkeypatch):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(baytree, "score_parent_sets", fail)
    assert main(["score", str(table), "-o", str(tmp_path / "cache.jkl")]) == 1
    assert capsys.readouterr().err == f"baytree: error: {sentence}\n"


@pytest.mark.parametrize("words", [["--help"], ["score", "rain.csv", "-o", "cache.jkl", "--json"]])
def test_a_pipe_that_nobody_reads_ends_without_a_message(table, words):
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(
        [sys.executable, "-m", "baytree", *words],
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=table.parent,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
        check=False,
    )
    os.close(writing)
    assert (run.returncode, run.stderr) == (1, b"")


def test_a_stdout_that_is_closed_is_no_error(table):
    code = f"{sys.executable} -m baytree score rain.csv -o cache.jkl >&-"
    run = subprocess.run(code, shell=True, stderr=subprocess.PIPE, cwd=table.parent, check=False)
    assert (run.returncode, run.stderr) == (0, b"")


def test_an_error_of_our_own_making_is_not_hidden(table, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(baytree, "score_parent_sets", fail)
    with pytest.raises(ZeroDivisionError):
        main(["score", str(table), "-o", str(tmp_path / "cache.jkl")])


def test_ctrl_c_outside_the_search_ends_with_130_and_writes_nothing(
    table, tmp_path, capsys, monkeypatch
):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(baytree, "score_parent_sets", interrupt)
    assert main(["score", str(table), "-o", str(tmp_path / "cache.jkl")]) == 130
    assert capsys.readouterr().err == "baytree: interrupted\n"
    assert [path.name for path in tmp_path.iterdir()] == ["rain.csv"]


def test_an_unknown_option_shows_the_usage_of_its_command(capsys):
    with pytest.raises(SystemExit) as end:
        main(["info", "model.bif", "--max-treewidth", "3"])
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert message.startswith("usage: baytree info [-h]")
    assert message.endswith("baytree info: error: unrecognized arguments: --max-treewidth 3\n")


def test_evidence_without_its_option_is_told_to_repeat_it(capsys):
    with pytest.raises(SystemExit):
        main(["query", "model.bif", "--evidence", "a=1", "b=2"])
    hint = "unrecognized arguments: b=2 (repeat --evidence for each)\n"
    assert capsys.readouterr().err.endswith(hint)


def test_a_note_is_said_once(table, tmp_path, capsys, monkeypatch):
    def warn_twice(*_, **__):
        for text in ("The table is odd.", "The table is odd.", "So is n_jobs."):
            warnings.warn(text, BaytreeWarning, stacklevel=1)
        raise ValueError("Enough.")

    monkeypatch.setattr(baytree, "score_parent_sets", warn_twice)
    assert main(["score", str(table), "-o", str(tmp_path / "cache.jkl")]) == 1
    notes = ["baytree: note: The table is odd.", "baytree: note: So is n_jobs."]
    assert capsys.readouterr().err.splitlines() == [*notes, "baytree: error: Enough."]


def test_a_stdout_that_cannot_hold_the_result_is_one_sentence(tmp_path):
    path = tmp_path / "model.json"
    baytree.BayesianNetwork({"größe": ["a"]}, cpts={"größe": [1.0]}).write(path)
    run = subprocess.run(
        [sys.executable, "-m", "baytree", "query", str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    problem = "stdout is encoded as ascii, which cannot hold '\\xf6\\xdf'. Set "
    assert run.returncode == 1
    assert run.stderr == f"baytree: error: {problem}PYTHONIOENCODING=utf-8.\n"
