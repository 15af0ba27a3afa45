"""What commands print on stdout."""

from __future__ import annotations

import json


def print_json(result: object) -> None:
    """Print a result as one line of JSON, in ASCII, so that every stdout can hold it."""
    print(json.dumps(result, allow_nan=False, default=str))
