import pytest

import baytree as bt
from html_pages import Page


@pytest.fixture
def network():
    cpts = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.3, 0.7]]}
    states = {"rain": ["no", "yes"], "wet": [0, 1]}
    return bt.BayesianNetwork(states, [("rain", "wet")], cpts=cpts, score=-12.5)


def test_html_says_the_sizes_and_lists_the_variables(network):
    page = Page(network._repr_html_())
    sizes = "2 variables, 1 arc, treewidth 1, 3 parameters, score -12.500"
    assert page.texts[:3] == ["BayesianNetwork", " ", sizes]
    assert page.texts[-5:] == ["rain", "no, yes", "wet", "0, 1", "rain"]


def test_html_leaves_out_states_that_are_not_known():
    page = Page(bt.BayesianNetwork(["a", "b"], [("a", "b")])._repr_html_())
    assert page.texts[-5:] == ["variable", "parents", "a", "b", "a"]


def test_names_and_states_cannot_become_tags():
    evil = "<script>alert('x')</script>&amp;\""
    html = bt.BayesianNetwork({evil: [evil, "no"]})._repr_html_()
    page = Page(html)
    assert "script" not in page.tags
    assert evil in page.texts
    assert f"{evil}, no" in page.texts


def test_html_of_a_large_network_is_small():
    names = [f"{'long name ' * 20}{i}" for i in range(2000)]
    html = bt.BayesianNetwork({name: range(300) for name in names})._repr_html_()
    assert len(html) < 30_000
    assert "and 1,950 more" in html
    assert "and 292 more" in html


def test_html_needs_nothing_from_elsewhere(network):
    html = network._repr_html_()
    assert not any(word in html for word in ("http", "src=", "<script", "<style", "#000", "#fff"))
