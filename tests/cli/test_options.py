"""All commands take options of the same name alike, and offer what every command must."""

import argparse
import inspect
from collections import defaultdict

import pytest

import baytree as bt
from baytree.cli.main import command_parser

COMMANDS = next(
    action.choices
    for action in command_parser()._actions
    if isinstance(action, argparse._SubParsersAction)
)


@pytest.fixture(params=COMMANDS)
def command(request):
    return COMMANDS[request.param]


def options_of(parser):
    return {word for action in parser._actions for word in action.option_strings}


def test_every_command_shows_examples_of_itself(command):
    _, _, examples = command.format_help().partition("\nexamples:\n")
    lines = examples.splitlines()
    assert len(lines) >= 2
    assert all(line.startswith(f"  {command.prog} ") for line in lines)


def test_every_command_can_be_quiet_and_show_tracebacks(command):
    assert {"--quiet", "--debug"} <= options_of(command)


def test_every_command_that_prints_figures_prints_json(command):
    assert "--json" in options_of(command)


def test_every_option_is_explained(command):
    assert all(action.help for action in command._actions)


# "auto" leaves the choice to a command that knows what the result is for; chordalysis needs
# complete rows, so only learn offers it.
OF_SOME_COMMANDS = ("auto", "chordalysis")


def looks(action):
    choices = action.choices and tuple(c for c in action.choices if c not in OF_SOME_COMMANDS)
    return (tuple(action.option_strings), action.nargs, action.metavar, choices)


def test_options_of_the_same_name_look_alike_in_all_commands():
    found = defaultdict(lambda: defaultdict(set))
    for name, parser in COMMANDS.items():
        for action in parser._actions:
            for word in action.option_strings or [f"argument {action.metavar}"]:
                found[word][looks(action)].add(name)
    differing = {word: dict(ways) for word, ways in found.items() if len(ways) > 1}
    assert not differing


@pytest.mark.parametrize("name", ["impute", "search"])
def test_commands_without_complete_rows_do_not_offer_chordalysis(name, capsys):
    assert "chordalysis" not in COMMANDS[name].format_help()
    with pytest.raises(SystemExit) as ended:
        COMMANDS[name].parse_args(["given", "-o", "made", "--search", "chordalysis"])
    assert ended.value.code == 2
    assert "--search: invalid choice: 'chordalysis'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("short", "long"),
    [("-k", "--max-treewidth"), ("-t", "--time-limit"), ("-j", "--n-jobs"), ("-o", "--output")],
)
def test_options_have_the_short_form_wherever_they_are(short, long):
    with_long = {name for name, parser in COMMANDS.items() if long in options_of(parser)}
    assert {name for name in with_long if short in options_of(COMMANDS[name])} == with_long != set()


PARAMETERS = {
    "learn": [
        bt.NetworkLearner,
        bt.MixtureLearner,
        bt.ArcConstraints,
        bt.StructuralEM,
        bt.Chordalysis,
    ],
    "impute": [bt.BayesianNetworkImputer, bt.NetworkLearner, bt.ArcConstraints, bt.StructuralEM],
    "score": [bt.score_parent_sets, bt.ArcConstraints],
    "search": [bt.search_structure, bt.fit_parameters, bt.ArcConstraints],
    "generate": [bt.random_network],
    "query": [bt.BayesianNetwork.posterior, bt.IJGP],
    "predict": [bt.BayesianNetwork.predict, bt.BayesianNetwork.read_table],
    "sample": [bt.BayesianNetwork.sample],
    "evaluate": [bt.BayesianNetwork.log_likelihood, bt.BayesianNetwork.read_table],
}
OF_THE_SHELL = {"help", "output", "json", "quiet", "debug"}
FILES = {"table", "imputer", "save", "probabilities", "samples", "report", "edges", "model"}
# A method, one of two completions, a second network.
OTHERS = {"preset", "em_completion", "against"}
EVIDENCE = {"evidence", "likelihood", "target", "mpe", "probability"}  # of query and sample


@pytest.mark.parametrize("name", PARAMETERS)
def test_options_are_called_as_the_parameters_of_python(name):
    options = {
        word[2:].replace("-", "_") for word in options_of(COMMANDS[name]) if word[:2] == "--"
    }
    parameters = {p for call in PARAMETERS[name] for p in inspect.signature(call).parameters}
    parameters |= {"no_regressions"}
    assert options - OF_THE_SHELL - FILES - OTHERS - EVIDENCE <= parameters
