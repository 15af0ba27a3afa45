"""The imputers and classifiers of benchmarks/peers do their work as their originals do."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NAMES = ("KNN", "IterativeImputer", "boosting", "missForest", "mRF_0.25")


@pytest.fixture
def peers(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from peers import PEERS

    return PEERS


@pytest.fixture
def codes():
    """Noisy copies of two variables, of three and of two states."""
    random = np.random.default_rng(0)
    bases = np.column_stack([random.integers(0, 3, 200), random.integers(0, 2, 200)])
    copies = np.repeat(bases, 4, axis=1)
    is_noise = random.random(copies.shape) < 0.05
    return np.where(is_noise, random.integers(0, 2, copies.shape), copies)


@pytest.mark.parametrize("name", NAMES)
def test_a_peer_restores_copies_far_better_than_modes_do(peers, codes, name):
    mask = np.random.default_rng(1).random(codes.shape) < 0.1
    incomplete = np.where(mask, -1, codes)
    filled = peers[name](incomplete, 0)
    assert (filled[~mask] == codes[~mask]).all()
    by_modes = (peers["mode"](incomplete, 0) == codes)[mask].mean()
    assert by_modes < 0.6
    assert (filled == codes)[mask].mean() > 0.85


@pytest.fixture
def classifiers(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from peers.classifiers import CLASSIFIERS

    return CLASSIFIERS


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", ["logistic regression", "boosting", "CategoricalNB", "pyAgrum"])
def test_a_classifier_takes_texts_numbers_missing_cells_and_unseen_states(classifiers, name):
    random = np.random.default_rng(0)
    table = pd.DataFrame({"text": random.choice(["a", "b", "c"], 400), "noise": random.random(400)})
    classes = pd.Series(np.where(table["text"] == "a", "yes", "no"))
    table = table.mask(random.random(table.shape) < 0.05)
    model = classifiers[name]().fit(table, classes)
    assert (model.predict(table) == classes).mean() > 0.9
    new = pd.DataFrame({"text": ["a", "unseen", None], "noise": [0.5, None, 2.0]})
    proba = model.predict_proba(new)
    assert proba.shape == (3, 2)
    assert proba.sum(axis=1) == pytest.approx(np.ones(3))
    assert proba[0].argmax() == 1


def test_boosting_takes_a_class_with_one_row(classifiers):
    n = 10_100  # of more rows than 10,000, scikit-learn holds some out
    table = pd.DataFrame({"number": np.arange(n) % 2})
    classes = pd.Series(["no", "yes"] * (n // 2))
    classes[0] = "once"
    assert (classifiers["boosting"]().fit(table, classes).predict(table) == classes).mean() > 0.99
