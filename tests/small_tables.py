"""Tables of a few variables with the traps that searches meet, as codes and arities."""

import numpy as np

KINDS = ("binary", "mixed", "xor", "one-hot", "copies")


def small_table(kind, *, n_variables=7, n_rows=120, seed=0):
    random = np.random.default_rng(seed)
    codes = TABLES[kind](random, n_variables, n_rows)
    return codes, (codes.max(axis=0) + 1).tolist()


def dependent_columns(random, arities, n_rows):
    """Each variable follows a table of its own, drawn for two earlier ones."""
    codes = np.zeros((n_rows, len(arities)), dtype=np.int32)
    for child, arity in enumerate(arities):
        parents = random.choice(child, min(child, 2), replace=False)
        configurations = codes[:, parents] @ (10 ** np.arange(len(parents)))
        preferred = random.integers(0, arity, 10 ** len(parents))[configurations]
        is_noise = random.random(n_rows) < 0.25
        codes[:, child] = np.where(is_noise, random.integers(0, arity, n_rows), preferred)
        codes[:arity, child] = np.arange(arity)  # every state occurs
    return codes


def binary(random, n_variables, n_rows):
    return dependent_columns(random, [2] * n_variables, n_rows)


def mixed(random, n_variables, n_rows):
    return dependent_columns(random, random.integers(2, 5, n_variables).tolist(), n_rows)


def xor(random, n_variables, n_rows):
    """Every third variable is the exclusive or of the two before it; alone, no parent helps."""
    codes = random.integers(0, 2, (n_rows, n_variables))
    for child in range(2, n_variables, 3):
        is_noise = random.random(n_rows) < 0.05
        codes[:, child] = codes[:, child - 1] ^ codes[:, child - 2] ^ is_noise
    return codes


def one_hot(random, n_variables, n_rows):
    """One variable of three indicators, one of the others, and variables that follow the first."""
    n_first = min(3, n_variables)
    state = random.integers(0, n_first, n_rows)
    other = random.integers(0, max(n_variables - n_first, 1), n_rows)
    first = [state == i for i in range(n_first)]
    return np.stack([*first, *(other == i for i in range(n_variables - n_first))], axis=1) * 1


def copies(random, n_variables, n_rows):
    """Functions of three variables: the same states, negated states, or two of them together."""
    basis = random.integers(0, 2, (n_rows, 3))
    derived = [basis[:, 0], 1 - basis[:, 1], basis[:, 0] & basis[:, 2], basis[:, 1] | basis[:, 2]]
    columns = [*basis.T, *derived, *derived]
    return np.stack(columns[:n_variables], axis=1)


TABLES = {"binary": binary, "mixed": mixed, "xor": xor, "one-hot": one_hot, "copies": copies}
