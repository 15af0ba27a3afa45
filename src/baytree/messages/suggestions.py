"""Errors about names and states that are not known, with those that are close to them."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Hashable, Iterable, Sequence

from baytree.exceptions import UnknownVariableError
from baytree.messages.quoting import quoted, shortened

MIN_LIKENESS = 0.6  # from 0 to 1, as difflib has it
MAX_COMPARED = 50  # letter by letter
MAX_LETTERS = 100  # longer texts take long to compare, and nobody types them


def unknown_variable(name: object, known: Sequence[Hashable]) -> UnknownVariableError:
    """Return the error about a variable that is not there."""
    return UnknownVariableError(f"There is no variable {shortened(name)} {among(name, known)}")


def among(given: object, known: Sequence[Hashable], limit: int = 10) -> str:
    """Return what is known, in brackets, and behind it what may have been meant.

    Examples
    --------
    >>> among("smokr", ["age", "smoker"])
    "(known: 'age', 'smoker'). Did you mean 'smoker'?"
    >>> among("asia", ["age", "smoker"])
    "(known: 'age', 'smoker')."
    """
    listed = quoted(known, limit) or "none"
    return f"(known: {listed}).{closest_name(given, known)}"


def closest_name(given: object, known: Sequence[Hashable]) -> str:
    """Return a question about the known name that is most like a given one; empty if none is.

    Large and small letters are alike, and so are a number and its text.
    """
    text = str(given).casefold()
    if len(text) > MAX_LETTERS:
        return ""
    names = {str(name).casefold(): name for name in reversed(known)}  # the first of equal ones
    found = difflib.get_close_matches(text, _likely(text, names), n=1, cutoff=MIN_LIKENESS)
    return f" Did you mean {names[found[0]]!r}?" if found else ""


def _likely(text: str, names: Iterable[str]) -> Iterable[str]:
    """Return the few names that share the most letters, which is soon told of very many."""
    matcher = difflib.SequenceMatcher(b=text)

    def shared_letters(name: str) -> float:
        matcher.set_seq1(name)
        return matcher.quick_ratio()

    short = (name for name in names if len(name) <= MAX_LETTERS)
    return heapq.nlargest(MAX_COMPARED, short, key=shared_letters)
