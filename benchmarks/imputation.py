"""Imputation: accuracy and time compared with other imputers.

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
    drawn_numbers,
    growth,
    missing_data,
    mixed_tables,
    sampled_alarm,
)
from run_settings import RunSettings


def preface(settings: RunSettings) -> str:
    note = (
        ""
        if settings.mode == "full"
        else " Quick mode: few data sets and imputers, a check that nothing broke."
    )
    return (
        "Imputation of hidden cells, the same cells for all imputers. Accuracy is the fraction of "
        "the hidden cells of a row that are restored, averaged over the rows with a hidden cell, "
        "unless a figure says otherwise. "
        "Times are CPU seconds of fit and transform unless a table says otherwise. baytree has one "
        f"network, not five, and default settings else, unless a table names others.{note} The "
        "[summary](../../docs/benchmarks.md) has the main results, "
        "[benchmark scripts](../README.md) the method."
    )


SCRIPT = FigureScript(
    name="imputation",
    title="Measured: imputation",
    description=(__doc__ or "").splitlines()[0],
    figures={
        1: against_forests,
        2: against_best,
        3: against_tsem,
        4: sampled_alarm,
        5: missing_data,
        6: growth,
        7: default_choices,
        8: mixed_tables,
        9: drawn_numbers,
    },
    preface=preface,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
