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
def mixed_peers(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from peers.mixed_tables import MIXED_PEERS

    return MIXED_PEERS


@pytest.fixture
def mixed_table():
    """A number, a noisy multiple of it, its sign and its band as text, and a constant."""
    random = np.random.default_rng(0)
    number = random.normal(size=300)
    signs = np.where(number > 0, "plus", "minus")
    bands = np.array(["low", "middle", "high"])[np.digitize(number, [-0.5, 0.5])]
    return pd.DataFrame(
        {
            "number": 50 + 10 * number,
            "multiple": 3 * number + random.normal(0, 0.2, 300),
            "sign": signs,
            "band": bands,
            "constant": 7,
        }
    )


MIXED_NAMES = ("IterativeImputer", "KNN", "missForest", "boosting", "logistic regression")


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", MIXED_NAMES)
def test_a_peer_restores_numbers_and_text_far_better_than_means_and_modes(
    mixed_peers, mixed_table, name
):
    hidden = np.random.default_rng(1).random(mixed_table.shape) < 0.1
    incomplete = mixed_table.mask(hidden)
    filled = mixed_peers[name](incomplete, 0)
    by_means = mixed_peers["mean and mode"](incomplete, 0)
    assert filled.where(~hidden).equals(incomplete)
    assert not filled.isna().any(axis=None)
    assert (filled["constant"] == 7).all()
    for column in ("number", "multiple"):
        error = (filled[column] - mixed_table[column]).std()
        baseline = (by_means[column] - mixed_table[column]).std()
        # Logistic regression is one of text columns alone.
        assert error == baseline if name == "logistic regression" else error < 0.6 * baseline
    for column in ("sign", "band"):
        rows = hidden[:, mixed_table.columns.get_loc(column)]
        is_restored = (filled[column] == mixed_table[column])[rows]
        assert is_restored.mean() > (by_means[column] == mixed_table[column])[rows].mean() + 0.2


def test_means_and_modes_are_those_of_observed_cells(mixed_peers):
    table = pd.DataFrame({"number": [1.0, 2.0, None, 6.0], "text": ["b", None, "b", "a"]})
    filled = mixed_peers["mean and mode"](table, 0)
    assert filled["number"].tolist() == [1.0, 2.0, 3.0, 6.0]
    assert filled["text"].tolist() == ["b", "b", "b", "a"]


@pytest.mark.parametrize("name", ["IterativeImputer", "KNN", "missForest", "boosting"])
def test_a_peer_takes_numbers_alone(mixed_peers, mixed_table, name):
    numbers = mixed_table[["number", "multiple"]]
    hidden = np.random.default_rng(1).random(numbers.shape) < 0.1
    filled = mixed_peers[name](numbers.mask(hidden), 0)
    assert (filled - numbers).std().max() < 0.6 * numbers.std().max()


@pytest.fixture
def mixed_runs(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from imputation_figures import mixed_runs

    return mixed_runs


def test_errors_are_scaled_per_column_and_count_hidden_states_alike(mixed_runs):
    truth = pd.DataFrame(
        {"x": [0.0, 2.0, 0.0, 2.0], "y": [0.0, 0.0, 20.0, None], "t": list("abca")}
    )
    filled = truth.assign(x=[1.0, 2.0, 0.0, 2.0], y=[0.0, 0.0, 20.0, 5.0], t=list("abcb"))
    hidden = np.zeros(truth.shape, dtype=bool)
    hidden[0, 0] = hidden[1, 1] = True  # an error of one standard deviation, and none
    hidden[2:, 2] = True
    errors = mixed_runs.errors(truth, hidden, filled)
    assert errors["rmse"] == pytest.approx(0.5)
    assert errors["accuracy"] == pytest.approx(0.5)
    assert errors["n_left"] == 0


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
