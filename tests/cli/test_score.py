import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import baytree as bt
from baytree import vocabulary
from baytree.cli.main import main
from interrupted_runs import COMMAND, announcing, run_and_interrupt

INTERRUPTED_NOTE = "baytree: note: Interrupted: the parent sets found so far are returned.\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "weather.csv"
    rows = ["no,no,mild\n", "no,no,cold\n", "yes,yes,mild\n", "yes,yes,cold\n"] * 20
    path.write_text("rain,wet,air\n" + "".join(rows))
    return path


@pytest.fixture
def incomplete_table(tmp_path):
    path = tmp_path / "incomplete.csv"
    path.write_text("rain,wet\n" + "no,no\nyes,yes\nyes,gone\n" * 20)
    return path


@pytest.fixture
def long_table(tmp_path):
    """Return a table that keeps the search busy for minutes."""
    rng = np.random.default_rng(0)
    states = rng.integers(0, 2, (3000, 60))
    path = tmp_path / "long.csv"
    names = ",".join(f"v{i}" for i in range(60))
    path.write_text("\n".join([names, *(",".join(map(str, row)) for row in states)]) + "\n")
    return path


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def run_score(table, *options, output="cache.jkl"):
    """Return the exit code and the cache that was written beside the table."""
    path = table.parent / output
    code = main(["score", str(table), "-o", str(path), *options])
    return code, bt.ParentSetCache.read(path) if path.exists() else None


def test_cache_is_that_of_the_python_call(table):
    code, cache = run_score(table, "--max-parents", "2")
    expected = bt.score_parent_sets(table, max_parents=2)
    assert code == 0
    assert cache.variables == expected.variables
    for name in cache.variables:
        assert cache[name].parent_sets == expected[name].parent_sets
        assert cache[name].scores.tolist() == expected[name].scores.tolist()


@pytest.mark.parametrize("name", vocabulary.CRITERIA)
def test_criterion_is_the_one_given(table, name):
    best = run_score(table, "--criterion", name)[1]["wet"]
    scorer = bt.FamilyScorer(table, criterion=name)
    assert best.scores[0] == scorer.score("wet", best.parent_sets[0])


def test_the_prior_of_bdeu_is_the_given_one(table):
    best = run_score(table, "--criterion", "bdeu", "--equivalent-sample-size", "3")[1]["wet"]
    scorer = bt.FamilyScorer(table, criterion="bdeu", equivalent_sample_size=3)
    assert best.scores[0] == scorer.score("wet", best.parent_sets[0])


@pytest.mark.parametrize("options", [(), ("--criterion", "k2")])
def test_a_prior_for_a_criterion_without_one_is_misuse(table, options, capsys):
    with pytest.raises(SystemExit) as end:
        run_score(table, "--equivalent-sample-size", "1", *options)
    assert end.value.code == 2
    name = options[1] if options else "bic"
    message = f"--equivalent-sample-size: --criterion {name} has no prior; bdeu has\n"
    assert capsys.readouterr().err.endswith(message)


def test_required_and_forbidden_arcs_hold(table):
    _, cache = run_score(
        table,
        "--required",
        "air",
        "wet",
        "--forbidden",
        "rain",
        "wet",
        "--forbidden",
        "wet",
        "rain",
    )
    assert cache["wet"].parent_sets == [("air",)]
    assert cache["rain"].parent_sets == [()]


def test_max_parent_sets_bounds_the_families(table, capsys):
    run_score(table, "--max-parent-sets", "2", "--json")
    assert json.loads(capsys.readouterr().out)["n_evaluated"] == 6


def test_missing_values_are_words_for_missing_cells(incomplete_table, capsys):
    code, cache = run_score(incomplete_table, "--missing-values", "gone")
    assert (code, cache) == (1, None)
    message = capsys.readouterr().err
    assert "Variables with missing cells: 'wet' (20)" in message
    assert 'or pass missing="available" to score' in message


def test_missing_available_scores_an_incomplete_table(incomplete_table):
    options = ("--missing-values", "gone", "--missing-values", "?", "--missing", "available")
    code, cache = run_score(incomplete_table, *options)
    expected = bt.FamilyScorer(incomplete_table, missing="available", missing_values=["gone"])
    assert code == 0
    assert cache["wet"].scores[0] == expected.score("wet", ["rain"])


def test_bins_that_are_an_error_refuse_numbers(tmp_path, capsys):
    path = tmp_path / "numbers.csv"
    path.write_text("size\n1.5\n2.5\n")
    assert run_score(path, "--n-bins", "error") == (1, None)
    assert "baytree: error: Numeric variables: 'size'." in capsys.readouterr().err


def test_notes_are_lines_on_stderr(tmp_path, capsys):
    path = tmp_path / "numbers.csv"
    path.write_text("size\n1.5\n2.5\n")
    assert run_score(path)[0] == 0
    captured = capsys.readouterr()
    assert re.fullmatch(r"baytree: note: Cut numeric variables .*'size'\.\n", captured.err)
    assert captured.out.startswith("1 parent set of 1 variable,")


def test_quiet_says_nothing(tmp_path, capsys):
    path = tmp_path / "numbers.csv"
    path.write_text("size\n1.5\n2.5\n")
    assert run_score(path, "--quiet")[0] == 0
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_summary_goes_to_stdout(table, capsys):
    _, cache = run_score(table)
    captured = capsys.readouterr()
    assert captured.out.startswith(f"{len(cache)} parent sets of 3 variables")
    assert captured.out.endswith(f"written to {table.parent / 'cache.jkl'}\n")
    assert captured.err == ""


@pytest.mark.parametrize("more", [(), ("--quiet",)])
def test_json_is_all_there_is_on_stdout(table, capsys, more):
    _, cache = run_score(table, "--json", *more)
    summary = json.loads(capsys.readouterr().out)
    assert summary["n_variables"] == 3
    assert summary["n_parent_sets"] == len(cache)
    assert summary["best_score"] == cache.summary().best_score
    assert summary["is_interrupted"] is False
    assert summary["output"] == str(table.parent / "cache.jkl")


def test_same_seed_and_any_number_of_threads_write_the_same_file(table):
    contents = set()
    for jobs in ("1", "2", "-1"):
        run_score(table, "--n-jobs", jobs, "--random-state", "7", "--max-parent-sets", "3")
        contents.add((table.parent / "cache.jkl").read_bytes())
    assert len(contents) == 1


@pytest.mark.parametrize("name", ["cache.jkl.gz", "cache.jkl.xz"])
def test_the_name_says_how_to_compress(table, name):
    assert len(run_score(table, output=name)[1]) == len(run_score(table)[1])


def test_a_compressed_table_is_read(table, tmp_path):
    packed = tmp_path / "weather.csv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    assert len(run_score(packed)[1]) == len(run_score(table)[1])


@pytest.mark.parametrize(
    "option",
    [
        ("--max-parents", "0"),
        ("--max-parents", "two"),
        ("--max-parent-sets", "0"),
        ("--time-limit", "0"),
        ("--time-limit", "nan"),
        ("--time-limit", "soon"),
        ("--equivalent-sample-size", "-1"),
        ("--n-jobs", "0"),
        ("--random-state", "-1"),
        ("--criterion", "bik"),
        ("--missing", "drop"),
        ("--n-bins", "cut"),
        ("--required", "rain"),
    ],
)
def test_bad_options_end_with_2_and_are_named(table, option, capsys):
    with pytest.raises(SystemExit) as end:
        run_score(table, *option)
    assert end.value.code == 2
    assert re.search(
        rf"baytree score: error: argument (-\w/)?{option[0]}: ", capsys.readouterr().err
    )


def test_an_arc_of_no_variable_ends_with_1_and_names_it(table, capsys):
    assert run_score(table, "--required", "snow", "wet") == (1, None)
    assert capsys.readouterr().err.startswith("baytree: error: required names 'snow'")


def refuse_to_work(*_, **__):
    raise AssertionError("the work has begun")


def test_a_missing_folder_fails_before_the_work(table, capsys, monkeypatch):
    monkeypatch.setattr(bt, "score_parent_sets", refuse_to_work)
    assert run_score(table, output="no/cache.jkl") == (1, None)
    assert f"there is no folder {table.parent / 'no'}. Make it first." in capsys.readouterr().err


def test_an_unknown_compression_fails_before_the_work(table, capsys, monkeypatch):
    monkeypatch.setattr(bt, "score_parent_sets", refuse_to_work)
    assert run_score(table, output="cache.jkl.bz2") == (1, None)
    assert "ends in .jkl, .jkl.gz or .jkl.xz." in capsys.readouterr().err


def test_the_table_is_not_written_over(table, capsys, monkeypatch):
    monkeypatch.setattr(bt, "score_parent_sets", refuse_to_work)
    contents = table.read_bytes()
    assert main(["score", str(table), "-o", str(table)]) == 1
    assert "is also the file to read" in capsys.readouterr().err
    assert table.read_bytes() == contents


def test_what_is_not_an_ordinary_file_stays(table, capsys, monkeypatch):
    monkeypatch.setattr(bt, "score_parent_sets", refuse_to_work)
    pipe = table.parent / "pipe"
    os.mkfifo(pipe)
    for output in (pipe, table.parent):
        assert main(["score", str(table), "-o", str(output)]) == 1
        assert "not an ordinary file" in capsys.readouterr().err
    assert pipe.is_fifo()


def test_a_link_stays_and_its_file_is_written(table):
    link = table.parent / "link.jkl"
    link.symlink_to(table.parent / "target.jkl")
    assert main(["score", str(table), "-o", str(link), "--quiet"]) == 0
    assert link.is_symlink()
    assert len(bt.ParentSetCache.read(table.parent / "target.jkl")) > 0


def test_a_failed_write_leaves_the_old_file_alone(table, monkeypatch):
    run_score(table)
    before = (table.parent / "cache.jkl").read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    assert main(["score", str(table), "-o", str(table.parent / "cache.jkl")]) == 1
    assert (table.parent / "cache.jkl").read_bytes() == before
    assert files_in(table.parent) == ["cache.jkl", "weather.csv"]


def test_ctrl_c_writes_what_was_found_and_ends_with_130(long_table):
    path = long_table.parent / "cache.jkl"
    words = ["score", long_table, "-o", path, "--max-parents", "6", "--criterion", "aic", "--json"]
    script = announcing("baytree._core.search_parent_sets", COMMAND)
    code, out, err = run_and_interrupt(script, *words)
    assert (code, err) == (130, INTERRUPTED_NOTE)
    assert json.loads(out)["is_interrupted"] is True
    cache = bt.ParentSetCache.read(path)
    assert cache.variables == tuple(f"v{i}" for i in range(60))
    assert all(() in cache[name].parent_sets for name in cache.variables)
    assert files_in(path.parent) == ["cache.jkl", "long.csv"]


def test_the_time_limit_ends_the_search_with_0(long_table, capsys):
    code, cache = run_score(long_table, "--time-limit", "0.5", "--max-parents", "6", "--json")
    assert code == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["n_complete"] < summary["n_variables"] == 60
    assert len(cache) >= 60


def test_short_work_is_silent_without_a_terminal(table, tmp_path):
    run = subprocess.run(
        [Path(sys.executable).with_name("baytree"), "score", table, "-o", tmp_path / "cache.jkl"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_a_dash_is_not_taken_for_the_name_of_a_file(table, capsys):
    assert main(["score", str(table), "--output", "-"]) == 1
    assert "This result cannot go to stdout" in capsys.readouterr().err


def test_tiers_hold_and_names_may_be_quoted(table):
    table.write_text(table.read_text().replace("air", '"air, outside"'))
    _, cache = run_score(table, "--tiers", 'wet,"air, outside"', "--tiers", "rain")
    assert cache["wet"].parent_sets == [()]
    assert cache["rain"].parent_sets == [("wet",), ()]


def test_a_variable_without_a_tier_ends_with_1_and_is_named(table, capsys):
    assert run_score(table, "--tiers", "wet", "--tiers", "rain") == (1, None)
    assert "tiers must name every variable; they lack 'air'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("cache.txt", "the name of a cache must end in .jkl, .jkl.gz or .jkl.xz"),
        ("cache", "the name of a cache must end in .jkl"),
        ("cache.jkl.txt", "the name of a cache must end in .jkl"),
        ("cache.bz2", "a cache cannot be compressed as .bz2"),
        ("cache.jkl.zst", "a cache cannot be compressed as .zst"),
    ],
)
def test_a_name_that_is_not_that_of_a_cache_is_refused(table, name, problem, capsys):
    output = table.parent / name
    assert main(["score", str(table), "-o", str(output)]) == 1
    assert problem in capsys.readouterr().err
    assert not output.exists()
