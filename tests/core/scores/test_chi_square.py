import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from scipy.stats import chi2, norm

from baytree import _core_testing


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 40, 99, 101, 500, 12_345, 2**20])
def test_log_tail_equals_that_of_scipy(degrees):
    spread = np.sqrt(2 * degrees)
    values = degrees + spread * np.array([-8, -3, -1, -0.1, 0, 0.1, 0.5, 1, 2, 5, 10])
    for x in values[values > 0]:
        expected = np.log(chi2.sf(x, degrees))
        assert _core_testing.log_chi_square_tail(x, degrees) == pytest.approx(
            expected, rel=1e-9, abs=1e-14
        )


@pytest.mark.parametrize("x", [10.0, 1e3, 1e5, 1e7])
def test_log_tail_of_one_degree_is_that_of_the_normal_distribution(x):
    expected = np.log(2) + norm.logsf(np.sqrt(x))
    assert _core_testing.log_chi_square_tail(x, 1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("degrees", [2, 4, 10, 64, 150, 1000])
@pytest.mark.parametrize("x", [2e3, 1e4, 1e6])
def test_log_tail_of_even_degrees_is_that_of_a_sum_of_poisson_probabilities(x, degrees):
    k = np.arange(degrees // 2)
    expected = logsumexp(k * np.log(x / 2) - x / 2 - gammaln(k + 1))
    assert _core_testing.log_chi_square_tail(x, degrees) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("x", "degrees"), [(0.0, 3), (-1.0, 3), (5.0, 0), (float("nan"), 1)])
def test_without_a_positive_statistic_or_degrees_the_probability_is_one(x, degrees):
    assert _core_testing.log_chi_square_tail(x, degrees) == 0.0
