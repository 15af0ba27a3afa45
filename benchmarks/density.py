"""Densities: mixtures of networks compared with published models, one network and a synthesiser.

Run with BAYTREE_BENCH_DIR set; see benchmarks/README.md.
"""

from __future__ import annotations

import sys

from density_figures import against_published, drawn_rows, missing_cells, row_calls, without_valid
from figure_runs import FigureScript
from run_settings import RunSettings


def preface(settings: RunSettings) -> str:
    note = (
        ""
        if settings.mode == "full"
        else " Quick mode: two small tables, few steps, a check that nothing broke."
    )
    return (
        "Log-likelihoods of test rows, drawn rows and row calls of mixtures of networks, by "
        f"`MixtureLearner` with its default settings where no others are named.{note} The "
        "[summary](../../docs/benchmarks.md) has the main results, "
        "[benchmark scripts](../README.md) the method."
    )


SCRIPT = FigureScript(
    name="density",
    title="Measured: densities",
    description=(__doc__ or "").splitlines()[0],
    figures={
        1: against_published,
        2: without_valid,
        3: drawn_rows,
        4: row_calls,
        5: missing_cells,
    },
    preface=preface,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
