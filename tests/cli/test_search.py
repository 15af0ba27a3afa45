import json
import re

import numpy as np
import pytest

import baytree as bt
from baytree.cli.main import main

K_MAX = ("--search", "k-max", "--max-iterations", "20", "--random-state", "0")


@pytest.fixture
def cache(tmp_path):
    random = np.random.default_rng(0)
    first = random.integers(0, 2, 300)
    columns = [first]
    for _ in range(4):
        columns.append(np.where(random.random(300) < 0.85, columns[-1], 1 - columns[-1]))
    path = tmp_path / "cache.jkl"
    bt.score_parent_sets(np.column_stack(columns), max_parents=3).write(path)
    return path


def run_search(cache, *words, output="network.json"):
    """Return the exit code and the network that was written beside the cache."""
    path = cache.parent / output
    code = main(["search", str(cache), "-o", str(path), *words])
    return code, bt.BayesianNetwork.read(path) if path.exists() else None


def test_the_network_is_that_of_the_python_call(cache):
    code, network = run_search(cache, "--max-treewidth", "2", *K_MAX, "--n-jobs", "2")
    expected = bt.search_structure(
        bt.ParentSetCache.read(cache),
        max_treewidth=2,
        search="k-max",
        max_iterations=20,
        random_state=0,
    )
    assert (code, network) == (0, expected.network)
    assert (network.score, network.decomposition) == (expected.score, expected.decomposition)
    assert network.variables == ("x0", "x1", "x2", "x3", "x4")


def test_constraints_hold_also_for_names_that_are_integers(cache, tmp_path):
    table = bt.ParentSetCache.read(cache)
    number_of = {name: number for number, name in enumerate(table.variables)}
    numbered = {}
    for name, number in number_of.items():
        scores, parent_sets = table[name]
        numbered[number] = (scores, [[number_of[p] for p in parents] for parents in parent_sets])
    bt.ParentSetCache(numbered).write(tmp_path / "numbered.jkl")
    words = ("--forbidden", "0", "1", "--tiers", "4,3", "--tiers", "2,1,0")
    code, network = run_search(tmp_path / "numbered.jkl", *K_MAX, *words)
    assert code == 0
    assert (0, 1) not in network.arcs
    assert not [arc for arc in network.arcs if arc[0] in (0, 1, 2) and arc[1] in (3, 4)]


def test_compat_limits_the_parents(cache):
    _, network = run_search(cache, *K_MAX, "--max-treewidth", "2", "--compat", "blip")
    assert max(len(network.parents(name)) for name in network.variables) == 1


def test_json_tells_what_was_found(cache, capsys):
    _, network = run_search(cache, "--search", "k-greedy", "--time-limit", "0.2", "--json")
    summary = json.loads(capsys.readouterr().out)
    assert summary["score"] == network.score
    assert summary["search"] == "k-greedy"
    assert summary["seconds"] > 0


def slow_cache(path):
    """Write a cache of 20 variables whose optimum at treewidth 4 takes long to prove."""
    table = np.random.default_rng(0).integers(0, 2, (50, 20))
    bt.score_parent_sets(table, max_parents=2, criterion="log-likelihood").write(path)
    return path


def test_json_tells_what_was_proven(cache, tmp_path, capsys):
    _, network = run_search(cache, "--search", "exact", "--json")
    summary = json.loads(capsys.readouterr().out)
    assert (summary["is_proven"], summary["score_bound"]) == (True, network.score)
    run_search(cache, "--search", "s2+", "--json")
    summary = json.loads(capsys.readouterr().out)
    assert (summary["is_proven"], summary["score_bound"]) == (True, None)
    run_search(cache, "--search", "hill-climb", "--json")
    assert not {"is_proven", "score_bound"} & {*json.loads(capsys.readouterr().out)}


def test_the_summary_tells_what_was_proven(cache, table, capsys):
    for words in ((), ("--table", str(table))):
        assert run_search(cache, "--search", "exact", *words)[0] == 0
        assert re.search(r" in .* s, proven optimal\nwritten", capsys.readouterr().out)


def test_an_open_proof_is_told_with_its_gap(tmp_path, capsys):
    words = ("--search", "exact", "-k", "4", "--time-limit", "2")
    assert run_search(slow_cache(tmp_path / "slow.jkl"), *words, "--json")[0] == 0
    captured = capsys.readouterr()
    summary = json.loads(captured.out)
    assert not summary["is_proven"]
    assert summary["score_bound"] > summary["score"]
    bound = f"no network scores above {summary['score_bound']:,.3f}"
    assert f"time_limit came before the end of the proof: {bound}" in captured.err
    assert run_search(tmp_path / "slow.jkl", *words)[0] == 0
    assert re.search(r" s, gap at most [\d.,]+\nwritten", capsys.readouterr().out)


def test_summary_goes_to_stdout(cache, capsys):
    run_search(cache, *K_MAX)
    captured = capsys.readouterr()
    assert captured.out.startswith("5 variables, ")
    assert captured.err == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--required", "x0", "x1"), 'search="k-max" cannot obey required arcs'),
        (("--forbidden", "x0", "y"), "forbidden names 'y'"),
        (("--tiers", "x0"), "tiers must name every variable"),
    ],
)
def test_what_cannot_be_ends_with_1_and_is_named(cache, words, message, capsys):
    assert run_search(cache, *K_MAX, *words) == (1, None)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [("--compat", "blap"), ("--max-treewidth", "0"), ("--initial-network",)]
)
def test_bad_options_end_with_2_and_are_named(cache, words, capsys):
    with pytest.raises(SystemExit) as end:
        run_search(cache, *words)
    assert end.value.code == 2
    assert re.search(
        rf"baytree search: error: argument (-\w/)?{words[0]}: ", capsys.readouterr().err
    )


def test_the_cache_is_not_written_over(tmp_path, capsys):
    path = tmp_path / "cache.json"
    path.write_text("1\n0 1\n-2.5 0\n")
    assert main(["search", str(path), "-o", str(path)]) == 1
    assert "is also the file to read" in capsys.readouterr().err


def test_a_broken_cache_ends_with_1(tmp_path, capsys):
    path = tmp_path / "cache.jkl"
    path.write_text("nothing\n")
    assert run_search(path, *K_MAX) == (1, None)
    assert f"baytree: error: {path}, line 1" in capsys.readouterr().err


def test_a_structure_alone_goes_to_json_only(cache, capsys):
    assert run_search(cache, *K_MAX, output="network.bif") == (1, None)
    assert "a structure alone, which .bif cannot hold" in capsys.readouterr().err


@pytest.fixture
def table(cache):
    random = np.random.default_rng(1)
    path = cache.with_name("data.csv")
    states = random.integers(0, 2, (300, 5))
    np.savetxt(path, states, "%d", ",", header="x0,x1,x2,x3,x4", comments="")
    return path


def test_probabilities_come_from_a_table(cache, table):
    prior = ("--equivalent-sample-size", "7")
    words = ("--table", str(table), *prior, *K_MAX)
    code, network = run_search(cache, *words, output="network.bif")
    structure = run_search(cache, *K_MAX)[1]
    expected = bt.fit_parameters(structure, table, equivalent_sample_size=7)
    assert (code, network.arcs) == (0, structure.arcs)
    for name in network.variables:
        np.testing.assert_allclose(network.cpt(name), expected.cpt(name))


@pytest.mark.parametrize(
    "option",
    [("--missing-values", "?"), ("--n-bins", "5"), ("--equivalent-sample-size", "1")],
)
def test_options_of_the_table_are_refused_without_one(cache, option, capsys):
    with pytest.raises(SystemExit) as end:
        run_search(cache, *option)
    assert end.value.code == 2
    assert f"argument {option[0]}: only with --table" in capsys.readouterr().err
