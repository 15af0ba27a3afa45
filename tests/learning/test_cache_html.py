import pandas as pd

import baytree as bt
from html_pages import Page

EVIL = "<script>alert('x')</script>&amp;\""


def test_html_says_the_summary_and_the_best_set_of_each_variable():
    table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    cache = bt.score_parent_sets(table, max_parents=1)
    page = Page(cache._repr_html_())
    assert page.texts[0] == "ParentSetCache"
    assert page.texts[2].startswith("4 parent sets of 2 variables, up to 1 parent; sum of best")
    best = f"{cache['wet'].scores[0]:,.3f}"
    assert page.texts[-4:] == ["wet", "2", best, "rain"]


def test_names_cannot_become_tags():
    table = pd.DataFrame({EVIL: [0, 0, 1, 1] * 10, "wet": [0, 0, 1, 1] * 10})
    page = Page(bt.score_parent_sets(table, max_parents=1)._repr_html_())
    assert "script" not in page.tags
    assert page.texts.count(EVIL) == 2


def test_html_of_a_large_cache_is_small():
    names = [f"{'long name ' * 20}{i}" for i in range(300)]
    table = pd.DataFrame([range(300), range(1, 301)] * 4, columns=names) % 2
    html = bt.score_parent_sets(table, max_parents=1)._repr_html_()
    assert len(html) < 30_000
    assert "and 250 more" in html
