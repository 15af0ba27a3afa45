"""Messages of the Python functions in the words of the command line."""

from __future__ import annotations

import re

OPTION_OF_ARGUMENT = {
    "compat": "--compat",
    "continuous": "--continuous",
    "engine": "--engine",
    "equivalent_sample_size": "--equivalent-sample-size",
    "forbidden_arcs": "--forbid",
    "i_bound": "--i-bound",
    "max_clique_states": "--max-clique-states",
    "max_degree": "--max-degree",
    "max_memory": "--max-memory",
    "max_iterations": "--max-iterations",
    "max_parent_sets": "--max-parent-sets",
    "max_parents": "--max-parents",
    "max_states": "--max-states",
    "max_sweeps": "--max-sweeps",
    "max_treewidth": "--treewidth",
    "missing": "--missing",
    "missing_values": "--missing-value",
    "n_jobs": "--jobs",
    "n_networks": "--networks",
    "random_state": "--seed",
    "required_arcs": "--require",
    "criterion": "--criterion",
    "search": "--search",
    "start": "--start",
    "tiers": "--tier",
    "time_limit": "--time",
    "unknown": "--unknown",
}

# What stands in quotation marks is the user's, and so is the name of a file. Without a value,
# an argument is told from an ordinary word by its underscore, or by what comes behind.
_SETTING = rf'(?P<setting>{"|".join(OPTION_OF_ARGUMENT)})="(?P<value>[\w+-]+)"'
_QUOTATION = r"""(?<!\w)(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_ARGUMENT = rf"(?P<argument>{'|'.join(name for name in OPTION_OF_ARGUMENT if '_' in name)})"
_VERBS = "names|must name|rule out|has the arc|have treewidth|lacks|gives|put|form a cycle"
_NOUN = rf"(?P<noun>start|tiers)(?= (?:{_VERBS})\b|\.(?:\s|$))"
_WORDS = re.compile(rf"(?<![\w./-])(?:{_SETTING}|{_ARGUMENT}(?![\w/-]|\.\w)|{_NOUN})|{_QUOTATION}")


# Advice that only Python can follow, and what a user of the commands can do.
_ADVICE = {
    "Estimate them from a table with fit_parameters, or give cpts when it is made.": (
        "baytree search --table and baytree learn write networks that have them."
    ),
    "Learn it from a table, or give the states when it is made.": (
        "baytree search --table and baytree learn write networks that have them."
    ),
    "Cut them into bins with baytree.Discretizer, pass --continuous bin, or give them a "
    "categorical dtype.": "Let them be cut into bins with --continuous bin, or write words.",
}


def in_option_words(message: str) -> str:
    """Return a message with options in the place of arguments: what a user can type."""
    translated = _WORDS.sub(_option_words, message)
    for python_advice, advice in _ADVICE.items():
        translated = translated.replace(python_advice, advice)
    return translated


def _option_words(match: re.Match[str]) -> str:
    if match["setting"]:
        return f"{OPTION_OF_ARGUMENT[match['setting']]} {match['value']}"
    argument = match["argument"] or match["noun"]
    return OPTION_OF_ARGUMENT[argument] if argument else match[0]
