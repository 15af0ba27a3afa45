import itertools
import json
import math
import re

import numpy as np
import pandas as pd
import pytest

import baytree as bt
from baytree.cli.main import main
from baytree.exceptions import DiscretizationWarning
from inference_oracle import (
    brute_force_marginals,
    brute_force_most_probable,
    brute_force_posterior,
    brute_force_probability,
)

EVIDENCE = {"wet=grass": "w,et:"}
OBSERVED = ("--evidence", "wet=grass=w,et:")


def query(model, capsys, *words):
    """Return the exit code and what was printed as JSON."""
    code = main(["query", str(model), *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_posterior_is_that_of_brute_force(network, model, capsys):
    code, answer = query(model, capsys, *OBSERVED, "--target", "sprinkler")
    assert (code, answer["targets"]) == (0, ["sprinkler"])
    assert [row["states"] for row in answer["posterior"]] == [[0], [1]]
    expected = brute_force_posterior(network, ["sprinkler"], EVIDENCE)
    assert [row["probability"] for row in answer["posterior"]] == pytest.approx(expected)


def test_several_targets_give_the_joint_distribution(network, model, capsys):
    words = (*OBSERVED, "--target", "sprinkler", "--target", "rain")
    _, answer = query(model, capsys, *words)
    assert [row["states"] for row in answer["posterior"]][:2] == [[0, "no"], [0, "yes"]]
    expected = brute_force_posterior(network, ["sprinkler", "rain"], EVIDENCE).ravel()
    assert [row["probability"] for row in answer["posterior"]] == pytest.approx(expected)


def test_without_a_target_every_variable_is_printed(network, model, capsys):
    _, answer = query(model, capsys, "--evidence", "sprinkler=1")
    expected = brute_force_marginals(network, {"sprinkler": 1})
    for marginal in answer["marginals"]:
        assert marginal["states"] == list(network.states(marginal["variable"]))
        assert marginal["probabilities"] == pytest.approx(expected[marginal["variable"]])


def chain(n_variables):
    names = [f"v{i}" for i in range(n_variables)]
    cpts = {name: [[0.9, 0.1], [0.2, 0.8]] for name in names[1:]}
    states = {name: ["no", "yes"] for name in names}
    return bt.BayesianNetwork(
        states, list(itertools.pairwise(names)), cpts={names[0]: [0.6, 0.4], **cpts}
    )


def test_of_many_variables_the_most_probable_state_of_each_is_printed(tmp_path, capsys):
    network = chain(51)
    network.write(tmp_path / "chain.bif")
    words = ["query", str(tmp_path / "chain.bif"), "--evidence", "v0=yes"]
    assert main(words) == 0
    printed = capsys.readouterr()
    title, *lines = printed.out.splitlines()
    assert title.split() == ["variable", "most", "probable", "state", "probability"]
    assert [line.split()[:2] for line in lines[:3]] == [["v0", "yes"], ["v1", "yes"], ["v2", "yes"]]
    assert lines[2].split()[2] == f"{0.8 * 0.8 + 0.2 * 0.1:.6g}"
    assert len(lines) == 51
    assert "--json" in printed.err
    _, answer = query(tmp_path / "chain.bif", capsys)
    assert all(len(marginal["probabilities"]) == 2 for marginal in answer["marginals"])


def test_all_states_of_fifty_variables_are_printed(tmp_path, capsys):
    chain(50).write(tmp_path / "chain.bif")
    assert main(["query", str(tmp_path / "chain.bif")]) == 0
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 101
    assert printed.err == ""


def test_virtual_evidence_weighs_states(network, model, capsys):
    words = ("--likelihood", "rain=yes:3,no:1", "--likelihood", 'wet=grass="w,et::0.5",dry:1,a=b:0')
    _, answer = query(model, capsys, *words, "--target", "sprinkler")
    evidence = {"rain": {"no": 1, "yes": 3}, "wet=grass": {"dry": 1, "a=b": 0, "w,et:": 0.5}}
    expected = brute_force_posterior(network, ["sprinkler"], evidence)
    assert [row["probability"] for row in answer["posterior"]] == pytest.approx(expected)


def test_mpe_is_that_of_brute_force(network, model, capsys):
    _, answer = query(model, capsys, *OBSERVED, "--mpe")
    states, probability = brute_force_most_probable(network, EVIDENCE)
    assert answer["assignment"] in states
    assert answer["log_probability"] == pytest.approx(math.log(probability))


def test_probability_is_that_of_brute_force(network, model, capsys):
    _, answer = query(model, capsys, *OBSERVED, "--probability")
    assert answer["probability"] == pytest.approx(brute_force_probability(network, EVIDENCE))


def test_impossible_evidence_has_probability_zero_and_no_logarithm(model, capsys):
    words = ("--evidence", "rain=yes", "--evidence", "sprinkler=1", "--evidence", "wet=grass=dry")
    assert query(model, capsys, *words, "--probability") == (
        0,
        {"probability": 0.0, "log_probability": None},
    )
    assert main(["query", str(model), *words, "--target", "rain"]) == 1
    assert "has probability zero" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            ("--evidence", "rain=yes", "--target", "sprinkler"),
            ["sprinkler  probability", "0          0.99", "1          0.01"],
        ),
        (
            ("--evidence", "rain=yes", "--target", "rain", "--target", "sprinkler"),
            [
                "rain  sprinkler  probability",
                "no    0          0",
                "no    1          0",
                "yes   0          0.99",
                "yes   1          0.01",
            ],
        ),
        (("--evidence", "rain=yes", "--probability"), ["probability      0.2", "log probability"]),
        (("--mpe",), ["rain       no", "sprinkler  0", "wet=grass  dry", "log probability -0.8"]),
        ((), ["variable   state  probability", "rain       no     0.8", "rain       yes    0.2"]),
    ],
)
def test_people_get_a_table(model, capsys, words, lines):
    assert main(["query", str(model), *words]) == 0
    out = capsys.readouterr().out.splitlines()
    for line, expected in zip(out, lines, strict=False):
        assert line.startswith(expected)
    assert len(out) >= len(lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--target", "snow"), "There is no variable 'snow' (known: 'rain', 'sprinkler',"),
        (("--evidence", "rain=maybe"), "'rain' has no state 'maybe' (known: 'no', 'yes')"),
        (("--target", "sprinklr"), "). Did you mean 'sprinkler'?"),
        (("--evidence", "rian=yes"), "). Did you mean 'rain'?"),
        (("--evidence", "rain=yess"), "). Did you mean 'yes'?"),
        (("--likelihood", "rain=yess:1,no:0"), "). Did you mean 'yes'?"),
        (("--evidence", "snow=yes"), "There is no variable 'snow'"),
        (("--evidence", "rain=no", "--evidence", "rain=yes"), "'rain' is observed twice"),
        (("--likelihood", "rain=no"), "--likelihood must be NAME=STATE:X,STATE:X"),
        (("--likelihood", "rain=no:x,yes:1"), "needs a number after the colon; got 'no:x'"),
        (("--likelihood", "rain=no:1"), "lacks the likelihood of 'yes'"),
        (("--likelihood", "rain=no:-1,yes:1"), "must be a finite number"),
    ],
)
def test_what_is_not_in_the_network_ends_with_1_and_is_named(model, capsys, words, message):
    assert main(["query", str(model), *words]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("baytree: error: ")
    assert message in captured.err


def test_kinds_of_queries_exclude_each_other(model, capsys):
    with pytest.raises(SystemExit) as end:
        main(["query", str(model), "--mpe", "--probability"])
    assert end.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "form"),
    [("--evidence", "NAME=STATE"), ("--likelihood", "NAME=STATE:X,STATE:X")],
)
def test_evidence_of_another_form_is_misuse(model, capsys, option, form):
    with pytest.raises(SystemExit) as end:
        main(["query", str(model), option, "rain"])
    assert end.value.code == 2
    assert f"argument {option}: must be {form}; got 'rain'" in capsys.readouterr().err


def test_a_query_beyond_the_memory_says_its_cost(tmp_path, capsys):
    path = tmp_path / "wide.json"
    assert main(["generate", "600", "--random-state", "0", "-o", str(path), "--quiet"]) == 0
    assert main(["query", str(path), "--target", "X0"]) in (0, 1)
    assert main(["query", str(path)]) == 1
    assert "out of memory" not in (err := capsys.readouterr().err)
    assert "largest clique" in err


def test_too_little_memory_is_refused(model, capsys):
    assert main(["query", str(model), "--max-memory", "8"]) == 1
    err = capsys.readouterr().err
    assert "raise max_memory" in err
    assert "use the approximate engine IJGP" in err


@pytest.mark.parametrize("target", [("--target", "sprinkler"), ("--probability",), ()])
def test_the_approximate_engine_answers_like_the_exact_one_here(model, capsys, target):
    answers = [
        query(model, capsys, *OBSERVED, *target, "--engine", engine)[1]
        for engine in ("exact", "ijgp")
    ]
    exact, approximate = (re.split(r"(0\.\d+)", json.dumps(answer)) for answer in answers)
    assert exact[::2] == approximate[::2]  # the words between the numbers
    assert [*map(float, exact[1::2])] == pytest.approx([*map(float, approximate[1::2])])


def test_the_most_probable_states_are_exact_alone(model, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["query", str(model), "--mpe", "--engine", "ijgp"])
    assert caught.value.code == 2
    assert "argument --mpe: is exact only" in capsys.readouterr().err


def test_the_bound_of_the_approximation_reaches_it(model, capsys):
    words = (*OBSERVED, "--engine", "ijgp", "--max-memory", "10", "--i-bound", "2")
    assert main(["query", str(model), *words]) == 1
    assert "Lower i_bound, observe more" in capsys.readouterr().err


@pytest.mark.parametrize("option", [("--i-bound", "2"), ("--max-sweeps", "5")])
def test_bounds_of_the_approximation_are_refused_without_it(model, option, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["query", str(model), *option])
    assert caught.value.code == 2
    assert f"argument {option[0]}: only with --engine ijgp" in capsys.readouterr().err


@pytest.mark.parametrize(("limit", "code"), [("10", 1), ("1K", 0), ("1g", 0)])
def test_memory_may_have_a_unit(model, limit, code):
    assert main(["query", str(model), "--max-memory", limit]) == code


@pytest.mark.parametrize("limit", ["", "0", "0G", "-1", "1.5G", "1GB", "G", "much"])
def test_memory_that_is_no_number_of_bytes_is_misuse(model, limit, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["query", str(model), "--max-memory", limit])
    assert caught.value.code == 2
    assert f"or one followed by K, M, G or T; got {limit!r}" in capsys.readouterr().err


def test_wide_letters_leave_columns_straight(tmp_path, capsys):
    path = tmp_path / "model.json"
    states = {"city": ["東京", "Ko\u0308ln", "Rome"]}
    bt.BayesianNetwork(states, cpts={"city": [0.5, 0.25, 0.25]}).write(path)
    assert main(["query", str(path), "--target", "city"]) == 0
    rows = ["city  probability", "東京  0.5", "Ko\u0308ln  0.25", "Rome  0.25"]
    assert capsys.readouterr().out.splitlines() == rows


def test_the_mean_of_a_number_comes_with_its_bins(tmp_path, capsys):
    sizes = np.random.default_rng(0).normal(50, 10, size=600)
    table = pd.DataFrame({"size": sizes, "large": sizes > 55})
    with pytest.warns(DiscretizationWarning):
        bt.NetworkLearner(1, search="chow-liu").fit(table).network_.write(tmp_path / "n.json")
    expected = pytest.approx(sizes[sizes > 55].mean(), abs=1)
    words = ["query", str(tmp_path / "n.json"), "--evidence", "large=true"]
    assert main([*words, "--target", "size"]) == 0
    name, mean = capsys.readouterr().out.splitlines()[-1].split()
    assert (name, float(mean)) == ("mean", expected)
    assert main([*words, "--target", "size", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean"] == expected
