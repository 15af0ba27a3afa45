import gzip
import math
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import baytree as bt
from baytree.exceptions import FileFormatError
from baytree.networks.files import network_files

ENDINGS = [".json", ".bif", ".xml", ".uai", ".net", ".xdsl"]

pytestmark = pytest.mark.filterwarnings("ignore::baytree.exceptions.EscapedLabelWarning")

BOUNDED = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def random_cpt(arity, parent_arities, rng):
    cpt = rng.dirichlet(np.ones(arity), size=math.prod(parent_arities))
    cpt[0] = np.eye(arity)[0]  # zeros and ones
    return cpt.reshape(*parent_arities, arity)


def random_network(names, states, seed):
    """Return a network whose arcs do not follow the order of the variables."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(names))
    parents = {
        int(child): sorted(int(p) for p in order[:rank] if rng.random() < 0.5)
        for rank, child in enumerate(order)
    }
    arities = [len(labels) for labels in states]
    return bt.BayesianNetwork(
        dict(zip(names, states, strict=True)),
        [(names[parent], names[child]) for child, members in parents.items() for parent in members],
        cpts={
            names[child]: random_cpt(arities[child], [arities[p] for p in members], rng)
            for child, members in parents.items()
        },
    )


def assert_same(network, again):
    assert again.variables == network.variables
    assert [type(name) for name in again.variables] == [type(name) for name in network.variables]
    assert set(again.arcs) == set(network.arcs)
    for name in network.variables:
        assert again.states(name) == network.states(name)
        kinds = [[type(state) for state in n.states(name)] for n in (again, network)]
        assert kinds[0] == kinds[1]
        assert (again.cpt(name).to_numpy() == network.cpt(name).to_numpy()).all()


PIECES = st.sampled_from(
    [
        *[
            " ",
            ",",
            '"',
            "'",
            "\\",
            "\n",
            "\r",
            "\t",
            ";",
            "{",
            "}",
            "(",
            ")",
            "|",
            "//",
            "/*",
            "%",
        ],
        *["#", "&amp;", "<b>", "]]>", "table", "default", "_", "-", ".", "0", "a", "é", "\u2028"],
        *["\U0001f600", "\0", "\x1b", "\ufeff", "true", "1e5", "%22", "\\n"],
    ]
)
LABELS = st.one_of(
    st.lists(PIECES, max_size=4).map("".join),
    st.text(max_size=6),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
STATES = st.lists(LABELS, min_size=1, max_size=4, unique_by=lambda s: (isinstance(s, bool), s))


@st.composite
def networks(draw):
    names = draw(st.lists(LABELS, min_size=1, max_size=5, unique=True))
    return random_network(names, [draw(STATES) for _ in names], draw(st.integers(0, 2**32)))


@pytest.mark.parametrize("ending", ENDINGS)
@BOUNDED
@given(network=networks())
def test_networks_of_nasty_labels_read_back_equal(tmp_path, ending, network):
    path = tmp_path / f"network{ending}"
    network.write(path)
    assert_same(network, bt.BayesianNetwork.read(path))


@pytest.fixture(scope="module")
def network():
    states = [["no", "yes"], [0, 1, 2], ["low", "mid <", "high"], [True, False]]
    return random_network(["rain", "sun", "a wind", "wet"], states, seed=5)


@st.composite
def edits(draw):
    """A few cuts: from, to, and the text that takes their place."""
    place = st.floats(0, 1, exclude_max=True)
    pieces = PIECES.map(str.encode) | st.binary(max_size=3) | st.just(b"9" * 30) | st.none()
    return draw(st.lists(st.tuples(place, st.integers(0, 40), pieces), min_size=1, max_size=4))


def edited(data, cuts):
    for place, length, piece in cuts:
        start = int(place * len(data))
        copied = data[start : start + length] * 2  # for None: a part comes twice
        data = data[:start] + (copied if piece is None else piece) + data[start + length :]
    return data


@pytest.mark.parametrize("ending", ENDINGS)
@settings(BOUNDED, max_examples=150)
@given(cuts=edits())
def test_an_edited_file_is_read_or_refused_with_its_name(tmp_path, network, ending, cuts):
    path = tmp_path / f"network{ending}"
    network.write(path)
    path.write_bytes(edited(path.read_bytes(), cuts))
    outcome = network_or_error(path)
    if isinstance(outcome, FileFormatError):
        assert str(outcome).startswith(str(path))
    else:
        cells = [outcome.cpt(name).to_numpy() for name in outcome.variables]
        assert all((cpt >= 0).all() and np.allclose(cpt.sum(axis=1), 1) for cpt in cells)


def network_or_error(path):
    try:
        return bt.BayesianNetwork.read(path)
    except FileFormatError as error:
        return error


@pytest.mark.parametrize("ending", [".xmlbif", ".bifxml", ".XDSL", ".net.gz", ".uai.xz", ".Bif.GZ"])
def test_the_ending_is_the_format(tmp_path, network, ending):
    path = tmp_path / f"my.network{ending}"
    network.write(path)
    assert_same(network, bt.BayesianNetwork.read(path))
    assert_same(network, bt.BayesianNetwork.read(str(path)))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(network_files, "MAX_BYTES", 10_000)
    path = tmp_path / f"network{ending}.gz"
    path.write_bytes(gzip.compress(b" " * 1_000_000))
    with pytest.raises(FileFormatError, match="more than 10,000 bytes of text"):
        bt.BayesianNetwork.read(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_broken_compressed_data_is_refused(tmp_path, network, ending):
    path = tmp_path / f"network{ending}.gz"
    network.write(path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(FileFormatError, match="the compressed data is broken"):
        bt.BayesianNetwork.read(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_would_not_be_read_back_is_not_written(tmp_path, monkeypatch, network, ending):
    monkeypatch.setattr(network_files, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="more than 100 bytes of text, which are not read back"):
        network.write(tmp_path / f"network{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failed_write_leaves_the_old_file_alone(tmp_path, monkeypatch, network, ending):
    path = tmp_path / f"network{ending}"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        network.write(path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.bif"):
        bt.BayesianNetwork.read(tmp_path / "nothing.bif")
