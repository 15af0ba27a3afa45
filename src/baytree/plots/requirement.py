"""The optional dependency of plots."""

from __future__ import annotations

import importlib


def require_matplotlib() -> None:
    """Load matplotlib; raise with the way to install it if that fails."""
    try:
        importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError(
            f"Plots need matplotlib, which cannot be loaded ({error}). Install it with: "
            "pip install 'baytree[plot]'."
        ) from error
