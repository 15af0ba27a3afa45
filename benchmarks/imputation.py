"""How well and how fast are gaps filled, beside other imputers?

Run with BAYTREE_BENCH_DIR set; see benchmarks/README.md.
"""

from __future__ import annotations

import sys

from figure_runs import FigureScript
from imputation_figures import (
    against_best,
    against_forests,
    against_tsem,
    default_choices,
    growth,
    real_gaps,
    sampled_alarm,
)
from run_settings import RunSettings


def preface(settings: RunSettings) -> str:
    note = (
        ""
        if settings.mode == "full"
        else " Quick mode: few data sets and peers, so a check that nothing broke."
    )
    return (
        "Gaps filled by us and by others, with the same cells hidden for all. Accuracy is the "
        "mean, over rows with a hidden cell, of the share of their hidden cells that are restored. "
        f"Times are CPU seconds of learning and filling, unless a table says otherwise.{note} What "
        "each figure asks: [benchmarks](../benchmarks/README.md)."
    )


SCRIPT = FigureScript(
    name="imputation",
    title="How well are gaps filled?",
    description=(__doc__ or "").splitlines()[0],
    figures={
        1: against_forests,
        2: against_best,
        3: against_tsem,
        4: sampled_alarm,
        5: real_gaps,
        6: growth,
        7: default_choices,
    },
    preface=preface,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
