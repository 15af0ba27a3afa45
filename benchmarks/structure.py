"""How good and how fast is structure search, beside published figures and a prototype?

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
    fixed_caches,
    growth,
    k_tree_pace,
)


def preface(settings: RunSettings) -> str:
    note = (
        "Budgets are those of the targets, unless a figure says otherwise."
        if settings.mode == "full"
        else "Quick mode: a few data sets and much shorter times than the targets are for, so a "
        "target that is not reached here says little."
    )
    return (
        f"Ours beside published figures and a prototype, {settings.n_jobs} cores. Scores are BIC "
        "in natural logarithms, higher is better; every structure of ours, except in the medians "
        "of figure 1 and the pace of figure 6, was checked by code of its own for its treewidth "
        f"and its score. {note} Figures of time depend on the machine, "
        "and scores within a time limit a little. What each figure asks: "
        "[benchmarks](../benchmarks/README.md)."
    )


SCRIPT = FigureScript(
    name="structure",
    title="How good is structure search?",
    description=(__doc__ or "").splitlines()[0],
    figures={
        1: k_tree_pace,
        2: against_k_greedy,
        3: against_s2,
        4: default_search,
        5: fixed_caches,
        6: growth,
        7: exact_confirmation,
    },
    preface=preface,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
