import math
import os
import time

import pytest

from baytree import _core
from baytree.exceptions import TimeLimitWarning
from baytree.runtime.limits import (
    MAX_THREADS,
    deadline_after,
    run_control,
    thread_count,
    warn_if_too_short,
)


@pytest.mark.parametrize(
    ("time_limit", "expected"), [(None, math.inf), (math.inf, math.inf), (2, 5)]
)
def test_the_deadline_counts_from_the_start(time_limit, expected):
    assert deadline_after(3.0, time_limit) == expected


@pytest.mark.parametrize("time_limit", [0, -1, "1", float("nan"), True])
def test_a_time_limit_is_a_positive_number_of_seconds(time_limit):
    with pytest.raises(ValueError, match="time_limit must be a positive number of seconds; got"):
        deadline_after(0.0, time_limit)


@pytest.mark.parametrize(("n_jobs", "expected"), [(1, 1), (None, 1), (3, 3), (10**6, MAX_THREADS)])
def test_n_jobs_is_a_number_of_threads(n_jobs, expected):
    assert thread_count(n_jobs) == expected


def test_minus_one_is_all_processors():
    assert thread_count(-1) == min(len(os.sched_getaffinity(0)), MAX_THREADS)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_what_is_no_number_of_threads_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be a positive number of threads"):
        thread_count(n_jobs)


@pytest.mark.parametrize("seconds", [math.inf, 100, -100])
def test_a_control_can_be_made_for_any_deadline(seconds):
    assert isinstance(run_control(time.monotonic() + seconds, None), _core.RunControl)


@pytest.mark.parametrize(("called", "has_begun"), [(6, True), (6, False), (5, False)])
def test_a_deadline_before_the_first_step_is_warned_of(called, has_begun):
    now = time.monotonic() - 10
    message = rf"before its first step: .* Allow more than 5 seconds; to read .* took {called}\.$"
    with pytest.warns(TimeLimitWarning, match=message):
        warn_if_too_short(now, now + called, now + 5, has_begun=has_begun)


@pytest.mark.parametrize(("deadline", "has_begun"), [(5, True), (100, False), (math.inf, False)])
def test_other_deadlines_are_not(deadline, has_begun, recwarn):
    now = time.monotonic() - 10
    warn_if_too_short(now, now + 4, now + deadline, has_begun=has_begun)
    assert not recwarn.list
