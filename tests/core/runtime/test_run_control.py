import numpy as np
import pytest

from baytree import _core
from core_calls import core_scorer, search


def endless_search(on_progress, n_threads=1):
    """A search that only `on_progress` can end, and its control."""
    codes = np.random.default_rng(0).integers(0, 2, (200, 40))
    control = _core.RunControl(on_progress=on_progress)
    scorer = core_scorer(codes, [2] * 40, score="log-likelihood")
    return search(scorer, 40, max_parents=12, control=control, n_threads=n_threads), control


def raising(*errors):
    """A progress function that raises one error a call, then none."""
    waiting = list(errors)

    def on_progress(done, total):
        if waiting:
            raise waiting.pop(0)

    return on_progress


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_first_interrupt_returns_what_was_found(n_threads):
    found, control = endless_search(raising(KeyboardInterrupt()), n_threads)
    assert control.is_interrupted
    assert all(() in found.cache.parent_sets(child) for child in range(40))
    assert not all(found.is_complete)


def test_the_second_interrupt_raises():
    with pytest.raises(KeyboardInterrupt):
        endless_search(raising(KeyboardInterrupt(), KeyboardInterrupt()))


@pytest.mark.parametrize("error", [OSError("pipe closed"), SystemExit(3), ZeroDivisionError()])
def test_an_error_of_the_progress_function_stops_and_raises(error):
    with pytest.raises(type(error)) as caught:
        endless_search(raising(error))
    assert caught.value is error


def test_an_error_after_an_interrupt_raises():
    with pytest.raises(OSError, match="pipe closed"):
        endless_search(raising(KeyboardInterrupt(), OSError("pipe closed")))


def test_without_an_interrupt_nothing_is_interrupted():
    control = _core.RunControl()
    search(core_scorer([[0, 1], [1, 0]], [2, 2]), 2, max_parents=1, control=control)
    assert not control.is_interrupted


@pytest.mark.parametrize("time_limit", [-1.0, 0.0, 1e-9, float("inf"), 1e300])
def test_any_time_limit_gives_a_valid_result(time_limit):
    control = _core.RunControl(time_limit=time_limit)
    found = search(core_scorer([[0, 1], [1, 0]], [2, 2]), 2, max_parents=1, control=control)
    assert () in found.cache.parent_sets(0)
