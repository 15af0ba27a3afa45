import pytest

import baytree as bt


@pytest.fixture
def written(tmp_path):
    """Write text or bytes to a file of a given name, and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def read_as(written):
    """Read text or bytes as the network in a file of a given name."""
    return lambda name, content: bt.read_network(written(name, content))
