"""What plots need beside baytree."""

from __future__ import annotations

import importlib


def require_matplotlib() -> None:
    """Load matplotlib, or say how to get it."""
    try:
        importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError(
            f"Plots need matplotlib, which cannot be loaded ({error}). Install it with: "
            "pip install 'baytree[plot]'."
        ) from error
