"""Seeds for the core from what scikit-learn users pass as random_state."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from baytree.messages.arguments import is_integer
from baytree.messages.quoting import shortened

Seed: TypeAlias = int | np.random.RandomState | None


def core_seed(random_state: Seed) -> int | None:
    """Return a positive seed that depends on `random_state` alone; None for None."""
    if random_state is None:
        return None
    if is_integer(random_state):
        if not 0 <= random_state < 2**32:
            raise ValueError(
                f"random_state must be from 0 to 2**32 - 1; got {shortened(random_state)}."
            )
        random_state = np.random.RandomState(int(random_state))
    if not isinstance(random_state, np.random.RandomState):
        raise ValueError(
            "random_state must be an integer, a numpy RandomState or None; "
            f"got {shortened(random_state)}."
        )
    return int(random_state.randint(1, np.iinfo(np.int32).max))


def drawn_seed(random_state: Seed) -> int:
    """Return a positive seed; for None one of NumPy's global generator, as in scikit-learn."""
    seed = core_seed(random_state)
    return int(np.random.randint(1, np.iinfo(np.int32).max)) if seed is None else seed
