"""Commands that learn a mixture of networks, and those that take one in place of a network."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.cli.main import main
from interrupted_runs import COMMAND, announcing, run_and_interrupt

QUICK = ("--max-iterations", "30", "--random-state", "0", "-j", "1")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    kind = rng.random(200) < 0.4
    noise = rng.random((200, 3)) < 0.1
    frame = pd.DataFrame(kind[:, None] ^ noise, columns=["rain", "wet", "cold"]).astype(int)
    path = tmp_path / "weather.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def mixture(network):
    changed = {name: network.cpt(name) for name in network.variables}
    changed["rain"] = [0.1, 0.9]
    states = {name: network.states(name) for name in network.variables}
    other = bt.BayesianNetwork(states, network.arcs, cpts=changed)
    return bt.NetworkMixture([network, other], [0.25, 0.75])


@pytest.fixture
def model(mixture, tmp_path):
    path = tmp_path / "mixture.json"
    mixture.write(path)
    return path


def as_json(capsys, *words):
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (("--n-components", "3", "-k", "0"), {"n_components": 3, "max_treewidth": 0}),
        (("--n-components", "auto", "--n-mixtures", "2"), {"n_mixtures": 2}),
        (("--n-mixtures", "1", "--ignore", "cold"), {"n_mixtures": 1, "ignore": ["cold"]}),
    ],
)
def test_learn_writes_the_mixture_of_the_python_call(table, tmp_path, capsys, words, settings):
    output = tmp_path / "mixture.json"
    summary = as_json(capsys, "learn", table, "-o", output, *QUICK, *words)
    fitted = bt.MixtureLearner(**settings, max_iterations=30, random_state=0).fit(table)
    found = bt.NetworkMixture.read(output)
    assert found == fitted.mixture_
    assert summary["n_components"] == found.n_components
    assert summary["n_variables"] == len(found.variables)
    assert summary["treewidth"] == found.treewidth
    assert summary["held_out_log_likelihood"] == fitted.held_out_
    assert summary["is_interrupted"] is False


def test_learn_says_what_it_wrote(table, tmp_path, capsys):
    words = ["learn", str(table), "-o", str(tmp_path / "m.json"), "--n-components", "2", *QUICK]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 variables, 2 components, treewidth ")
    assert "held-out log-likelihood" in out
    assert out.endswith("m.json\n")
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["learn", str(table), "-o", str(tmp_path / "1.json"), "--n-components", "1"]) == 0
    assert "held-out" not in capsys.readouterr().out


def test_ctrl_c_writes_the_best_mixture_so_far(table, tmp_path):
    output = tmp_path / "mixture.json"
    script = announcing("baytree._core.learn_latent_mixtures", COMMAND)
    words = ("--n-components", "3", "--max-iterations", "1000000000", "--json")
    code, out, err = run_and_interrupt(script, "learn", str(table), "-o", str(output), *words)
    assert (code, json.loads(out)["is_interrupted"]) == (130, True), err
    assert "Interrupted: the best mixture so far is returned" in err
    assert bt.NetworkMixture.read(output).n_components == 3


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--search", "k-max"), "--search"),
        (("--criterion", "aic"), "--criterion"),
        (("--equivalent-sample-size", "2"), "--equivalent-sample-size"),
        (("--required", "rain", "wet"), "--required"),
        (("--forbidden", "rain", "wet"), "--forbidden"),
        (("--tiers", "rain,wet,cold"), "--tiers"),
        (("--max-parents", "1"), "--max-parents"),
        (("--initial-network", "n.json"), "--initial-network"),
        (("--preset", "sem-kmax"), "--preset"),
        (("--em-init", "tree"), "--em-init"),
        (("--max-em-iterations", "2"), "--max-em-iterations"),
        (("--effort", "2"), "--effort"),
        (("--rule", "smt"), "--rule"),
        (("--edges", "e.csv"), "--edges"),
        (("-k", "none"), "--max-treewidth"),
    ],
)
def test_options_of_networks_are_refused_by_name(table, tmp_path, capsys, words, named):
    with pytest.raises(SystemExit) as ended:
        main(["learn", str(table), "-o", str(tmp_path / "m.json"), "--n-components", "2", *words])
    assert ended.value.code == 2
    assert f"argument {named}: " in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "many", "1.5"])
def test_numbers_of_components_are_checked(table, tmp_path, capsys, number):
    with pytest.raises(SystemExit) as ended:
        main(["learn", str(table), "-o", str(tmp_path / "m.json"), "--n-components", number])
    assert ended.value.code == 2
    assert "must be auto, or a whole number of at least 1" in capsys.readouterr().err


def test_the_suffix_is_checked_before_learning(table, tmp_path, capsys):
    assert main(["learn", str(table), "-o", str(tmp_path / "m.bif"), "--n-components", "2"]) == 1
    assert "the name of a mixture must end in .json" in capsys.readouterr().err


def test_treewidth_zero_is_for_mixtures(table, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["learn", str(table), "-o", str(tmp_path / "n.json"), "-k", "0"])
    assert ended.value.code == 2
    assert "--max-treewidth: must be at least 1; got 0" in capsys.readouterr().err


def test_query_answers_from_a_mixture(mixture, model, capsys):
    evidence = {"wet=grass": "w,et:"}
    words = ("query", model, "--evidence", "wet=grass=w,et:")
    found = as_json(capsys, *words, "--target", "rain")["posterior"]
    expected = mixture.posterior("rain", evidence).tolist()
    assert [row["probability"] for row in found] == expected
    found = as_json(capsys, *words, "--probability")["probability"]
    assert found == pytest.approx(mixture.probability(evidence))
    assert len(as_json(capsys, *words)["marginals"]) == 3
    best = mixture.most_probable(evidence)
    found = as_json(capsys, *words, "--mpe")
    assert found["assignment"] == best.assignment
    assert found["max_log_probability"] == pytest.approx(best.log_probability + math.log(2))
    assert main(["query", str(model), "--mpe"]) == 0
    assert "no states have more than 2 times this probability" in capsys.readouterr().out


def test_sample_draws_from_a_mixture(mixture, model, tmp_path):
    output = tmp_path / "rows.csv"
    words = ["sample", str(model), "-n", "20", "-o", str(output), "--random-state", "3"]
    assert main([*words, "--evidence", "rain=no"]) == 0
    expected = mixture.sample(20, {"rain": "no"}, 3)
    assert output.read_text() == expected.to_csv(index=False)


def test_evaluate_scores_by_a_mixture(mixture, model, tmp_path, capsys):
    rows = mixture.sample(30, random_state=0)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    figures = as_json(capsys, "evaluate", model, tmp_path / "rows.csv")
    assert figures["mean_log_likelihood"] == pytest.approx(mixture.log_likelihood(rows).mean())
    assert figures["bic"] is None
    assert main(["evaluate", str(model), str(tmp_path / "rows.csv")]) == 0
    assert "BIC not defined: a mixture" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["evaluate", str(model), str(tmp_path / "rows.csv"), "--against", str(model)])
    assert "--against: compares structures of networks" in capsys.readouterr().err


def test_predict_predicts_by_a_mixture(mixture, model, tmp_path, capsys):
    rows = mixture.sample(30, random_state=0).drop(columns="rain")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    chances = tmp_path / "chances.csv"
    words = (
        "predict",
        model,
        tmp_path / "rows.csv",
        "--target",
        "rain",
        "--probabilities",
        chances,
    )
    found = as_json(capsys, *words)
    assert [row["rain"] for row in found] == mixture.predict(rows, "rain").tolist()
    expected = mixture.predict_proba(rows, "rain")
    assert pd.read_csv(chances).to_numpy() == pytest.approx(expected.to_numpy())


def test_info_has_the_sizes_of_a_mixture(mixture, model, capsys):
    figures = as_json(capsys, "info", model)
    assert figures["n_components"] == 2
    assert figures["treewidth"] == mixture.treewidth
    assert figures["n_bytes"] == mixture.inference_cost().n_bytes
    assert main(["info", str(model)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 variables, 2 components, treewidth 2\n2 to 3 states\nall marginals: ")


@pytest.mark.parametrize("is_network", [False, True])
@pytest.mark.parametrize("completion", [None, "joint"])
def test_impute_fills_by_a_model(network, mixture, tmp_path, capsys, is_network, completion):
    used = network if is_network else mixture
    used.write(tmp_path / "model.json")
    rows = mixture.sample(40, random_state=0).astype(object)
    rows = rows.mask(np.random.default_rng(0).random(rows.shape) < 0.2)
    rows["day"] = range(40)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    words = ["impute", tmp_path / "rows.csv", "-o", tmp_path / "filled.csv"]
    chosen = [] if completion is None else ["--completion", completion]
    summary = as_json(capsys, *words, "--model", tmp_path / "model.json", *chosen)
    assert summary["n_missing"] == rows.isna().to_numpy().sum()
    filled = pd.read_csv(tmp_path / "filled.csv", dtype=str)
    expected = used.impute(rows, completion=completion or "independent")
    assert filled.equals(expected.astype(str))


@pytest.mark.parametrize(
    "words",
    [
        ("--samples", "2"),
        ("--report",),
        ("--save", "i.json"),
        ("--imputer", "i.json"),
        ("--probabilities", "p.csv"),
        ("--n-networks", "2"),
        ("--no-regressions",),
        ("--tune",),
        ("--search", "k-max"),
        ("--completion", "median"),
        ("--handle-unknown", "missing"),
    ],
)
def test_impute_refuses_options_that_a_model_cannot_use(model, tmp_path, capsys, words):
    (tmp_path / "rows.csv").write_text("rain\nyes\n")
    output = str(tmp_path / "out.csv")
    with pytest.raises(SystemExit) as ended:
        main(["impute", str(tmp_path / "rows.csv"), "-o", output, "--model", str(model), *words])
    assert ended.value.code == 2
    assert "--model" in capsys.readouterr().err


def test_convert_says_that_a_mixture_is_no_network(model, tmp_path, capsys):
    assert main(["convert", str(model), str(tmp_path / "model.bif")]) == 1
    assert "it is a mixture" in capsys.readouterr().err
