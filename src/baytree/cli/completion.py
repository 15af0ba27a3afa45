"""`baytree completion`: a script that lets a shell complete commands and options."""

from __future__ import annotations

import argparse

from baytree.cli.options import Commands, add_command, add_quiet_options

SHELLS = ("bash", "zsh", "fish")

_EXAMPLES = """\
examples:
  baytree completion bash >> ~/.bash_completion
  baytree completion zsh > "${fpath[1]}/_baytree"
  baytree completion fish > ~/.config/fish/completions/baytree.fish
"""


def add_parser(commands: Commands) -> None:
    """Add the options of this command."""
    parser = add_command(
        commands,
        "completion",
        summary="print what lets a shell complete commands and options",
        description="Print a script for a shell. Once the shell has read it, Tab completes\n"
        "commands, options, what may stand behind them, and files.",
        examples=_EXAMPLES,
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")
    add_quiet_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> bool:
    """Print the script."""
    from baytree.cli.completion_scripts import SCRIPTS  # help must not wait for it
    from baytree.cli.completion_words import completed_commands

    print(SCRIPTS[options.shell](completed_commands(options.parser)))
    return True
