import pytest

import baytree as bt

# Names that would do harm if a page took them for HTML, an address or code.
HOSTILE_NAMES = [
    "<img src=x onerror=document.title='hacked'>",
    "</script><script>document.title='hacked'</script>",
    "a&e=b:c#\"'`",
    "\u202eevil\u202c \ud800",
]


@pytest.fixture(scope="session")
def sprinkler_network():
    return bt.BayesianNetwork(
        {"rain": ["no", "yes"], "sprinkler": [0, 1], "grass": ["dry", "damp", "wet"]},
        [("rain", "sprinkler"), ("rain", "grass"), ("sprinkler", "grass")],
        cpts={
            "rain": [0.8, 0.2],
            "sprinkler": [[0.6, 0.4], [0.99, 0.01]],
            "grass": [[[1.0, 0, 0], [0.1, 0.3, 0.6]], [[0.1, 0.4, 0.5], [0.01, 0.09, 0.9]]],
        },
    )


@pytest.fixture(scope="session")
def hostile_network():
    states = {name: ["<b>no</b>", "yes&amp;"] for name in HOSTILE_NAMES}
    arcs = [(HOSTILE_NAMES[0], name) for name in HOSTILE_NAMES[1:]]
    cpts = {name: [[0.9, 0.1], [0.3, 0.7]] for name in HOSTILE_NAMES[1:]}
    return bt.BayesianNetwork(states, arcs, cpts={HOSTILE_NAMES[0]: [0.4, 0.6], **cpts})


@pytest.fixture(scope="session")
def year(sprinkler_network):
    """A mixture of the network and, with the larger weight, one without arcs."""
    states = {name: sprinkler_network.states(name) for name in sprinkler_network.variables}
    cpts = {"rain": [0.1, 0.9], "sprinkler": [0.95, 0.05], "grass": [0.2, 0.3, 0.5]}
    apart = bt.BayesianNetwork(states, cpts=cpts)
    return bt.NetworkMixture([sprinkler_network, apart], [0.4, 0.6])
