import textwrap
import threading
import time

import pytest

from baytree.runtime.pool import InterruptiblePool, map_in_threads
from interrupted_runs import run_and_interrupt


@pytest.mark.parametrize("n_threads", [1, 3, 50])
def test_all_jobs_are_done_once(n_threads):
    n_before = threading.active_count()
    results, is_interrupted = InterruptiblePool(lambda job: job * job, range(20)).run(
        n_threads, None
    )
    assert sorted(results) == [job * job for job in range(20)]
    assert is_interrupted is False
    assert threading.active_count() == n_before


def test_progress_is_reported_after_each_job():
    reported = []
    InterruptiblePool(abs, range(3)).run(2, lambda done, total: reported.append((done, total)))
    assert reported == [(1, 3), (2, 3), (3, 3)]


def test_jobs_run_in_parallel():
    barrier = threading.Barrier(2, timeout=10)
    InterruptiblePool(lambda job: barrier.wait(), range(2)).run(2, None)


def test_an_error_ends_the_other_jobs_and_is_raised():
    begun, n_before = [], threading.active_count()

    def work(job):
        begun.append(job)
        if job == 1:
            raise ValueError("job 1 is broken")
        time.sleep(0.01)

    with pytest.raises(ValueError, match="job 1 is broken"):
        InterruptiblePool(work, range(1000)).run(2, None)
    assert len(begun) < 1000
    assert threading.active_count() == n_before


def test_a_job_that_raises_stop_iteration_is_an_error_too():
    with pytest.raises(StopIteration):
        InterruptiblePool(next, [iter(())]).run(1, None)


def test_an_interrupt_while_waiting_gives_what_is_done():
    def interrupt(done, total):
        if done == 2:
            raise KeyboardInterrupt

    results, is_interrupted = InterruptiblePool(abs, range(1000)).run(1, interrupt)
    assert (results, is_interrupted) == ([0, 1], True)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_results_of_jobs_in_threads_are_in_the_order_of_the_jobs(n_threads):
    def work(job):
        time.sleep(0.01 * (3 - job))
        return job * job

    assert map_in_threads(work, range(4), n_threads) == [0, 1, 4, 9]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_error_of_jobs_in_threads_is_that_of_the_first(n_threads):
    def work(job):
        time.sleep(0.02 if job == 1 else 0)
        if job > 0:
            raise ValueError(f"job {job} is broken")

    with pytest.raises(ValueError, match="job 1 is broken"):
        map_in_threads(work, range(4), n_threads)


def test_an_interrupt_does_not_wait_for_jobs_in_threads():
    code = """
    import time
    from baytree.runtime.pool import map_in_threads

    def work(job):
        if job == 0:
            print("ready", flush=True)
        time.sleep(30)

    try:
        map_in_threads(work, range(4), 2)
    except KeyboardInterrupt:
        print(time.time(), flush=True)
    """
    before = time.time()
    _, out, err = run_and_interrupt(textwrap.dedent(code), delay=0.3)
    assert err == ""
    assert 0 < float(out) - before < 20
    assert time.time() - before < 20
