"""Tables of the experiments of [k-max]: splits of real data, rows of networks, stand-ins."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import pandas as pd
from bench_data import bench_dir, binary_table
from run_settings import RunSettings

import baytree as bt

SPLITS = ("train", "valid", "test")
N_ROWS, N_TEST_ROWS = 5000, 50_000  # of networks
ROWS_AT_ONCE = 5000

# Table 1 of [k-max]: name there, file, number of variables, rows.
REAL_SETS = (
    ("Kdd", "kdd", 64, 11490), ("Retail", "tretail", 135, 4408), ("EachMovie", "tmovie", 500, 591),
    ("Plants", "plants", 69, 3482), ("Pumsb-star", "pumsb_star", 163, 2452),
    ("WebKB", "cwebkb", 839, 838), ("Audio", "baudio", 100, 3000), ("DNA", "dna", 180, 1186),
    ("Reuters-52", "cr52", 889, 1540), ("Jester", "jester", 100, 4116),
    ("Kosarek", "kosarek", 190, 6675), ("C20NG", "c20ng", 910, 3764),
    ("Netflix", "bnetflix", 100, 2634), ("MSWeb", "msweb", 294, 5000), ("BBC", "bbc", 1058, 330),
    ("Accidents", "accidents", 111, 2551), ("Book", "book", 500, 1739), ("Ad", "ad", 1556, 491),
)  # fmt: skip
# The splits in the benchmark folder; the others of the 54 are too large for where it comes from.
SPLITS_AT_HAND = {
    "kdd": ("valid",), "plants": SPLITS, "baudio": SPLITS, "bnetflix": SPLITS, "jester": SPLITS,
    "accidents": SPLITS, "tretail": ("valid", "test"), "pumsb_star": SPLITS, "dna": SPLITS,
    "kosarek": ("valid", "test"), "msweb": SPLITS, "book": ("valid", "test"),
    "tmovie": ("valid", "test"), "cwebkb": ("valid", "test"), "cr52": SPLITS, "bbc": SPLITS,
    "ad": ("valid", "test"),
}  # fmt: skip
# Table 2: five known networks; r0 to r14 were drawn at random.
KNOWN_NETWORKS = {"andes": 223, "diabetes": 413, "pigs": 441, "link": 724, "munin": 1041}
RANDOM_NETWORKS = {
    f"r{i}": n for i, n in enumerate(n for n in (2000, 4000, 10_000) for _ in range(5))
}
# Stand-ins without the benchmark folder: tables of scikit-learn and small random networks.
SKLEARN_SETS = ("digits", "breast_cancer")
SMALL_NETWORKS = {"random100": 100, "random200": 200}


def has_folder() -> bool:
    return bool(os.environ.get("BAYTREE_BENCH_DIR"))


def has_stand_ins(settings: RunSettings) -> bool:
    """Return whether other tables take the place of those of the paper."""
    return settings.mode == "quick" and not has_folder()


def splits_of(name: str) -> tuple[str, ...]:
    return SPLITS_AT_HAND.get(name, SPLITS)


def real_sets(settings: RunSettings) -> tuple[str, ...]:
    """Return the sets of Table 1 at hand, fewest variables first."""
    return SKLEARN_SETS if has_stand_ins(settings) else tuple(SPLITS_AT_HAND)


def all_splits(settings: RunSettings) -> list[str]:
    return [f"{name}.{split}" for name in real_sets(settings) for split in splits_of(name)]


def all_networks(settings: RunSettings) -> list[str]:
    return [*(SMALL_NETWORKS if has_stand_ins(settings) else KNOWN_NETWORKS | RANDOM_NETWORKS)]


def codes_of(task: str) -> np.ndarray:
    """Return the rows of a split; states are 0 and 1."""
    return _sklearn_split(task) if task.startswith(SKLEARN_SETS) else binary_table(task)


def frame_of(codes: np.ndarray) -> pd.DataFrame:
    """Return a frame in which constant columns have two states too, as in published scores."""
    kind = pd.CategoricalDtype([0, 1])
    return pd.DataFrame({f"x{i}": pd.Series(c, dtype=kind) for i, c in enumerate(codes.T)})


def network_of(name: str) -> bt.BayesianNetwork:
    """Return a known network, or a random one, whose number is its seed."""
    if name in KNOWN_NETWORKS:
        return bt.BayesianNetwork.read(bench_dir() / "data" / "networks" / f"{name}.bif.gz")
    sizes = RANDOM_NETWORKS | SMALL_NETWORKS
    return bt.random_network(sizes[name], random_state=int(name.lstrip("random")))


@dataclass(frozen=True)
class Task:
    """Rows to learn from, and rows to test on, by name."""

    name: str

    @property
    def is_network(self) -> bool:
        return "." not in self.name

    def learning_rows(self) -> pd.DataFrame:
        if self.is_network:
            return network_of(self.name).sample(N_ROWS, random_state=0).astype("category")
        return frame_of(codes_of(self.name))

    def test_rows(self) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield rows with the name of their split, in blocks."""
        if self.is_network:
            yield from (("sampled", rows) for rows in _sampled_blocks(self.name))
            return
        name, own = self.name.rsplit(".", 1)
        for split in splits_of(name):
            if split != own:
                yield split, frame_of(codes_of(f"{name}.{split}"))


def log_likelihoods(network: bt.BayesianNetwork, task: Task) -> dict[str, list[float]]:
    """Return the sum of the log-likelihoods and the number of rows for each part of the test rows.

    A state that no learning row has is treated as missing.
    """
    sums: dict[str, list[float]] = {}
    for part, rows in task.test_rows():
        found = network.log_likelihood(rows, handle_unknown="missing")
        total = sums.setdefault(part, [0.0, 0.0])
        total[0] += float(np.sum(found))
        total[1] += len(found)
    return {part: [round(total, 3), n] for part, (total, n) in sums.items()}


def per_row(sums: dict[str, list[float]]) -> float:
    """Return the mean log-likelihood of all rows of all parts."""
    total = math.fsum(part[0] for part in sums.values())
    return total / sum(part[1] for part in sums.values())


@lru_cache(maxsize=1)
def _sampled_blocks(name: str) -> list[pd.DataFrame]:
    """Return test rows of a network: up to 4 GB."""
    network = network_of(name)
    n_blocks = N_TEST_ROWS // ROWS_AT_ONCE
    return [network.sample(ROWS_AT_ONCE, random_state=block + 1) for block in range(n_blocks)]


@cache
def _sklearn_table(name: str) -> np.ndarray:
    from sklearn import datasets

    table = np.asarray(getattr(datasets, f"load_{name}")().data)
    codes = (table > np.median(table, axis=0)).astype(np.uint8)
    return codes[np.random.default_rng(0).permutation(len(codes))]


def _sklearn_split(task: str) -> np.ndarray:
    """Return three quarters of the rows for train, a tenth for valid and the rest for test."""
    name, split = task.rsplit(".", 1)
    table = _sklearn_table(name)
    bounds = (0, int(0.75 * len(table)), int(0.85 * len(table)), len(table))
    place = SPLITS.index(split)
    return table[bounds[place] : bounds[place + 1]]
