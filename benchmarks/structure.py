"""Structure learning: scores and times compared with published results and a prototype.

Run with BAYTREE_BENCH_DIR set; see benchmarks/README.md.
"""

from __future__ import annotations

import sys

from figure_runs import FigureScript
from run_settings import RunSettings
from structure_figures import (
    against_k_greedy,
    against_s2,
    default_search,
    exact_confirmation,
    exact_proofs,
    fixed_caches,
    growth,
    k_tree_pace,
    many_threads,
    one_hot,
    planted_pairs,
)


def preface(settings: RunSettings) -> str:
    note = (
        "Time limits are those of the targets unless a figure names others."
        if settings.mode == "full"
        else "Quick mode: few data sets and short time limits, a check that nothing broke."
    )
    return (
        f"Structure learning on {settings.n_jobs} cores, compared with published results and a "
        "prototype. Scores are BIC in natural logarithms; higher is better. Independent code "
        "checks treewidth and score of every structure learned by baytree, except in the medians "
        f"of figure 1 and the speed of figure 6. {note} Times depend on the machine. "
        "The [summary](../../docs/benchmarks.md) has the main results, "
        "[benchmark scripts](../README.md) the method."
    )


SCRIPT = FigureScript(
    name="structure",
    title="Measured: structure learning",
    description=(__doc__ or "").splitlines()[0],
    figures={
        1: k_tree_pace,
        2: against_k_greedy,
        3: against_s2,
        4: default_search,
        5: fixed_caches,
        6: growth,
        7: exact_confirmation,
        8: exact_proofs,
        9: planted_pairs,
        10: one_hot,
        11: many_threads,
    },
    preface=preface,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
