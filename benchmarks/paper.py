"""The paper, reproduced: every table and figure of [k-max], in its order, beside ours.

With BAYTREE_BENCH_DIR set, on the data of the paper that are in this folder; without it, on tables
of scikit-learn and random networks. See benchmarks/README.md.
"""

from __future__ import annotations

import sys

from figure_runs import FigureScript
from paper_figures import (
    against_k_greedy,
    against_s2,
    chordalysis,
    claims,
    complexity,
    data_sets,
    effort,
    imputation,
    inference_times,
    iterations,
    query_errors,
    test_likelihoods,
)
from paper_figures.tasks import has_stand_ins
from run_settings import RunSettings


def preface(settings: RunSettings) -> str:
    notes = []
    if settings.mode == "quick":
        notes.append(
            "Quick mode: a few tasks, short budgets, one mask. `python benchmarks/paper.py --mode "
            "full` has the budgets of each section on all tasks; it takes days, and goes on where "
            "it stopped."
        )
    if has_stand_ins(settings):
        notes.append(
            "Without BAYTREE_BENCH_DIR, the data of the paper and its known networks are left out: "
            "tables of scikit-learn, their numbers cut at the median, and small random networks "
            "stand in for them, and published figures are those of other data."
        )
    return " ".join(
        [
            "Each table and figure of [k-max], in the order of the paper: ours, the published "
            "numbers, the command, and why they differ where they do. Scores are BIC in natural "
            "logarithms; independent code checks treewidth and score of every structure. Section "
            "12 lists the claims of the paper and what became of them. A section without rows has "
            "not been measured; the dates are those of the measurements.",
            *notes,
        ]
    )


SCRIPT = FigureScript(
    name="paper",
    title="The paper, reproduced",
    description=(__doc__ or "").splitlines()[0],
    figures={
        1: data_sets,
        2: against_k_greedy,
        3: iterations,
        4: against_s2,
        5: test_likelihoods,
        6: inference_times,
        7: chordalysis,
        8: query_errors,
        9: imputation,
        10: effort,
        11: complexity,
        12: claims,
    },
    preface=preface,
    references="references.md",
    pictures="images/",
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
