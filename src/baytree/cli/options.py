"""Options that several commands share, and the readers of their values."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from baytree.vocabulary import (
    BIN_CHOICES,
    COMPLETIONS,
    CRITERIA,
    DEFAULT_MISSING_VALUES,
    EM_INITS,
    NETWORK_SUFFIXES,
    PRESETS,
    SEARCHES,
    TABLE_SUFFIXES,
)

NONE = "none"  # the word for no limit

_BYTES_OF_UNIT = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def any_of(words: Sequence[str]) -> str:
    """Return words as a choice: a, b or c."""
    return ", ".join(words[:-1]) + f" or {words[-1]}" if words else ""


NETWORK_FORMATS = any_of(NETWORK_SUFFIXES)

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001


def add_command(
    commands: Commands, name: str, *, summary: str, description: str, examples: str
) -> argparse.ArgumentParser:
    """Add a command whose help ends in examples, and return its parser."""
    return commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_options(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add shared options in their usual form."""
    for name in names:
        add_option(parser, name)


def add_option(parser: argparse.ArgumentParser, name: str, **changes: Any) -> None:
    """Add a shared option with changes to its usual form; `{default}` in its help is filled in."""
    settings = _SHARED[name] | changes
    default, choices = settings.get("default"), settings.get("choices", ())
    settings["help"] = settings["help"].format(
        default=f"{default:g}" if isinstance(default, float) else default,
        choices=any_of(choices),
    )
    words = [_SHORT[name], name] if name in _SHORT else [name]
    parser.add_argument(*words, **settings)


def refuse_idle_options(options: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """End with the usage if one of these was given; they are None by default."""
    for name in names:
        if getattr(options, name) is not None:
            options.misuse(f"argument --{name.replace('_', '-')}: {reason}")


def given_settings(options: argparse.Namespace, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that were given, by the names of their settings.

    Options that were not are None, and the word none stands for a setting of None.
    """
    values = {setting: getattr(options, name) for name, setting in names.items()}
    given = {setting: value for setting, value in values.items() if value is not None}
    return {setting: None if value == NONE else value for setting, value in given.items()}


def whole_number(minimum: int, maximum: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers within bounds."""

    def read(text: str) -> int:
        number = _integer(text)
        if number < minimum or (maximum is not None and number > maximum):
            bounds = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
            raise argparse.ArgumentTypeError(f"must be {bounds}; got {text}")
        return number

    return read


def bin_number(text: str) -> int | str:
    """Return a number of bins, or a word that stands for one."""
    return text if text in BIN_CHOICES else whole_number(2)(text)


def whole_number_or_none(minimum: int) -> Callable[[str], int | str]:
    """Return a reader of whole numbers, and of the word none."""
    read = whole_number(minimum)
    return lambda text: text if text == NONE else read(text)


def fraction(text: str) -> float:
    """Return a number between 0 and 1, both excluded."""
    if (number := positive_number(text)) >= 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1; got {text}")
    return number


def positive_number(text: str) -> float:
    """Return a positive, finite number."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number; got {text!r}") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number; got {text}")
    return number


def byte_count(text: str) -> int:
    """Return a number of bytes from text like 500000, 500K or 8G."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if unit not in _BYTES_OF_UNIT or not number.isdecimal() or not int(number):
        raise argparse.ArgumentTypeError(
            f"must be a whole number of bytes, or one followed by K, M, G or T; got {text!r}"
        )
    return int(number) * _BYTES_OF_UNIT[unit]


def assignment(form: str) -> Callable[[str], str]:
    """Return a reader of words with an equals sign; names are checked later."""

    def read(text: str) -> str:
        if "=" not in text:
            raise argparse.ArgumentTypeError(f"must be {form}; got {text!r}")
        return text

    return read


def comma_separated(text: str) -> list[str]:
    """Return the names between commas; names with commas are in double quotes."""
    return next(csv.reader([text], skipinitialspace=True), [])


def comma_separated_text(names: Iterable[object]) -> str:
    """Return names as `comma_separated` reads them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([str(name) for name in names])
    return line.getvalue()


def thread_count(text: str) -> int:
    """Return a number of threads: positive, or -1 for all processors."""
    number = _integer(text)
    if number == 0:
        raise argparse.ArgumentTypeError("must be positive, or -1 for all processors; got 0")
    return number


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        problem = f"must be a whole number; got {text!r}{_spelling(text)}"
        raise argparse.ArgumentTypeError(problem) from None


def _spelling(text: str) -> str:
    """Return a hint for a whole number written as 1e6 or 5.0."""
    with contextlib.suppress(ValueError):
        if (number := float(text)).is_integer() and abs(number) < 1e18:
            return f". Write {number:.0f}"
    return ""


REPORT_OPTIONS = ("--json", "--quiet", "--debug")
LEARNING_OPTIONS = ("--n-jobs", "--random-state", *REPORT_OPTIONS)
ARC_OPTIONS = ("--required", "--forbidden", "--tiers")
EVIDENCE_OPTIONS = ("--evidence", "--likelihood")
EM_OPTIONS = (
    "--em-init",
    "--em-completion",
    "--max-structure-updates",
    "--max-em-iterations",
    "--effort",
)
# Options of a learner, by the names that its settings have in Python. They are None unless given,
# since presets have defaults of their own.
LEARNER_SETTINGS = {
    "n_bins": "n_bins",
    "ignore": "ignore",
    "search": "search",
    "criterion": "criterion",
    "equivalent_sample_size": "equivalent_sample_size",
    "max_iterations": "max_iterations",
    "max_clique_states": "max_clique_states",
    "em_init": "em__em_init",
    "em_completion": "em__completion",
    "max_structure_updates": "em__max_structure_updates",
    "max_em_iterations": "em__max_em_iterations",
    "effort": "em__effort",
}
SEARCH_OPTIONS = (
    "--max-treewidth",
    "--search",
    "--time-limit",
    "--max-iterations",
    "--max-parents",
    "--initial-network",
)

_SHORT = {"--max-treewidth": "-k", "--n-jobs": "-j", "--output": "-o", "--time-limit": "-t"}
_SHARED: dict[str, dict[str, Any]] = {
    "model": {
        "metavar": "MODEL",
        "help": f"network to read: {NETWORK_FORMATS}; with the suffix .gz or .xz if compressed. "
        "A mixture of networks is .json",
    },
    "table": {
        "metavar": "TABLE",
        "help": f"table to read: {any_of(TABLE_SUFFIXES)}; a CSV file is delimited by commas, or "
        "by the semicolons or tabs of its first line",
    },
    "--output": {
        "required": True,
        "type": Path,
        "metavar": "FILE",
        "help": f"network to write: {NETWORK_FORMATS}; the suffix .gz or .xz compresses it",
    },
    "--missing-values": {
        "action": "append",
        "metavar": "WORD",
        "help": "a word for a missing cell in the table, instead of the default ones; may be "
        f"repeated (default: {'  '.join(filter(None, DEFAULT_MISSING_VALUES))}). An empty cell is "
        "always missing",
    },
    "--ignore": {
        "action": "append",
        "metavar": "NAME",
        "help": "a column that is no variable, such as an identifier; may be repeated",
    },
    "--n-bins": {
        "type": bin_number,
        "default": "auto",
        "metavar": "N",
        "help": "bins of numeric variables: a number of bins of equal numbers of rows, auto "
        "(chosen by the data) or error (refuse them) (default: {default})",
    },
    "--criterion": {
        "choices": CRITERIA,
        "default": "bic",
        "metavar": "NAME",
        "help": "criterion to maximise: {choices} (default: {default})",
    },
    "--equivalent-sample-size": {
        "type": positive_number,
        "default": 1.0,
        "metavar": "X",
        "help": "weight of the prior of the probabilities and of the criterion bdeu, in rows "
        "(default: {default})",
    },
    "--required": {
        "nargs": 2,
        "action": "append",
        "default": [],
        "metavar": ("PARENT", "CHILD"),
        "help": "an arc that the network must have; may be repeated",
    },
    "--forbidden": {
        "nargs": 2,
        "action": "append",
        "default": [],
        "metavar": ("PARENT", "CHILD"),
        "help": "an arc that the network must not have; may be repeated",
    },
    "--tiers": {
        "type": comma_separated,
        "action": "append",
        "metavar": "NAME,NAME",
        "help": "the variables of one tier; repeated for each tier, the earliest first. No arc "
        "leads to an earlier tier, and every variable is in one of them",
    },
    "--evidence": {
        "type": assignment("NAME=STATE"),
        "action": "append",
        "default": [],
        "metavar": "NAME=STATE",
        "help": "an observed state; may be repeated",
    },
    "--likelihood": {
        "type": assignment("NAME=STATE:X,STATE:X"),
        "action": "append",
        "default": [],
        "metavar": "NAME=STATE:X,STATE:X",
        "help": "virtual evidence: a likelihood for each state of a variable; may be repeated. "
        "States may hold commas",
    },
    "--max-treewidth": {
        "type": whole_number(1),
        "default": 5,
        "metavar": "K",
        "help": "largest treewidth (default: {default})",
    },
    "--search": {
        "choices": SEARCHES,
        "default": "anneal",
        "metavar": "NAME",
        "help": "search algorithm: {choices} (default: {default})",
    },
    "--time-limit": {"type": positive_number, "metavar": "SECONDS", "help": "time limit"},
    "--max-iterations": {
        "type": whole_number(1),
        "metavar": "N",
        "help": "largest number of iterations; unlike a time limit, reproducible for a seed",
    },
    "--max-parents": {
        "type": whole_number(1),
        "metavar": "N",
        "help": "largest number of parents of a variable (default: the treewidth)",
    },
    "--max-clique-states": {
        "type": positive_number,
        "default": 1_000_000,
        "metavar": "N",
        "help": "largest number of joint states of a clique (default: {default})",
    },
    "--initial-network": {
        "type": Path,
        "metavar": "FILE",
        "help": "network that anneal or hill-climb starts from",
    },
    "--preset": {
        "choices": PRESETS,
        "metavar": "NAME",
        "help": "settings of a published system, of which other options change single ones: "
        "{choices}",
    },
    "--em-init": {
        "choices": EM_INITS,
        "default": "tree",
        "metavar": "NAME",
        "help": "if cells are missing, what structural EM starts from: {choices} "
        "(default: {default})",
    },
    "--em-completion": {
        "choices": COMPLETIONS,
        "default": "joint",
        "metavar": "NAME",
        "help": "how structural EM completes a row before each search: {choices} "
        "(default: {default})",
    },
    "--max-structure-updates": {
        "type": whole_number_or_none(1),
        "default": 10,
        "metavar": "N",
        "help": "largest number of searches of structural EM, or none for no limit "
        "(default: {default})",
    },
    "--max-em-iterations": {
        "type": whole_number(0),
        "default": 5,
        "metavar": "N",
        "help": "iterations of EM for the probabilities after each search; 0 is hard EM "
        "(default: {default})",
    },
    "--effort": {
        "type": positive_number,
        "metavar": "SECONDS",
        "help": "seconds per variable for parent sets in every structure update; the search has "
        "a tenth of it",
    },
    "--n-jobs": {
        "type": thread_count,
        "default": -1,
        "metavar": "N",
        "help": "number of threads; -1 for all processors (default: {default})",
    },
    "--random-state": {
        "type": whole_number(0, 2**32 - 1),
        "metavar": "N",
        "help": "seed of all random choices",
    },
    "--json": {"action": "store_true", "help": "print the result as JSON"},
    "--quiet": {"action": "store_true", "help": "no progress bar, no notes, no summary"},
    "--debug": {"action": "store_true", "help": "show the traceback of an error"},
}
