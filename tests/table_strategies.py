"""Random tables of state codes for hypothesis."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st


@dataclass(frozen=True)
class CodedTable:
    codes: np.ndarray
    arities: list
    weights: np.ndarray | None

    @property
    def has_integer_weights(self):
        return self.weights is None or bool((self.weights % 1 == 0).all())


@st.composite
def coded_tables(draw):
    """Tables with repeated rows, constant columns, missing cells and weights of all sorts."""
    some_arity = st.sampled_from([1, 2, 2, 3, 4]) | st.integers(1, 60)
    arities = draw(st.lists(some_arity, min_size=1, max_size=7))
    n_rows = draw(st.integers(1, 150))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = np.column_stack([random.integers(0, arity, n_rows) for arity in arities])
    if draw(st.booleans()):
        codes = codes[random.integers(0, max(1, n_rows // 4), n_rows)]
    missing_fraction = draw(st.sampled_from([0.0, 0.05, 0.5]))
    codes[random.random(codes.shape) < missing_fraction] = -1
    kind = draw(st.sampled_from(["none", "integer", "layered", "fractional"]))
    return CodedTable(codes, arities, some_weights(kind, n_rows, random))


def some_weights(kind, n_rows, random):
    """Weights, zeros among them, with a sum of at least 1."""
    weights = {
        "none": lambda: None,
        "integer": lambda: random.integers(0, 4, n_rows).astype(float),
        "layered": lambda: random.choice([0.0, 1.0, 3.0, 1000.0], n_rows),
        "fractional": lambda: random.choice([0.0, 1.0], n_rows) * random.random(n_rows) * 5,
    }[kind]()
    if weights is not None:
        weights[0] += 1.0
    return weights


@st.composite
def families(draw, n_variables, *, max_parents=6):
    """A child and some ascending parents."""
    order = draw(st.permutations(range(n_variables)))
    n_parents = draw(st.integers(0, min(max_parents, n_variables - 1)))
    return order[0], tuple(sorted(order[1 : n_parents + 1]))
