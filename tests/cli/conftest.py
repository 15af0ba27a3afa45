import pytest

import baytree as bt


@pytest.fixture
def network():
    return bt.BayesianNetwork(
        {"rain": ["no", "yes"], "sprinkler": [0, 1], "wet=grass": ["dry", "a=b", "w,et:"]},
        [("rain", "wet=grass"), ("sprinkler", "wet=grass"), ("rain", "sprinkler")],
        cpts={
            "rain": [0.8, 0.2],
            "sprinkler": [[0.6, 0.4], [0.99, 0.01]],
            "wet=grass": [
                [[0.9, 0.06, 0.04], [0.2, 0.3, 0.5]],
                [[0.2, 0.2, 0.6], [0.0, 0.01, 0.99]],
            ],
        },
    )


@pytest.fixture
def model(network, tmp_path):
    path = tmp_path / "model.json"
    network.write(path)
    return path
