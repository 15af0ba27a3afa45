"""What commands print on stdout."""

from __future__ import annotations

import json
import math


def print_json(result: object) -> None:
    """Print a result as one line of JSON, in ASCII, so that every stdout can hold it."""
    print(json.dumps(result, allow_nan=False, default=str))


def finite(number: float) -> float | None:
    """Return a number as JSON can hold it, which has no infinity: None for that."""
    return number if math.isfinite(number) else None
