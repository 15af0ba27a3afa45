"""Files that other programs read, and files that they write."""

import numpy as np
import pyagrum as gum
import pytest
from pgmpy import readwrite

import baytree as bt

STATES = {
    "wet": ["no", "yes"],
    "sun": ["low", "mid", "high"],
    "rain": ["none", "some", "much", "flood"],
    "_x9": ["T", "F"],
}
PARENTS = {"wet": ("sun", "rain"), "sun": (), "rain": ("_x9",), "_x9": ()}


@pytest.fixture
def network():
    rng = np.random.default_rng(3)
    cpts = {}
    for name, parents in PARENTS.items():
        shape = [len(STATES[parent]) for parent in parents]
        cpts[name] = rng.dirichlet(np.ones(len(STATES[name])), size=shape or (1,))
    arcs = [(parent, name) for name, parents in PARENTS.items() for parent in parents]
    return bt.BayesianNetwork(STATES, arcs, cpts=cpts)


def table(network, name):
    """Return the table of a variable with an axis for each of its parents, in our order."""
    shape = [len(STATES[parent]) for parent in network.parents(name)]
    return network.cpt(name).to_numpy().reshape(*shape, len(STATES[name]))


def in_our_order(cells, axes, network, name):
    wanted = [*network.parents(name), name]
    assert sorted(axes) == sorted(wanted)
    return np.asarray(cells).transpose([axes.index(axis) for axis in wanted])


@pytest.mark.parametrize("ending", ["bif", "bifxml", "net"])
def test_pyagrum_reads_what_we_write(tmp_path, network, ending):
    path = tmp_path / f"network.{ending}"
    network.write(path)
    read = gum.loadBN(str(path))
    for name in network.variables:
        assert read.variable(name).labels() == network.states(name)
        cells = in_our_order(read.cpt(name).toarray(), read.cpt(name).names[::-1], network, name)
        # pyAgrum reads some formats in single precision.
        assert cells == pytest.approx(table(network, name), abs=1e-6)


@pytest.mark.parametrize("ending", ["bif", "bifxml", "net"])
def test_we_read_what_pyagrum_writes(tmp_path, network, ending):
    network.write(tmp_path / "ours.bifxml")
    path = tmp_path / f"theirs.{ending}"
    gum.saveBN(gum.loadBN(str(tmp_path / "ours.bifxml")), str(path))
    again = bt.read_network(path)
    assert again.equals(network, tolerance=1e-6)
    for name in network.variables:
        cells = (
            again.cpt(name)
            .to_numpy()
            .reshape(*(len(STATES[parent]) for parent in again.parents(name)), -1)
        )
        cells = in_our_order(cells, [*again.parents(name), name], network, name)
        assert cells == pytest.approx(table(network, name), abs=1e-5)


@pytest.mark.parametrize("ending", ["bif", "xml", "net", "xdsl"])
@pytest.mark.filterwarnings("ignore")
def test_pgmpy_reads_what_we_write(tmp_path, network, ending):
    reader = {"bif": "BIF", "xml": "XMLBIF", "net": "NET", "xdsl": "XDSL"}[ending]
    path = tmp_path / f"network.{ending}"
    network.write(path)
    read = getattr(readwrite, f"{reader}Reader")(str(path)).get_model()
    for name in network.variables:
        cpd = read.get_cpds(name)
        assert tuple(cpd.state_names[name]) == network.states(name)
        cells = in_our_order(cpd.values, list(cpd.variables), network, name)
        assert cells == pytest.approx(table(network, name), abs=1e-12)


@pytest.mark.parametrize("ending", ["bif", "xml", "net", "xdsl"])
@pytest.mark.filterwarnings("ignore")
def test_we_read_what_pgmpy_writes(tmp_path, network, ending):
    network.write(tmp_path / "ours.bif")
    model = readwrite.BIFReader(str(tmp_path / "ours.bif")).get_model()
    writer = {"bif": "BIF", "xml": "XMLBIF", "net": "NET", "xdsl": "XDSL"}[ending]
    path = tmp_path / f"theirs.{ending}"
    getattr(readwrite, f"{writer}Writer")(model).write(str(path))
    again = bt.read_network(path)
    assert again.equals(network, tolerance=1e-6)
    for name in network.variables:
        cells = (
            again.cpt(name)
            .to_numpy()
            .reshape(*(len(STATES[parent]) for parent in again.parents(name)), -1)
        )
        cells = in_our_order(cells, [*again.parents(name), name], network, name)
        assert cells == pytest.approx(table(network, name), abs=1e-6)
