import numpy as np
import pytest

from baytree import _core
from core_calls import core_scorer, search


def scorer_of(n_variables, n_rows=50):
    codes = np.random.default_rng(0).integers(0, 2, (n_rows, n_variables))
    return core_scorer(codes, [2] * n_variables, score="log-likelihood")


@pytest.mark.parametrize("n_threads", [-1, 0, 1, 3, 30])
@pytest.mark.parametrize("n_tasks", [1, 2, 9])
def test_every_task_runs_once_on_any_number_of_threads(n_threads, n_tasks):
    found = search(scorer_of(n_tasks), n_tasks, max_parents=1, n_threads=n_threads)
    assert found.n_evaluated == [n_tasks] * n_tasks


def test_progress_rises_to_the_total():
    seen = []
    control = _core.RunControl(on_progress=lambda done, total: seen.append((done, total)))
    search(scorer_of(14, 400), 14, max_parents=4, n_threads=2, control=control)
    assert seen == sorted(seen)
    assert seen[-1] == (14, 14)
    assert {total for _, total in seen} == {14}


def stop(stopped):
    """Interrupt the run, once."""
    if not stopped:
        stopped.append(True)
        raise KeyboardInterrupt


def test_every_task_starts_even_after_a_stop():
    stopped = []
    control = _core.RunControl(on_progress=lambda done, total: stop(stopped))
    found = search(scorer_of(2000, 500), 2000, max_parents=1, n_threads=2, control=control)
    assert min(found.n_evaluated) >= 1
    assert found.n_evaluated.count(1) > 30
