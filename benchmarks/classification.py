"""Classification: accuracy, log loss and time compared with other classifiers.

Run with BAYTREE_BENCH_DIR set; see benchmarks/README.md.
"""

from __future__ import annotations

import sys

from classification_figures import against_peers
from figure_runs import FigureScript
from run_settings import RunSettings


def preface(settings: RunSettings) -> str:
    note = (
        ""
        if settings.mode == "full"
        else " Quick mode: three tables, one repeat, a check that nothing broke."
    )
    return (
        "Classes of held-out rows, by classifiers with their default settings and the preparation "
        f"that each needs.{note} The [summary](../../docs/benchmarks.md) has the main results, "
        "[benchmark scripts](../README.md) the method."
    )


SCRIPT = FigureScript(
    name="classification",
    title="Measured: classification",
    description=(__doc__ or "").splitlines()[0],
    figures={1: against_peers},
    preface=preface,
)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
