"""Networks that are learned once within a time limit, then kept."""

from __future__ import annotations

import pickle
from pathlib import Path

import pandas as pd
from run_settings import RunSettings

import baytree as bt


def learned_network(
    name: str, table: pd.DataFrame, max_treewidth: int, seconds: float, settings: RunSettings
) -> bt.BayesianNetwork:
    """Return a learned network with parameters; one per time limit."""
    path = settings.work_dir / f"{name}-k{max_treewidth}-{seconds:g}s-{settings.n_jobs}.pickle"
    if path.exists():
        return pickle.loads(path.read_bytes())
    learner = bt.NetworkLearner(
        max_treewidth=max_treewidth, time_limit=seconds, n_jobs=settings.n_jobs, random_state=0
    )
    network = bt.fit_parameters(learner.fit(table).network_, table)
    settings.work_dir.mkdir(parents=True, exist_ok=True)
    draft = Path(f"{path}.draft")
    draft.write_bytes(pickle.dumps(network))
    draft.rename(path)
    return network
