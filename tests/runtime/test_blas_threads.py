import threading

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  (brings a BLAS of its own, as for imputers)
from threadpoolctl import threadpool_info, threadpool_limits

import baytree as bt
from baytree.runtime.blas_threads import one_blas_thread


def blas_threads():
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


pytestmark = pytest.mark.skipif(
    not blas_threads(), reason="threads of this NumPy's linear algebra cannot be limited"
)


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


def test_there_is_one_inside_and_as_many_as_before_outside():
    with one_blas_thread(), one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_several_at_once_leave_as_many_as_before():
    def compute():
        for _ in range(50):
            with one_blas_thread():
                blas_threads()

    threads = [threading.Thread(target=compute, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert blas_threads() == {2}


def test_imputers_compute_in_one_thread(monkeypatch):
    seen = []
    decompose = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda a: (seen.append(blas_threads()), decompose(a))[1])
    random = np.random.default_rng(0)
    codes = (random.normal(size=(300, 1)) + random.normal(size=(300, 12)) > 0).astype(float)
    bt.BayesianNetworkImputer(random_state=0).fit_transform(codes)
    assert seen
    assert all(each == {1} for each in seen)
    assert blas_threads() == {2}
