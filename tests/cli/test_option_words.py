import inspect

import pytest

import baytree as bt
from baytree.cli.main import main
from baytree.cli.option_words import OPTION_OF_ARGUMENT, in_option_words


@pytest.mark.parametrize(
    ("message", "translated"),
    [
        (
            'Drop the rows, or pass missing="available".',
            "Drop the rows, or pass --missing available.",
        ),
        ("max_parents is 2.", "--max-parents is 2."),
        ('search="s2+" takes no start. Use', "--search s2+ takes no --start. Use"),
        ("tiers must name every variable.", "--tier must name every variable."),
        ("tiers names 'start' twice.", "--tier names 'start' twice."),
        (
            "start has the arc from 'a' to 'b', which forbidden_arcs or tiers rule out. Take it "
            "out of start.",
            "--start has the arc from 'a' to 'b', which --forbid or --tier rule out. Take it "
            "out of --start.",
        ),
        ("The arcs of start form a cycle: 'a'.", "The arcs of --start form a cycle: 'a'."),
        (
            "n_jobs must be positive; max_parents too.",
            "--jobs must be positive; --max-parents too.",
        ),
        (
            "The missing score of a variable is missing.",
            "The missing score of a variable is missing.",
        ),
    ],
)
def test_arguments_become_options(message, translated):
    assert in_option_words(message) == translated


@pytest.mark.parametrize(
    "message",
    [
        "Variable 'max_parents' has state 'missing=\"available\"'.",
        'Variable "it\'s max_parents" has no rows.',
        r"Variable 'it\'s max_parents' has no rows.",
        "/tmp/max_parents/n_jobs.csv, line 1: the file is empty.",
        "n_jobs.csv, line 1: the file is empty.",
        "my_max_parents_too: No such file or directory.",
        "a start of tiers.json, line 1: the file is empty.",
        "start.json: not a network of baytree.",
    ],
)
def test_words_of_the_user_stay(message):
    assert in_option_words(message) == message


def test_every_argument_and_every_option_exists(capsys):
    for command in ("learn", "score", "search", "generate", "impute", "query"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
    options = capsys.readouterr().out.split()
    calls = (
        bt.NetworkLearner,
        bt.BayesianNetworkImputer,
        bt.score_parent_sets,
        bt.search_structure,
        bt.random_network,
        bt.BayesianNetwork.posterior,
    )
    arguments = {name for call in calls for name in inspect.signature(call).parameters}
    assert set(OPTION_OF_ARGUMENT) <= arguments
    assert set(OPTION_OF_ARGUMENT.values()) <= set(options)


@pytest.mark.parametrize("variables", [{"rain": ["no", "yes"]}, ["rain"]])
def test_a_structure_alone_is_told_how_to_get_probabilities(tmp_path, capsys, variables):
    model = tmp_path / "structure.json"
    bt.BayesianNetwork(variables).write(model)
    assert main(["query", str(model), "--target", "rain"]) == 1
    advice = "baytree search --table and baytree learn write networks that have them.\n"
    assert capsys.readouterr().err.endswith(advice)


def test_numbers_that_are_refused_are_told_what_to_do(tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "".join(f"{i / 7},a\n" for i in range(30)))
    words = ["score", str(table), "-o", str(tmp_path / "c.jkl"), "--continuous", "error"]
    assert main(words) == 1
    message = capsys.readouterr().err
    assert "'x'. Let them be cut into bins with --continuous bin, or write words." in message
