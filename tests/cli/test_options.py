"""All commands take options of the same name alike, and offer what every command must."""

import argparse
from collections import defaultdict

import pytest

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


def looks(action):
    # "auto" leaves the choice to a command that knows what the result is for.
    choices = None if action.choices is None else tuple(c for c in action.choices if c != "auto")
    return (tuple(action.option_strings), action.nargs, action.metavar, choices)


def test_options_of_the_same_name_look_alike_in_all_commands():
    found = defaultdict(lambda: defaultdict(set))
    for name, parser in COMMANDS.items():
        for action in parser._actions:
            for word in action.option_strings or [f"argument {action.metavar}"]:
                found[word][looks(action)].add(name)
    differing = {word: dict(ways) for word, ways in found.items() if len(ways) > 1}
    assert not differing
