"""How right and how fast are answers of networks, beside pyAgrum and the truth?

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
    wide_tables,
)
from run_settings import RunSettings


def preface(settings: RunSettings) -> str:
    note = (
        ""
        if settings.mode == "full"
        else " Quick mode: few networks and queries, so a check that nothing broke."
    )
    return (
        "Answers of networks beside those of pyAgrum and beside the truth. Times are elapsed, and "
        f"depend on the machine; compare what was measured in one run.{note} What each figure "
        "asks: [benchmarks](../benchmarks/README.md)."
    )


SCRIPT = FigureScript(
    name="inference",
    title="How right and how fast is inference?",
    description=(__doc__ or "").splitlines()[0],
    figures={
        1: correctness,
        2: single_queries,
        3: wide_tables,
        4: row_pace,
        5: evidence_error,
        6: join_graph_error,
        7: cost_estimates,
    },
    preface=preface,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
