import io
import sys
import time

import pytest

from baytree import _core
from baytree._progress import SearchLine, progress_bar, search_line


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


def test_the_line_tells_score_width_iterations_and_time_left():
    line = SearchLine(time.monotonic() + 41.9)
    assert (
        line.text(-1234.567, 5, 1500, 0) == "best -1,234.57, width 5, 1,500 iterations, 42 s left"
    )


def test_the_line_tells_the_total_where_it_is_known():
    line = SearchLine(float("inf"))
    assert line.text(float("nan"), 0, 3, 1000) == "no network yet, 3 of 1,000 iterations"


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
