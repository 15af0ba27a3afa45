"""The character between the cells of a CSV file, told from its header."""

from __future__ import annotations

import re
from pathlib import Path

from baytree.tables.files.text_lines import BrokenLineError, text_lines

_QUOTED_CELL = re.compile('"[^"]*"')


def header_delimiter(path: Path, encoding: str) -> str:
    """Return a semicolon or a tab if it alone stands in a header without commas, else a comma.

    Such a header would be a single name otherwise, so no file is read differently that was read
    well before; and rows of another number of cells are refused.
    """
    if not path.is_file():  # a pipe can be read only once
        return ","
    try:
        header = next((line for line in text_lines(path, encoding) if line.strip()), "")
    except BrokenLineError:  # the reader of the rows will say what is wrong
        return ","
    found = set(_QUOTED_CELL.sub("", header)).intersection(",;\t")
    return found.pop() if len(found) == 1 else ","
