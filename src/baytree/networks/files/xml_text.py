"""Text for XML files: what they can hold, and how."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

# Beyond these, XML holds all of Unicode. Breaks and spaces at the ends do not come back everywhere.
_NOT_HELD = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def is_held(text: str) -> bool:
    """Return whether a text comes back as it is from the element of an XML file."""
    return bool(text) and text == text.strip() and _NOT_HELD.search(text) is None


def element(tag: str, text: str) -> str:
    """Return an element that holds text."""
    return f"<{tag}>{escape(text)}</{tag}>"


def attribute(name: str, text: str) -> str:
    """Return an attribute with a space before it."""
    return f" {name}={quoteattr(text)}"
