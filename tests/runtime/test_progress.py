import io
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import baytree as bt
from baytree import _core
from baytree.runtime import progress as _progress
from baytree.runtime.progress import (
    TimeLeft,
    one_clock,
    part_of,
    progress_bar,
    search_line,
    search_text,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch):
    """Let standard error be a terminal; not a fixture, since pytest sets it anew after those."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return screen


def test_a_search_tells_score_width_and_iterations():
    assert search_text(-1234.567, 5, 1500, 0) == "best -1,234.57, width 5, 1,500 iterations"


def test_a_search_tells_the_total_where_it_is_known():
    assert search_text(float("nan"), 0, 3, 1000) == "no network yet, 3 of 1,000 iterations"


@pytest.fixture
def noon(monkeypatch):
    """A time at which the clock of progress stands still, so that a slow machine does not show."""
    monkeypatch.setattr(_progress, "time", SimpleNamespace(monotonic=lambda: 43_200.0))
    return 43_200.0


@pytest.mark.parametrize(("seconds", "text"), [(41.9, "42 s left, "), (-1, "0 s left, ")])
def test_the_time_left_is_that_to_the_deadline(noon, seconds, text):
    assert str(TimeLeft(noon + seconds)) == text


def test_without_a_deadline_there_is_no_time_left():
    assert str(TimeLeft(float("inf"))) == ""


def test_a_part_of_work_says_so_and_tells_the_time_left_for_all_of_it(noon, monkeypatch):
    screen = terminal(monkeypatch)
    with part_of("network 2 of 3"), part_of("EM iteration 4", noon + 1000):
        with search_line("anneal", noon + 10, shown=True):
            pass
        with progress_bar("Scoring", "variables", shown=True):
            pass
    assert "1000 s left, network 2 of 3, EM iteration 4, anneal" in screen.getvalue()
    assert "network 2 of 3, EM iteration 4, Scoring" in screen.getvalue()


def test_the_deadline_of_the_user_comes_first(noon, monkeypatch):
    screen = terminal(monkeypatch)
    with (
        part_of("all", noon + 1000),
        part_of("some", noon + 100),
        search_line("anneal", noon + 10, shown=True),
    ):
        pass
    assert "1000 s left, all, some, anneal" in screen.getvalue()


def test_the_clocks_of_all_lines_go_on_from_the_start_of_the_work(monkeypatch):
    screen, clock = terminal(monkeypatch), SimpleNamespace(monotonic=lambda: 1000.0)
    monkeypatch.setattr(_progress, "time", clock)
    with one_clock():
        clock.monotonic = lambda: 1100.0
        with one_clock(), part_of("network 1 of 2"):
            with search_line("anneal", float("inf"), shown=True):
                pass
            with progress_bar("Scoring", "variables", shown=True):
                pass
    with search_line("later", float("inf"), shown=True):
        pass
    lines = screen.getvalue().replace("\r", "\n").splitlines()
    assert all("0:01:40" in line for line in lines if "anneal" in line or "Scoring" in line)
    assert all("0:00:00" in line for line in lines if "later" in line)
    for word in ("anneal", "Scoring", "later"):
        assert word in screen.getvalue()


def test_a_narrow_terminal_shows_the_whole_clock(monkeypatch):
    screen = terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "50")
    with part_of("network 10 of 40"), part_of("EM iteration 12, 1,250 cells changed"):
        with search_line("anneal", float("inf"), shown=True):
            pass
        with progress_bar("Scoring", "variables", shown=True):
            pass
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue()).replace("\r", "\n").split("\n")
    shown = [line for line in lines if line.strip()]
    assert shown
    assert all("0:00:0" in line for line in shown)
    assert all(len(line) <= 50 for line in shown)


def test_work_that_is_over_is_not_told(monkeypatch):
    screen = terminal(monkeypatch)
    with part_of("EM iteration 4"):
        pass
    with search_line("anneal", float("inf"), shown=True):
        pass
    assert "anneal" in screen.getvalue()
    assert "EM iteration" not in screen.getvalue()


def test_structural_em_tells_its_iterations_and_the_cells_that_changed(monkeypatch):
    table = np.random.default_rng(0).integers(0, 2, (60, 4)).astype(float)
    table[::5, 0] = np.nan
    screen = terminal(monkeypatch)
    imputer = bt.BayesianNetworkImputer(n_networks=2, random_state=0, time_limit=3000, verbose=1)
    imputer.fit(table)
    shown = screen.getvalue()
    assert re.search(r"(3000|299\d) s left, network 1 of 2, EM iteration 1, filling", shown)
    assert re.search(r"network 1 of 2, EM iteration 1, \d+ cells changed, hill-climb", shown)
    assert "network 2 of 2, hill-climb" in shown
    assert "network 2 of 2, probabilities" in shown


def test_the_line_is_drawn_on_a_terminal_and_lets_go_of_the_call(monkeypatch):
    screen, control = terminal(monkeypatch), _core.RunControl()
    with search_line("k-max", float("inf"), shown=True) as line:
        with line.watching(control):
            line.listener(7, 10)
        line.listener(8, 10)
    assert "k-max: no network yet, 7 of 10 iterations" in screen.getvalue()
    assert "8 of 10" not in screen.getvalue()


def test_a_bar_is_drawn_on_a_terminal(monkeypatch):
    screen = terminal(monkeypatch)
    with progress_bar("Scoring", "variables", shown=True) as show:
        show(3, 4)
    assert "3 of 4 variables" in screen.getvalue()


@pytest.mark.parametrize("is_terminal", [False, True])
def test_nothing_is_drawn_elsewhere_or_unless_asked_for(is_terminal, monkeypatch):
    screen = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    with search_line("k-max", 0.0, shown=not is_terminal) as line:
        assert line.listener is None
    with progress_bar("Scoring", "variables", shown=not is_terminal) as show:
        assert show is None
    assert screen.getvalue() == ""
