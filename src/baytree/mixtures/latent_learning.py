"""Learning the components of mixtures as functions of points in a latent space."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import qmc

from baytree import _core
from baytree.mixtures.component_structures import ComponentStructure
from baytree.mixtures.parts import MixturePart, make_part
from baytree.networks.row_answers import Floats
from baytree.networks.row_calls import MAX_MEMORY_FRACTION
from baytree.runtime.limits import run_control
from baytree.runtime.long_calls import long_call
from baytree.runtime.memory import available_memory
from baytree.runtime.progress import ProgressListener
from baytree.tables.columns import StateCodes
from baytree.tables.encoding import TableEncoding

N_LATENT = 12  # dimensions
N_HIDDEN = 64
BATCH_SIZE = 128
LEARNING_RATE = 5e-3
WEIGHT_DECAY = 1e-3
STILL_FRACTION = 0.3
N_EVALUATIONS = 40
PATIENCE = 10
MAX_TABLE_ENTRIES = 2**22  # of all components of a mixture that "auto" chooses
ENTRY_BYTES = 32  # a logarithm, a logit, a count and a gradient as floats; a probability, twice
MAX_WEIGHTED = 64  # more components are equally probable


@dataclass(frozen=True)
class LearningScale:
    """What "auto" and the default budget stand for.

    Attributes
    ----------
    n_mixtures : int
        Mixtures to average.
    max_components : int
        Components of each.
    n_moving : int
        Points of a step.
    n_steps : int
        Steps of each mixture.
    """

    n_mixtures: int
    max_components: int
    n_moving: int
    n_steps: int


COMPLETE = LearningScale(16, 2048, 512, 6000)
# The missing cells of a row are summed out anew for each component, which takes far longer.
INCOMPLETE = LearningScale(8, 256, 64, 3000)
MAX_INCOMPLETE_FRACTION = 0.1  # of the rows, up to which a table is learned from as if complete


def learning_scale(codes: StateCodes) -> LearningScale:
    """Return the scale for a table."""
    fraction = float((codes < 0).any(axis=1).mean())
    return COMPLETE if fraction <= MAX_INCOMPLETE_FRACTION else INCOMPLETE


@dataclass(frozen=True, eq=False)
class LatentRows:
    """Rows of a table."""

    encoding: TableEncoding
    codes: StateCodes
    n_threads: int


@dataclass(frozen=True, eq=False)
class LatentTask:
    """A mixture to learn.

    Attributes
    ----------
    structure : ComponentStructure
        Arcs of its components.
    n_components, n_moving : int
        Number of components, and of the points of a step.
    n_steps : int
        Steps of gradient ascent.
    weights, held_out_weights : ndarray of float
        Weights of the rows to learn from, and of those held out; 0 for the others.
    seed : int
        Seed of all random choices.
    """

    structure: ComponentStructure
    n_components: int
    n_moving: int
    n_steps: int
    weights: Floats
    held_out_weights: Floats
    seed: int


@dataclass(frozen=True, eq=False)
class LatentMixture:
    """A mixture that was learned, as a part, and the course of learning."""

    part: MixturePart
    structure: ComponentStructure
    held_out: float
    n_steps: int
    history: list[tuple[int, float, float]]


def automatic_components(
    structure: ComponentStructure, arities: StateCodes, max_components: int
) -> int:
    """Return the number of components, a power of two, whose tables stay of moderate size."""
    entries = _n_entries(structure, arities)
    n_components = max_components
    while n_components > 1 and n_components * entries > MAX_TABLE_ENTRIES:
        n_components //= 2
    return n_components


def refuse_too_many(
    n_components: int, structures: Sequence[ComponentStructure], arities: StateCodes
) -> None:
    """Refuse components whose tables may need more memory than there is."""
    n_bytes = max(_n_entries(own, arities) for own in structures) * n_components * ENTRY_BYTES
    if n_bytes > available_memory() / 2:
        raise ValueError(
            f"n_components={n_components:,} may need {n_bytes / 1e9:,.3g} GB, more than a half of "
            "the memory. Take fewer components, or a smaller max_treewidth."
        )


def _n_entries(structure: ComponentStructure, arities: StateCodes) -> int:
    """Return the number of probabilities of a component."""
    return sum(
        int(arities[child]) * math.prod(int(arities[parent]) for parent in own)
        for child, own in enumerate(structure.parents)
    )


def learn_mixtures(
    rows: LatentRows,
    tasks: Sequence[LatentTask],
    deadline: float,
    on_progress: ProgressListener | None,
) -> tuple[list[LatentMixture], bool]:
    """Return mixtures, as many at once as there are threads, and True after Ctrl-C.

    Those that were not begun when Ctrl-C came are left out.
    """
    found: list[LatentMixture] = []
    waves = [tasks[i : i + rows.n_threads] for i in range(0, len(tasks), rows.n_threads)]
    for number, wave in enumerate(waves):
        now = time.monotonic()
        own_deadline = now + (deadline - now) / (len(waves) - number)
        learned, is_interrupted = _learn_wave(rows, wave, own_deadline, on_progress)
        found += learned
        if is_interrupted:
            return found, True
    return found, False


def _learn_wave(
    rows: LatentRows,
    tasks: Sequence[LatentTask],
    deadline: float,
    on_progress: ProgressListener | None,
) -> tuple[list[LatentMixture], bool]:
    control = run_control(deadline, on_progress)
    limits = _core.RowLimits(
        n_threads=rows.n_threads, max_bytes=MAX_MEMORY_FRACTION * available_memory()
    )
    with long_call(control):
        learned = _core.learn_latent_mixtures(
            [_core_task(task, rows.encoding.arities) for task in tasks],
            rows.codes,
            limits=limits,
            control=control,
        )
    pairs = zip(tasks, learned, strict=True)
    return [_labelled(rows.encoding, *pair) for pair in pairs], control.is_interrupted


def _core_task(task: LatentTask, arities: StateCodes) -> _core.LatentMixtureTask:
    n_rows = int(np.count_nonzero(task.weights))
    learns_weights = task.n_components <= MAX_WEIGHTED
    return _core.LatentMixtureTask(
        arities=arities.tolist(),
        parents=[list(own) for own in task.structure.parents],
        elimination_order=task.structure.elimination_order,
        points=_points(task.n_components, task.seed).ravel(),
        n_latent=N_LATENT,
        weights=task.weights,
        held_out_weights=task.held_out_weights,
        n_hidden=N_HIDDEN,
        n_steps=task.n_steps,
        batch_size=max(1, min(BATCH_SIZE, n_rows)),
        learning_rate=LEARNING_RATE,
        weight_decay=WEIGHT_DECAY,
        n_moving=task.n_moving,
        still_fraction=1.0 if learns_weights else STILL_FRACTION,
        learns_weights=learns_weights,
        n_evaluations=N_EVALUATIONS,
        patience=PATIENCE,
        seed=task.seed,
    )


def _points(n: int, seed: int) -> Floats:
    """Return points that fill the unit cube evenly ([sobol])."""
    points: Floats = qmc.Sobol(N_LATENT, seed=seed).random(2 ** math.ceil(math.log2(n)))[:n]
    return points


def _labelled(
    encoding: TableEncoding, task: LatentTask, learned: _core.LatentMixture
) -> LatentMixture:
    arities = encoding.arities
    cpts = [
        table.reshape(-1, int(arity)) for table, arity in zip(learned.tables, arities, strict=True)
    ]
    structure = task.structure
    part = make_part(
        encoding, structure.parents, cpts, learned.weights, structure.elimination_order, 1.0
    )
    history = [(step, seconds, held_out) for step, seconds, held_out in learned.history]
    return LatentMixture(part, structure, learned.held_out, learned.n_steps, history)
