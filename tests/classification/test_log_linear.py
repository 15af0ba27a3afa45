from itertools import product

import numpy as np
import pytest

from baytree.classification.augmentations import Augmentation
from baytree.classification.log_linear import LogLinearModel, with_marginals

ARITIES = (2, 3, 2, 2)
AUGMENTATION = Augmentation(((), (0,), (0, 1), (1, 2)), (0, 1, 2, 3))
N_CLASSES = 3


def cell(states, feature, own):
    """Return the place of a joint state of parents in a family's first axis."""
    return (
        int(np.ravel_multi_index([states[one] for one in own], [ARITIES[one] for one in own]))
        if own
        else 0
    )


@pytest.fixture
def tables():
    random = np.random.default_rng(0)
    families = [
        random.normal(size=(int(np.prod([ARITIES[one] for one in own])), N_CLASSES, ARITIES[child]))
        for child, own in enumerate(AUGMENTATION.parents)
    ]
    return LogLinearModel(AUGMENTATION, ARITIES, random.normal(size=N_CLASSES), tuple(families))


def joint(tables):
    """Return the product of all functions, for every class and joint state of the features."""
    found = np.zeros((N_CLASSES, *ARITIES))
    for states in product(*map(range, ARITIES)):
        found[:, *states] = tables.of_class
        for child, own in enumerate(AUGMENTATION.parents):
            place = cell(states, child, own)
            found[:, *states] += tables.of_families[child][place, :, states[child]]
    return np.exp(found)


def class_posterior(tables):
    product_ = joint(tables)
    return product_ / product_.sum(axis=0)


def test_normalized_tables_are_probabilities_of_the_same_distribution(tables):
    normal, log_total = tables.normalized()
    expected = joint(tables)
    assert np.log(expected.sum()) == pytest.approx(log_total)
    assert joint(normal) == pytest.approx(expected / expected.sum())
    for table in normal.of_families:
        assert np.exp(table).sum(axis=2) == pytest.approx(np.ones(table.shape[:2]))


def test_distributions_of_families_are_sums_of_the_joint(tables):
    normal, _ = tables.normalized()
    whole = joint(normal)
    for child, found in enumerate(normal.family_distributions()):
        own = AUGMENTATION.parents[child]
        dropped = tuple(1 + one for one in range(len(ARITIES)) if one not in (*own, child))
        summed = np.moveaxis(whole.sum(axis=dropped), 0, -2)
        assert found == pytest.approx(summed.reshape(found.shape))


def test_marginals_are_fitted_while_classes_of_rows_stay(tables):
    random = np.random.default_rng(1)
    other = LogLinearModel(
        AUGMENTATION,
        ARITIES,
        random.normal(size=N_CLASSES),
        tuple(random.normal(size=table.shape) for table in tables.of_families),
    )
    wanted = [own.sum(axis=1) for own in other.normalized()[0].family_distributions()]
    fitted = with_marginals(tables, wanted)
    assert class_posterior(fitted) == pytest.approx(class_posterior(tables))
    found = [own.sum(axis=1) for own in fitted.family_distributions()]
    for one, target in zip(found, wanted, strict=True):
        assert one == pytest.approx(target, abs=2e-3)
