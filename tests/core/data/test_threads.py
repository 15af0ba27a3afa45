"""Datasets and scorers that several threads build."""

import numpy as np
import pytest

from baytree import _core


@pytest.mark.parametrize("weights", [None, "integers", "floats"])
@pytest.mark.parametrize("n_variables", [3, 12])
def test_any_number_of_threads_builds_the_same_rows_and_scores(n_variables, weights):
    random = np.random.default_rng(n_variables)
    codes = np.asfortranarray(random.integers(-1, 3, (20_000, n_variables), dtype=np.int32))
    codes[:, 0] = np.abs(codes[:, 0])
    given = {
        "integers": random.integers(0, 5, 20_000).astype(float),
        "floats": random.random(20_000),
    }
    arities = np.full(n_variables, 3, dtype=np.int32)
    found = []
    for n_threads in (1, 2, 7):
        dataset = _core.Dataset(codes, arities, weights=given.get(weights), n_threads=n_threads)
        scorer = _core.FamilyScorer(
            dataset, score="bic", equivalent_sample_size=1.0, n_threads=n_threads
        )
        again = _core.FamilyScorer(dataset, before=scorer, changed=[1], n_threads=n_threads)
        families = [(0, []), (0, [1]), (2, [0, 1])]
        scores = [own.score(*family) for own in (scorer, again) for family in families]
        found.append((dataset.n_distinct_rows, dataset.total_weight, scores))
    assert found[0] == found[1] == found[2]
