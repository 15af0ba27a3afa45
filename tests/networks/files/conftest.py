import pytest

import baytree as bt


@pytest.fixture
def read_as(written):
    """Read text or bytes as the network in a file of a given name."""
    return lambda name, content: bt.BayesianNetwork.read(written(name, content))
