"""Mean log-likelihood of test rows, by a mixture and by one network."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
from bench_data import binary_table
from cells import Figures
from run_settings import RunSettings

import baytree as bt

SETS = (
    "nltcs", "plants", "baudio", "jester", "bnetflix", "accidents", "pumsb_star", "dna", "msweb",
    "cr52", "bbc",
)  # fmt: skip
QUICK_SETS = ("nltcs", "dna")
QUICK_OPTIONS = {"max_iterations": 50, "n_mixtures": 2, "max_treewidth": 2}
N_MINUTES = 15
N_CORES = 2
_STATES = pd.CategoricalDtype([0, 1])


def sets(settings: RunSettings) -> tuple[str, ...]:
    return settings.pick(full=SETS, quick=QUICK_SETS)


def table_of(name: str, split: str) -> pd.DataFrame:
    """Return a split whose variables have the states 0 and 1, also where only one is observed."""
    return categorical(binary_table(f"{name}.{split}"))


def categorical(cells: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(cells).astype(_STATES)


def mixture_learner(settings: RunSettings, **options: Any) -> bt.MixtureLearner:
    """Return a learner with the settings that are given; quick mode replaces some of them."""
    options |= settings.pick(full={}, quick=QUICK_OPTIONS)
    return bt.MixtureLearner(n_jobs=settings.n_jobs, random_state=0, **options)


def budget(settings: RunSettings) -> str:
    """Return what the name of a cell says on threads and quick mode."""
    threads = f"{settings.n_jobs} threads"
    return settings.pick(full=threads, quick=f"{threads}, quick")


def measure_mixture(name: str, has_validation: bool, settings: RunSettings) -> Figures:
    validation = table_of(name, "valid") if has_validation else None
    learner, train = mixture_learner(settings), table_of(name, "train")
    began = time.monotonic()
    learner.fit(train, validation=validation)
    seconds = time.monotonic() - began
    return {
        "log_likelihood": round(learner.score(table_of(name, "test")), 4),
        "held_out": round(learner.held_out_, 4),
        "components": learner.n_components_,
        "treewidth": learner.mixture_.treewidth,
        "learn_seconds": round(seconds, 1),
    }


def measure_network(name: str, learner: bt.NetworkLearner) -> Figures:
    began = time.monotonic()
    network = learner.fit(table_of(name, "train")).network_
    seconds = time.monotonic() - began
    rows = network.log_likelihood(table_of(name, "test"), n_jobs=learner.n_jobs)
    return {
        "log_likelihood": round(float(rows.mean()), 4),
        "treewidth": network.treewidth,
        "learn_seconds": round(seconds, 1),
    }
