"""Tables sampled from networks: BIF files, and random networks like random2000."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from bench_data import bench_dir, binary_table

N_ROWS = 5000
MAX_DEGREE = 6
ARCS_PER_VARIABLE = 2.98

_VARIABLE = re.compile(r"variable\s+(\S+)\s*\{[^{]*\{([^}]*)\}")
_PROBABILITY = re.compile(r"probability\s*\(([^)]*)\)\s*\{([^}]*)\}")
_CPT_ROW = re.compile(r"(?:\(([^)]*)\)|table)\s*([^;]*);")


@dataclass(frozen=True)
class SampledNetwork:
    """A network to sample; `cpts` have one row per configuration, first parent slowest."""

    arities: list[int]
    parents: list[list[int]]
    cpts: list[np.ndarray]

    def sample(self, n_rows: int, rng: np.random.Generator) -> np.ndarray:
        table = np.zeros((n_rows, len(self.arities)), np.uint8, order="F")
        for variable in _parents_first(self.parents):
            row = np.zeros(n_rows, np.int64)
            for parent in self.parents[variable]:
                row = row * self.arities[parent] + table[:, parent]
            bounds = np.cumsum(self.cpts[variable], axis=1)[row, :-1]
            table[:, variable] = (rng.random(n_rows)[:, None] >= bounds).sum(axis=1)
        return table


def read_bif(path: Path) -> SampledNetwork:
    with gzip.open(path, "rt") as file:
        text = file.read()
    states = {name: _words(body) for name, body in _VARIABLE.findall(text)}
    number = {name: i for i, name in enumerate(states)}
    code = {name: {state: i for i, state in enumerate(states[name])} for name in states}
    parents: list[list[int]] = [[] for _ in states]
    cpts = [np.empty(0)] * len(states)
    for head, body in _PROBABILITY.findall(text):
        child, _, given = head.partition("|")
        names, child = _words(given), child.strip()
        cpt = np.full([*(len(states[name]) for name in names), len(states[child])], np.nan)
        for key, numbers in _CPT_ROW.findall(body):
            at = tuple(code[name][state] for name, state in zip(names, _words(key), strict=True))
            cpt[at] = np.array(numbers.split(","), float)
        assert not np.isnan(cpt).any(), f"{child} lacks rows"
        parents[number[child]] = [number[name] for name in names]
        cpts[number[child]] = _normalize_rows(cpt)
    return SampledNetwork([len(s) for s in states.values()], parents, cpts)


def random_network(n_variables: int, rng: np.random.Generator) -> SampledNetwork:
    """Draw arcs along a random order until nearly all variables have degree 6."""
    parents = _random_parents(n_variables, rng)
    arities = rng.integers(2, 4, n_variables).tolist()
    cpts = []
    for child, arity in enumerate(arities):
        n_configurations = int(np.prod([arities[parent] for parent in parents[child]]))
        cpts.append(rng.dirichlet(np.ones(arity), n_configurations))
    return SampledNetwork(arities, parents, cpts)


def sampled_table(name: str, work_dir: Path) -> np.ndarray:
    """Return rows of a network in data/networks or of "generated<n>"; drawn once, then kept."""
    path = work_dir / f"{name}-{N_ROWS}.npz"
    if not path.exists():
        size = name.removeprefix("generated")
        rng = np.random.default_rng(int(size) if size.isdigit() else 0)
        source = bench_dir() / "data" / "networks" / f"{name}.bif.gz"
        network = random_network(int(size), rng) if size.isdigit() else read_bif(source)
        work_dir.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft.npz")
        np.savez_compressed(draft, table=network.sample(N_ROWS, rng))
        draft.rename(path)
    with np.load(path) as arrays:
        return arrays["table"]


def task_table(name: str, work_dir: Path) -> np.ndarray:
    """Return a split of a binary data set ("plants.train") or rows of a network ("andes")."""
    return binary_table(name) if "." in name else sampled_table(name, work_dir)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _normalize_rows(cpt: np.ndarray) -> np.ndarray:
    """Scale rows to sum 1: files have rounded decimals."""
    rows = cpt.reshape(-1, cpt.shape[-1])
    return rows / rows.sum(axis=1, keepdims=True)


def _parents_first(parents: list[list[int]]) -> list[int]:
    order: list[int] = []
    n_missing = [len(members) for members in parents]
    children: list[list[int]] = [[] for _ in parents]
    for child, members in enumerate(parents):
        for parent in members:
            children[parent].append(child)
    ready = [variable for variable, n in enumerate(n_missing) if n == 0]
    while ready:
        order.append(variable := ready.pop())
        for child in children[variable]:
            n_missing[child] -= 1
            if n_missing[child] == 0:
                ready.append(child)
    return order


def _random_parents(n_variables: int, rng: np.random.Generator) -> list[list[int]]:
    rank = rng.permutation(n_variables)
    parents: list[list[int]] = [[] for _ in range(n_variables)]
    degree = np.zeros(n_variables, int)

    def join(a: int, b: int) -> None:
        first, second = (a, b) if rank[a] < rank[b] else (b, a)
        parents[second].append(first)
        degree[[a, b]] += 1

    n_arcs, n_failed = 0, 0
    open_ones = list(range(n_variables))
    while n_arcs < ARCS_PER_VARIABLE * n_variables and len(open_ones) > 1 and n_failed < 1000:
        i, j = (int(x) for x in rng.choice(len(open_ones), 2, replace=False))
        a, b = open_ones[i], open_ones[j]
        if a in parents[b] or b in parents[a]:
            n_failed += 1
            continue
        join(a, b)
        n_arcs, n_failed = n_arcs + 1, 0
        for k in sorted((i, j), reverse=True):
            if degree[open_ones[k]] == MAX_DEGREE:
                open_ones[k] = open_ones[-1]
                open_ones.pop()
    for a, b in _bridges(parents):
        join(a, b)
    return parents


def _bridges(parents: list[list[int]]) -> list[tuple[int, int]]:
    """Return pairs of variables that connect the components."""
    component = list(range(len(parents)))

    def root(variable: int) -> int:
        while component[variable] != variable:
            component[variable] = component[component[variable]]
            variable = component[variable]
        return variable

    for child, members in enumerate(parents):
        for parent in members:
            component[root(child)] = root(parent)
    roots = sorted({root(variable) for variable in range(len(parents))})
    return list(pairwise(roots))
