"""What a shell can complete, told from the parser: no word of it is written twice."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

# Words for values in the help that are names of files. Of other values a shell knows nothing.
FILES = ("FILE", "FOLDER", "TABLE", "MODEL", "CACHE")


@dataclass(frozen=True)
class CompletedValue:
    """What stands behind an option, or alone."""

    name: str
    choices: tuple[str, ...]

    @property
    def is_file(self) -> bool:
        """Whether it is the name of a file."""
        return self.name in FILES


@dataclass(frozen=True)
class CompletedOption:
    """An option, with as many values as it takes."""

    words: tuple[str, ...]
    help: str
    values: tuple[CompletedValue, ...]
    is_repeated: bool


@dataclass(frozen=True)
class CompletedCommand:
    """A command with its options, and with what stands alone."""

    name: str
    help: str
    options: tuple[CompletedOption, ...]
    values: tuple[CompletedValue, ...]


def completed_commands(parser: argparse.ArgumentParser) -> list[CompletedCommand]:
    """Return all commands of a parser, in its order."""
    actions = parser._actions  # argparse has no other way to look into a parser
    commands = next(each for each in actions if isinstance(each, argparse._SubParsersAction))
    helps = {each.dest: each.help or "" for each in commands._choices_actions}
    return [_command(name, helps[name], own._actions) for name, own in commands.choices.items()]


def _command(name: str, help: str, actions: Sequence[argparse.Action]) -> CompletedCommand:
    options = [_option(action) for action in actions if action.option_strings]
    alone = [_values(action) for action in actions if not action.option_strings]
    return CompletedCommand(name, help, tuple(options), tuple(itertools.chain(*alone)))


def _option(action: argparse.Action) -> CompletedOption:
    help = (action.help or "").replace("%%", "%")
    is_repeated = isinstance(action, argparse._AppendAction)
    return CompletedOption(tuple(action.option_strings), help, _values(action), is_repeated)


def _values(action: argparse.Action) -> tuple[CompletedValue, ...]:
    if action.nargs == 0:
        return ()
    names = action.metavar if isinstance(action.metavar, tuple) else (action.metavar or "",)
    return tuple(CompletedValue(name, tuple(action.choices or ())) for name in names)
