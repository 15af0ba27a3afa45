"""Scripts that complete words, in the languages of the shells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from baytree.cli.completion_words import CompletedCommand, CompletedOption, CompletedValue

_TOP_OPTIONS = ("--help", "--version")

# Bash completes files where a function offers nothing, unless it is told not to. The equals sign
# of --option=value is a word of its own there.
_BASH = """\
_baytree_offer() {{
    COMPREPLY=($(compgen -W "$1" -- "$word"))
    compopt +o default 2>/dev/null
}}
_baytree() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    local further=""
    [[ $COMP_CWORD -gt 2 ]] && further="${{COMP_WORDS[COMP_CWORD-2]}}"
    [[ $word == "=" ]] && word=""
    [[ $before == "=" ]] && before="$further"
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        _baytree_offer "{commands}"
        return
    fi
    case "${{COMP_WORDS[1]}} $before" in
{values}
    esac
    case "${{COMP_WORDS[1]}} $further" in
{second_values}
    esac
    case "${{COMP_WORDS[1]}} ${{word:0:1}}" in
{alone}
    esac
}}
complete -o default -F _baytree baytree"""

_ZSH = """\
#compdef baytree
_baytree() {{
    local -a commands
    commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        _arguments '--help[show the help]' '--version[show the version]'
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{cases}
    esac
}}
if [[ $funcstack[1] == _baytree ]]; then
    _baytree "$@"
else
    compdef _baytree baytree
fi"""


def bash_script(commands: Sequence[CompletedCommand]) -> str:
    """Return the script for bash."""
    names = [command.name for command in commands]
    return _BASH.format(
        commands=" ".join([*names, *_TOP_OPTIONS]),
        values="\n".join(_bash_values(commands)),
        second_values="\n".join(_bash_second_values(commands)),
        alone="\n".join(_bash_alone(command) for command in commands),
    )


def _bash_values(commands: Sequence[CompletedCommand]) -> Iterable[str]:
    for command in commands:
        for option in command.options:
            if option.values:
                patterns = "|".join(f'"{command.name} {word}"' for word in option.words)
                yield f"        {patterns}) {_bash_offer(option.values[0])}; return ;;"


def _bash_second_values(commands: Sequence[CompletedCommand]) -> Iterable[str]:
    for command in commands:
        for option in command.options:
            if len(option.values) > 1:
                patterns = "|".join(f'"{command.name} {word}"' for word in option.words)
                yield f"        {patterns}) {_bash_offer(option.values[1])}; return ;;"


def _bash_alone(command: CompletedCommand) -> str:
    options = " ".join(word for option in command.options for word in option.words)
    lines = [f'        "{command.name} -") _baytree_offer "{options}" ;;']
    if not command.values:
        lines.append(f'        "{command.name} "*) _baytree_offer "{options}" ;;')
    elif not any(value.is_file for value in command.values):
        lines.append(f'        "{command.name} "*) {_bash_offer(command.values[0])} ;;')
    return "\n".join(lines)


def _bash_offer(value: CompletedValue) -> str:
    return ":" if value.is_file else f'_baytree_offer "{" ".join(value.choices)}"'


def zsh_script(commands: Sequence[CompletedCommand]) -> str:
    """Return the script for zsh, to be found or to be evaluated."""
    described = (f"{command.name}:{_zsh_text(command.help)}" for command in commands)
    return _ZSH.format(
        commands="\n".join(f"        {_quoted(line)}" for line in described),
        cases="\n".join(_zsh_case(command) for command in commands),
    )


def _zsh_case(command: CompletedCommand) -> str:
    options = (_zsh_option(option) for option in command.options)
    values = (f":{_zsh_value(value)}" for value in command.values)
    lines = " \\\n".join(f"                {spec}" for spec in [*options, *map(_quoted, values)])
    return f"        {command.name})\n            _arguments \\\n{lines} ;;"


def _zsh_option(option: CompletedOption) -> str:
    """Return an option, all words of which exclude each other unless it may be repeated."""
    values = "".join(f":{_zsh_value(value)}" for value in option.values)
    text = _quoted(f"[{_zsh_text(option.help)}]{values}")
    if option.is_repeated:
        return f"'*'{option.words[0]}{text}"
    words = ",".join(option.words)
    words = f"{{{words}}}" if len(option.words) > 1 else words
    return f"'({' '.join(option.words)})'{words}{text}"


def _zsh_value(value: CompletedValue) -> str:
    """Return the name of a value and what it may be."""
    action = f"({' '.join(value.choices)})" if value.choices else "_files" * value.is_file
    return f"{_zsh_text(value.name)}:{action or ' '}"


def _zsh_text(text: str) -> str:
    for letter in "\\:[]":
        text = text.replace(letter, f"\\{letter}")
    return text


def fish_script(commands: Sequence[CompletedCommand]) -> str:
    """Return the script for fish."""
    lines = [
        "complete -c baytree -f",
        "complete -c baytree -n __fish_use_subcommand -s h -l help -d 'show the help'",
        "complete -c baytree -n __fish_use_subcommand -l version -d 'show the version'",
    ]
    for command in commands:
        text = _fish_text(command.help)
        lines.append(f"complete -c baytree -n __fish_use_subcommand -a {command.name} -d {text}")
        start = f"complete -c baytree -n '__fish_seen_subcommand_from {command.name}'"
        lines += [f"{start} {_fish_option(option)}" for option in command.options]
        lines += [f"{start} {_fish_value(value)}" for value in dict.fromkeys(command.values)]
    return "\n".join(lines)


def _fish_option(option: CompletedOption) -> str:
    words = [f"-l {word[2:]}" if word[:2] == "--" else f"-s {word[1:]}" for word in option.words]
    values = [f"-r {_fish_value(value)}" for value in option.values[:1]]
    return " ".join([*words, *values, f"-d {_fish_text(option.help)}"])


def _fish_value(value: CompletedValue) -> str:
    if value.choices:
        return f"-f -a {_fish_text(' '.join(value.choices))}"
    return "-F" if value.is_file else "-f"


def _fish_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _quoted(text: str) -> str:
    """Return text as one word of a shell such as zsh."""
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"


SCRIPTS: dict[str, Callable[[Sequence[CompletedCommand]], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}
