import _thread
import math
import threading
import time

import pytest

from baytree.runtime.background import run_in_background


def test_results_and_errors_come_back():
    assert run_in_background(lambda: 3, math.inf) == 3
    assert run_in_background(lambda: None, math.inf) is None
    with pytest.raises(ZeroDivisionError):
        run_in_background(lambda: 1 / 0, math.inf)


def test_a_deadline_does_not_wait_for_the_end():
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        run_in_background(lambda: time.sleep(30), started + 0.05)
    assert time.monotonic() - started < 20


def test_limits_may_be_longer_than_clocks():
    assert run_in_background(lambda: 3, time.monotonic() + 1e12) == 3


def test_ctrl_c_does_not_wait_for_the_end():
    started = time.monotonic()
    threading.Timer(0.1, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        run_in_background(lambda: time.sleep(30), math.inf)
    assert time.monotonic() - started < 20
