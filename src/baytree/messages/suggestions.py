"""Errors about unknown names and states, with the most similar known ones."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Hashable, Iterable, Sequence

from baytree.exceptions import UnknownVariableError
from baytree.messages.quoting import quoted, shortened

MIN_SIMILARITY = 0.6  # from 0 to 1, the ratio of difflib
MAX_COMPARED = 50  # letter by letter
MAX_LETTERS = 100  # longer texts are slow to compare


def unknown_variable(name: object, known: Sequence[Hashable]) -> UnknownVariableError:
    """Return the error about an unknown variable."""
    return UnknownVariableError(f"There is no variable {shortened(name)} {among(name, known)}")


def among(given: object, known: Sequence[Hashable], limit: int = 10) -> str:
    """Return the known names in brackets, followed by a suggestion."""
    listed = quoted(known, limit) or "none"
    return f"(known: {listed}).{closest_name(given, known)}"


def closest_name(given: object, known: Sequence[Hashable]) -> str:
    """Return a suggestion of the most similar known name; empty if there is none.

    Case is ignored, and a number matches its text; other numbers are not similar to it.
    """
    text = str(given).casefold()
    if len(text) > MAX_LETTERS:
        return ""
    if (number := _number(text)) is not None:
        known = [name for name in known if _number(str(name)) in (None, number)]
    names = {str(name).casefold(): name for name in reversed(known)}  # the first of equal ones
    found = difflib.get_close_matches(text, _likely(text, names), n=1, cutoff=MIN_SIMILARITY)
    return f" Did you mean {names[found[0]]!r}?" if found else ""


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _likely(text: str, names: Iterable[str]) -> Iterable[str]:
    """Return the few names that share the most letters, which is fast to compute."""
    matcher = difflib.SequenceMatcher(b=text)

    def shared_letters(name: str) -> float:
        matcher.set_seq1(name)
        return matcher.quick_ratio()

    short = (name for name in names if len(name) <= MAX_LETTERS)
    return heapq.nlargest(MAX_COMPARED, short, key=shared_letters)
