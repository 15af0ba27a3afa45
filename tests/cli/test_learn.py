import json
import re

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.cli.main import main
from interrupted_runs import COMMAND, announcing, run_and_interrupt
from search_names import LOCAL
from structure_checker import check_structure

K_MAX = ("--search", "k-max", "--max-iterations", "20", "--random-state", "0")


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    rain = random.random(200) < 0.4
    wet = rain ^ (random.random(200) < 0.1)
    cold = random.random(200) < 0.5
    slippery = wet & (cold | (random.random(200) < 0.3))
    path = tmp_path / "weather.csv"
    states = np.column_stack([rain, wet, cold, slippery]).astype(int)
    np.savetxt(path, states, "%d", ",", header="rain,wet,cold,slippery", comments="")
    return path


def run_learn(table, *options, output="network.json"):
    """Return the exit code and the network that was written beside the table."""
    path = table.parent / output
    code = main(["learn", str(table), "-o", str(path), *options])
    return code, bt.BayesianNetwork.read(path) if path.exists() else None


def test_the_network_is_that_of_the_python_call(table):
    code, network = run_learn(
        table, "--max-treewidth", "2", *K_MAX, "--criterion", "bdeu", "--n-jobs", "2"
    )
    expected = bt.NetworkLearner(
        2, search="k-max", max_iterations=20, random_state=0, criterion="bdeu"
    ).fit(table)
    assert (code, network) == (0, expected.network_)
    assert network.score == expected.score_
    parents = {name: network.parents(name) for name in network.variables}
    check_structure(parents, network.decomposition.bags, network.decomposition.edges, 2)


def test_ignored_columns_are_no_variables(table):
    code, network = run_learn(table, *K_MAX, "--ignore", "wet", "--ignore", "cold")
    assert (code, set(network.variables)) == (0, {"rain", "slippery"})


def test_an_ignored_column_that_is_not_there_ends_with_1(table, capsys):
    code, _ = run_learn(table, *K_MAX, "--ignore", "wat")
    assert code == 1
    assert "ignore names 'wat', which is no column" in capsys.readouterr().err


def test_the_ending_of_the_output_is_its_format(table):
    code, network = run_learn(table, *K_MAX, output="network.bif")
    assert (code, network) == run_learn(table, *K_MAX)
    assert (table.parent / "network.bif").read_text().startswith("network unknown {")


def test_limits_and_constraints_hold(table):
    options = ("--max-parents", "1", "--max-clique-states", "4", "--forbidden", "wet", "rain")
    tiers = ("--tiers", "slippery", "--tiers", "rain,wet,cold")
    _, network = run_learn(table, *K_MAX, *options, *tiers)
    assert max(len(network.parents(name)) for name in network.variables) == 1
    assert network.parents("slippery") == ()
    assert ("wet", "rain") not in network.arcs


def test_a_required_arc_that_a_search_cannot_obey_ends_with_1(table, capsys):
    assert run_learn(table, *K_MAX, "--required", "rain", "wet") == (1, None)
    assert 'search="k-max" cannot obey required arcs' in capsys.readouterr().err


def test_summary_goes_to_stdout(table, capsys):
    _, network = run_learn(table, *K_MAX)
    captured = capsys.readouterr()
    size = f"4 variables, {len(network.arcs)} arcs, treewidth {network.treewidth}, score "
    assert captured.out.startswith(f"{size}{network.score:,.3f}\n20 iterations of k-max in ")
    assert captured.out.endswith(f"written to {table.parent / 'network.json'}\n")
    assert captured.err == ""


@pytest.mark.parametrize("more", [(), ("--quiet",)])
def test_json_is_all_there_is_on_stdout(table, capsys, more):
    _, network = run_learn(table, *K_MAX, "--json", *more)
    summary = json.loads(capsys.readouterr().out)
    assert summary["score"] == network.score
    assert summary["treewidth"] == network.treewidth
    assert (summary["n_variables"], summary["n_arcs"]) == (4, len(network.arcs))
    assert (summary["search"], summary["n_iterations"]) == ("k-max", 20)
    assert summary["is_interrupted"] is False
    assert summary["output"] == str(table.parent / "network.json")


def test_quiet_says_nothing(table, capsys):
    assert run_learn(table, *K_MAX, "--quiet")[0] == 0
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_same_seed_and_any_number_of_threads_write_the_same_file(table):
    contents = set()
    for jobs in ("1", "2", "-1"):
        run_learn(table, *K_MAX, "--n-jobs", jobs)
        contents.add((table.parent / "network.json").read_bytes())
    assert len(contents) == 1


def test_the_name_says_how_to_compress(table):
    assert run_learn(table, *K_MAX, output="n.json.gz") == run_learn(table, *K_MAX)


@pytest.mark.parametrize(
    "option",
    [
        ("--max-treewidth", "0"),
        ("--max-treewidth", "wide"),
        ("--search", "tabu"),
        ("--time-limit", "0"),
        ("--max-iterations", "0"),
        ("--max-parents", "0"),
        ("--max-clique-states", "-1"),
        ("--criterion", "bik"),
        ("--n-jobs", "0"),
        ("--random-state", "-1"),
        ("--required", "rain"),
        ("--equivalent-sample-size", "0"),
    ],
)
def test_bad_options_end_with_2_and_are_named(table, option, capsys):
    with pytest.raises(SystemExit) as end:
        run_learn(table, *option)
    assert end.value.code == 2
    assert re.search(
        rf"baytree learn: error: argument (-\w/)?{option[0]}: ", capsys.readouterr().err
    )


def test_a_whole_number_in_another_form_is_refused_with_a_hint(table, capsys):
    with pytest.raises(SystemExit):
        run_learn(table, "--max-iterations", "1e6")
    assert "must be a whole number; got '1e6'. Write 1000000\n" in capsys.readouterr().err


def refuse_to_work(*_, **__):
    raise AssertionError("the work has begun")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("network.txt", "the name of a network must end in .json, .bif"),
        ("no/network.json", "there is no folder"),
        ("-", "cannot go to stdout"),
        ("weather.csv", "is also the file to read"),
    ],
)
def test_an_output_that_cannot_be_fails_before_the_work(
    table, output, message, capsys, monkeypatch
):
    monkeypatch.setattr(bt.NetworkLearner, "fit", refuse_to_work)
    assert main(["learn", str(table), "-o", str(table.parent / output)]) == 1
    assert message in capsys.readouterr().err


def test_a_start_that_is_no_network_ends_with_1(table, capsys):
    start = table.parent / "start.json"
    start.write_text("{}")
    assert run_learn(table, "--initial-network", str(start)) == (1, None)
    assert f"baytree: error: {start}: not a network of baytree" in capsys.readouterr().err


def test_a_start_is_refused_by_a_search_that_takes_none(table, capsys):
    run_learn(table, *K_MAX, output="start.json")
    assert run_learn(table, *K_MAX, "--initial-network", str(table.parent / "start.json")) == (
        1,
        None,
    )
    assert 'search="k-max" takes no initial_network' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--tiers", "rain"), "tiers must name every variable; they lack 'wet', 'cold'"),
        (("--tiers", "rain,wet,rain"), "tiers names 'rain' twice"),
        (("--tiers", "rain,snow"), "tiers names 'snow', which is not a variable"),
        (
            ("--forbidden", "rain", "wet"),
            "initial_network has the arc from 'rain' to 'wet', which forbidden",
        ),
        (
            ("--tiers", "wet,cold,slippery", "--tiers", "rain"),
            "or tiers rule out. Take it out of",
        ),
        (
            ("--required", "cold", "rain"),
            "initial_network lacks required arcs: 'cold' to 'rain'. Add them to",
        ),
        (
            ("--max-parents", "1"),
            "initial_network gives variable 'slippery' 2 parents; at most 1 are",
        ),
        (("--max-treewidth", "1"), "at most 1 are allowed by max_parents and max_treewidth"),
        (
            ("--max-clique-states", "4"),
            "The arcs of initial_network put 'wet', 'cold', 'slippery' into",
        ),
    ],
)
def test_errors_name_the_setting(table, words, message, capsys):
    start = table.parent / "start.json"
    arcs = [("rain", "wet"), ("wet", "slippery"), ("cold", "slippery")]
    bt.BayesianNetwork(["rain", "wet", "cold", "slippery"], arcs).write(start)
    assert run_learn(table, "--initial-network", str(start), *words) == (1, None)
    assert message in capsys.readouterr().err


def test_tables_with_missing_cells_are_learned_from(table):
    table.write_text(table.read_text() + ",1,1,1\n")
    code, network = run_learn(table, *K_MAX)
    assert code == 0
    assert network.states("rain") == (0, 1)


def test_the_summary_of_an_incomplete_table_counts_iterations_of_em(table, capsys):
    incomplete = table.with_name("incomplete.csv")
    incomplete.write_text(table.read_text() + ",0,1,\n1,,,0\n")
    run_learn(incomplete, *K_MAX)
    assert re.search(r"\n\d+ iterations? of structural EM by k-max in ", capsys.readouterr().out)


def test_ctrl_c_writes_the_best_so_far_and_ends_with_130(table):
    words = ["learn", table, "-o", table.parent / "network.json", "--json", "--search", "k-max"]
    script = announcing("baytree._core.grow_k_trees", COMMAND)
    code, out, err = run_and_interrupt(script, *words, "--max-iterations", str(10**15))
    assert code == 130
    assert err == "baytree: note: Interrupted: the best network found so far is returned.\n"
    assert json.loads(out)["is_interrupted"] is True
    network = bt.BayesianNetwork.read(table.parent / "network.json")
    assert network.variables == ("rain", "wet", "cold", "slippery")


@pytest.mark.parametrize("name", LOCAL)
def test_a_search_goes_on_from_a_file(table, name):
    _, start = run_learn(table, *K_MAX, output="start.json")
    words = (
        "--search",
        name,
        "--max-iterations",
        "5",
        "--initial-network",
        str(table.parent / "start.json"),
    )
    code, network = run_learn(table, *words)
    assert code == 0
    assert network.score >= start.score - 1e-9


@pytest.mark.parametrize(("words", "prior"), [((), 1), (("--equivalent-sample-size", "50"), 50)])
def test_the_prior_is_that_of_the_probabilities_with_any_score(table, words, prior):
    _, network = run_learn(table, "--criterion", "bic", "--search", "hill-climb", *words)
    root = next(name for name in network.variables if not network.parents(name))
    column = np.loadtxt(table, delimiter=",", skiprows=1)[:, network.variables.index(root)]
    smoothed = (np.bincount(column.astype(int), minlength=2) + prior / 2) / (200 + prior)
    assert network.cpt(root).to_numpy().ravel() == pytest.approx(smoothed)


def test_an_incomplete_table_without_time_is_learned_from_as_far_as_possible(table, capsys):
    incomplete = table.with_name("incomplete.csv")
    incomplete.write_text(table.read_text() + ",0,1,\n1,,,0\n")
    code, network = run_learn(incomplete, "--search", "exact", "--time-limit", "0.000001")
    captured = capsys.readouterr()
    assert code == 0
    assert f"score {network.score:,.3f}" in captured.out
    assert "time_limit ended structural EM before its first search" in captured.err


@pytest.mark.parametrize(
    ("search", "work"),
    [
        ("chow-liu", "tree of chow-liu in "),
        ("hill-climb", "no iteration of hill-climb improved the initial network, in "),
    ],
)
def test_the_summary_names_no_iterations_where_there_are_none(tmp_path, search, work, capsys):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "0,0\n1,1\n" * 20)
    assert run_learn(table, "--search", search)[0] == 0
    assert f"\n{work}" in capsys.readouterr().out


@pytest.fixture
def incomplete(table):
    lines = table.read_text().splitlines()
    lines[1:61] = [line.rpartition(",")[0] + "," for line in lines[1:61]]
    table.write_text("\n".join(lines) + "\n")
    return table


def test_a_preset_and_settings_of_em_are_those_of_python(incomplete):
    options = ("--preset", "sem-tree", "--em-init", "tree", "--max-em-iterations", "3")
    more = ("--em-completion", "independent", "--max-structure-updates", "2", "--random-state", "0")
    code, network = run_learn(incomplete, *options, *more)
    learner = bt.NetworkLearner.preset("sem-tree").set_params(random_state=0)
    em = {"em_init": "tree", "max_em_iterations": 3, "completion": "independent"}
    learner.set_params(**{f"em__{name}": value for name, value in em.items()})
    learner.set_params(em__max_structure_updates=2)
    assert (code, network) == (0, learner.fit(incomplete).network_)


def test_effort_is_a_setting_of_the_preset(incomplete, capsys):
    code, network = run_learn(incomplete, "--preset", "sem-kmax", "--effort", "0.01")
    assert (code, len(network.variables)) == (0, 4)
    assert "of structural EM by k-max" in capsys.readouterr().out


CHORDALYSIS = ("--search", "chordalysis")


def test_edges_are_selected_and_written_in_order(table):
    path = table.parent / "edges.csv"
    options = (*CHORDALYSIS, "-k", "none", "--rule", "mml", "--edges", str(path))
    code, network = run_learn(table, *options)
    expected = bt.NetworkLearner(None, search=bt.Chordalysis("mml")).fit(table)
    assert (code, network) == (0, expected.network_)
    edges = pd.read_csv(path, keep_default_na=False)
    assert edges["separator"].tolist() == [",".join(s) for s in expected.p_values_["separator"]]
    numbers = edges.drop(columns="separator")
    pd.testing.assert_frame_equal(
        numbers, expected.p_values_.drop(columns="separator"), check_dtype=False
    )


@pytest.mark.parametrize(
    ("options", "search"),
    [
        (
            ("--alpha", "0.001", "--phantom-state", "--rounded-p-values"),
            bt.Chordalysis(alpha=0.001, phantom_state=True, rounded_p_values=True),
        ),
        (
            ("--rule", "budget-share", "--alpha", "0.1", "--budget-share", "0.3"),
            bt.Chordalysis("budget-share", alpha=0.1, budget_share=0.3),
        ),
    ],
)
def test_settings_of_the_selection_of_edges_are_passed_on(table, options, search):
    path = table.parent / "edges.csv"
    _, network = run_learn(table, *CHORDALYSIS, *options, "--edges", str(path))
    learner = bt.NetworkLearner(search=search).fit(table)
    assert network == learner.network_
    assert pd.read_csv(path)["p_value"].tolist() == learner.p_values_["p_value"].tolist()


def test_a_selection_without_edges_says_so(tmp_path, capsys):
    path = tmp_path / "coins.csv"
    np.savetxt(path, [[0, 0], [0, 1], [1, 0], [1, 1]] * 9, "%d", ",", header="a,b", comments="")
    assert run_learn(path, *CHORDALYSIS)[0] == 0
    assert "no edge selected by chordalysis" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--alpha", "0.1"), "--alpha: only with --search chordalysis"),
        (("--edges", "edges.csv"), "--edges: only with --search chordalysis"),
        ((*CHORDALYSIS, "--alpha", "1.5"), "--alpha: must be between 0 and 1"),
        (
            (*CHORDALYSIS, "--rule", "bic", "--alpha", "0.1"),
            "--alpha: only with --rule smt, budget-share or layered",
        ),
        ((*CHORDALYSIS, "--budget-share", "0.1"), "--budget-share: only with --rule budget-share"),
        (("-k", "zero"), "must be a whole number; got 'zero'"),
    ],
)
def test_misused_options_of_the_selection_of_edges_end_with_2(table, capsys, options, message):
    with pytest.raises(SystemExit) as ended:
        run_learn(table, *options)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_edges_are_not_written_over_the_network(table, capsys):
    options = (*CHORDALYSIS, "--edges", str(table.parent / "network.json"))
    code, network = run_learn(table, *options)
    assert (code, network) == (1, None)
    assert "network.json would be written twice" in capsys.readouterr().err


def test_the_summary_of_an_exact_search_tells_what_is_proven(table, capsys):
    assert run_learn(table, "--search", "exact", "-k", "2")[0] == 0
    assert "proven optimal" in capsys.readouterr().out
    assert run_learn(table, "--search", "exact", "-k", "2", "--json")[0] == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["is_proven"] is True
    assert summary["score_bound"] == pytest.approx(summary["score"])
