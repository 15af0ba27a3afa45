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


def check_read(path, network, tolerance):
    """Check that a file holds a network, whatever the order of parents in it."""
    again = bt.BayesianNetwork.read(path)
    assert again.equals(network, tolerance=1e-6)
    for name in network.variables:
        cells = in_our_order(table(again, name), [*again.parents(name), name], network, name)
        assert cells == pytest.approx(table(network, name), abs=tolerance)


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


@pytest.mark.parametrize("ending", ["bif", "net"])
def test_states_that_start_with_digits_are_the_same_in_other_programs(tmp_path, ending):
    states = ["20_MG_L", "2_4SD", "3x", "0x1f", "12abc", "7"]
    parts = {"dose": states, "b": ["p", "q"]}
    cpts = {"dose": np.full(6, 1 / 6), "b": np.full((6, 2), 0.5)}
    network = bt.BayesianNetwork(parts, [("dose", "b")], cpts=cpts)
    path = tmp_path / f"network.{ending}"
    network.write(path)  # without a warning about labels
    assert bt.BayesianNetwork.read(path).states("dose") == tuple(states)
    assert list(gum.loadBN(str(path)).variable("dose").labels()) == states
    model = getattr(readwrite, f"{ending.upper()}Reader")(str(path)).get_model()
    assert list(model.get_cpds("dose").state_names["dose"]) == states


@pytest.mark.parametrize("ending", ["bif", "bifxml", "net"])
def test_we_read_what_pyagrum_writes(tmp_path, network, ending):
    network.write(tmp_path / "ours.bifxml")
    path = tmp_path / f"theirs.{ending}"
    gum.saveBN(gum.loadBN(str(tmp_path / "ours.bifxml")), str(path))
    check_read(path, network, 1e-5)


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
    check_read(path, network, 1e-6)


# The states of "dysp" of the network Asia, as GeNIe orders them: the last parent changes fastest.
GENIE_FILE = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="asia">
  <nodes>
    <cpt id="either"><state id="no" /><state id="yes" /><probabilities>0.9 0.1</probabilities></cpt>
    <cpt id="bronc"><state id="no" /><state id="yes" /><probabilities>0.5 0.5</probabilities></cpt>
    <cpt id="dysp">
      <state id="no" /><state id="yes" /><parents>either bronc</parents>
      <probabilities>0.9 0.1 0.2 0.8 0.3 0.7 0.1 0.9</probabilities>
    </cpt>
  </nodes>
</smile>
"""


def test_the_last_parent_changes_fastest_in_xdsl_as_in_files_of_genie(tmp_path):
    path = tmp_path / "asia.xdsl"
    path.write_text(GENIE_FILE)
    cpt = bt.BayesianNetwork.read(path).cpt("dysp")["yes"]
    # Lauritzen and Spiegelhalter: bronchitis alone 0.8, tuberculosis or cancer alone 0.7.
    assert (cpt["no", "yes"], cpt["yes", "no"]) == (0.8, 0.7)


def test_pyagrum_writes_the_parents_of_uai_the_other_way_round(tmp_path, network):
    """What the user guide says; once it fails, pyAgrum writes UAI as its definition has it."""
    network.write(tmp_path / "ours.bifxml")
    path = tmp_path / "theirs.uai"
    gum.saveBN(gum.loadBN(str(tmp_path / "ours.bifxml")), str(path))
    cells = bt.BayesianNetwork.read(path).cpt("x0").to_numpy().reshape(3, 4, 2)
    assert cells != pytest.approx(table(network, "wet"), abs=1e-6)
    as_meant = cells.transpose(1, 0, 2).reshape(3, 4, 2)  # the numbers as in the file, in our order
    assert as_meant == pytest.approx(table(network, "wet"), abs=1e-5)


@pytest.mark.parametrize("ending", ["xdsl", "uai"])
def test_pyagrum_takes_the_parents_of_xdsl_and_uai_the_other_way_round(tmp_path, network, ending):
    """What the user guide says; once it fails, pyAgrum reads these formats as others do."""
    path = tmp_path / f"network.{ending}"
    network.write(path)
    read = gum.loadBN(str(path))
    names = {name: read.variable(place).name() for place, name in enumerate(network.variables)}
    if ending == "xdsl":
        names = {name: name for name in network.variables}
    cells = read.cpt(names["wet"]).toarray()
    axes = read.cpt(names["wet"]).names[::-1]
    parents = network.parents("wet")
    by_name = cells.transpose([axes.index(names[axis]) for axis in (*parents, "wet")])
    assert by_name != pytest.approx(table(network, "wet"), abs=1e-6)
    other_way_round = by_name.transpose(1, 0, 2).ravel()
    assert other_way_round == pytest.approx(network.cpt("wet").to_numpy().ravel(), abs=1e-6)
