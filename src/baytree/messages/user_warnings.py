"""Warnings that point to the line of the user."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from baytree.exceptions import BaytreeWarning

_PACKAGE = str(Path(__file__).parents[1] / "_")[:-1]  # ends in a separator


def warn_user(message: str, category: type[BaytreeWarning]) -> None:
    """Warn with the location of the first caller outside the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
