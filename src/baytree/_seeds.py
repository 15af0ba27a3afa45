"""Seeds for the core from what scikit-learn users pass as random_state."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

Seed: TypeAlias = int | np.random.RandomState | None


def core_seed(random_state: Seed) -> int | None:
    """Return a positive seed that depends on `random_state` alone; None for None."""
    if random_state is None:
        return None
    if isinstance(random_state, (int, np.integer)):
        random_state = np.random.RandomState(int(random_state))
    if not isinstance(random_state, np.random.RandomState):
        raise TypeError(
            f"random_state must be an integer, a numpy RandomState or None; got {random_state!r}."
        )
    return int(random_state.randint(1, np.iinfo(np.int32).max))
