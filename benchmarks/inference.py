"""Inference: errors and times compared with pyAgrum and exact results.

Run with BAYTREE_BENCH_DIR set; see benchmarks/README.md.
"""

from __future__ import annotations

import sys

from figure_runs import FigureScript
from inference_figures import (
    correctness,
    cost_estimates,
    evidence_error,
    join_graph_error,
    row_pace,
    single_queries,
    thread_scaling,
    wide_tables,
)
from run_settings import RunSettings


def preface(settings: RunSettings) -> str:
    note = (
        ""
        if settings.mode == "full"
        else " Quick mode: few networks and queries, a check that nothing broke."
    )
    return (
        "Inference in Bayesian networks, compared with pyAgrum and with exact results. Times are "
        "elapsed and depend on the machine, so compare only times of one run."
        f"{note} The [summary](../../docs/benchmarks.md) has the main results, "
        "[benchmark scripts](../README.md) the method."
    )


SCRIPT = FigureScript(
    name="inference",
    title="Measured: inference",
    description=(__doc__ or "").splitlines()[0],
    figures={
        1: correctness,
        2: single_queries,
        3: wide_tables,
        4: row_pace,
        5: evidence_error,
        6: join_graph_error,
        7: cost_estimates,
        8: thread_scaling,
    },
    preface=preface,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
