import importlib.util
import io
import logging
import re
import sys
import time
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
    assert search_text(float("nan"), 0, 3, 1000) == "no network yet, 3 of at most 1,000 iterations"


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


def test_finished_work_is_not_reported(monkeypatch):
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
    assert "k-max: no network yet, 7 of at most 10 iterations" in screen.getvalue()
    assert "8 of 10" not in screen.getvalue()


def test_a_bar_is_drawn_on_a_terminal(monkeypatch):
    screen = terminal(monkeypatch)
    with progress_bar("Scoring", "variables", shown=True) as show:
        show(3, 4)
    assert "3 of 4 variables" in screen.getvalue()


@pytest.mark.parametrize("screen", [Terminal(), io.StringIO()])
def test_nothing_is_shown_unless_wanted(screen, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen)
    with search_line("k-max", 0.0, shown=False) as line:
        assert line.listener is None
    with progress_bar("Scoring", "variables", shown=False) as show:
        assert show is None
    assert screen.getvalue() == ""


@pytest.fixture
def clock(monkeypatch):
    """A clock of progress that the test sets."""
    clock = SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr(_progress, "time", clock)

    def move_to(seconds):
        clock.monotonic = lambda: seconds

    return move_to


def log_file(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    return file


def test_a_log_file_gets_a_line_every_few_seconds(clock, monkeypatch):
    file, control = log_file(monkeypatch), _core.RunControl()
    with one_clock(), part_of("network 1 of 2", 100.0):
        with search_line("k-max", 50.0, shown=True) as line, line.watching(control):
            for seconds in (0.1, 4.9, 5.1, 5.2, 9.9, 10.2):
                clock(seconds)
                line.listener(7, 10)
        with progress_bar("Scoring", "variables", shown=True) as show:
            show(3, 4)
            clock(16.0)
            show(4, 4)
    best = "k-max: no network yet, 7 of at most 10 iterations"
    assert file.getvalue().splitlines() == [
        f"baytree: 5 s, 95 s left, network 1 of 2, {best}",
        f"baytree: 10 s, 90 s left, network 1 of 2, {best}",
        "baytree: 16 s, 84 s left, network 1 of 2, Scoring: 4 of 4 variables",
    ]


def test_many_short_parts_are_logged_too(clock, monkeypatch):
    file = log_file(monkeypatch)
    with one_clock():
        for seconds in range(12):
            clock(float(seconds))
            with search_line(f"part {seconds}", float("inf"), shown=True):
                pass
    assert file.getvalue() == "baytree: 5 s, part 5\nbaytree: 10 s, part 10\n"


def test_a_long_call_is_logged_ever_more_seldom(clock, monkeypatch):
    file = log_file(monkeypatch)
    with progress_bar("Scoring", "variables", shown=True) as show:
        for seconds in range(0, 36_000, 5):
            clock(float(seconds))
            show(seconds, 36_000)
    assert 50 < len(file.getvalue().splitlines()) < 100


def test_lines_go_to_the_logger_where_it_is_set_up(clock, monkeypatch, caplog):
    file = log_file(monkeypatch)
    caplog.set_level(logging.INFO, logger="baytree")
    with progress_bar("Scoring", "variables", shown=True) as show:
        clock(6.0)
        show(3, 4)
    assert caplog.messages == ["6 s, Scoring: 3 of 4 variables"]
    assert file.getvalue() == ""


def notebook(monkeypatch, *, has_widgets):
    """Let rich take this process for a notebook; return what it displays."""
    shown = []

    class Output:
        def __enter__(self):
            return self

        def __exit__(self, *raised):
            pass

        def clear_output(self, wait):
            pass

        def close(self):
            pass

    displays = SimpleNamespace(display=shown.append)
    modules = {"IPython": SimpleNamespace(display=displays), "IPython.display": displays}
    modules |= {"ipykernel": SimpleNamespace(), "ipywidgets": SimpleNamespace(Output=Output)}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    found = SimpleNamespace() if has_widgets else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    return shown


def test_a_notebook_shows_progress(monkeypatch):
    file, shown = log_file(monkeypatch), notebook(monkeypatch, has_widgets=True)
    control = _core.RunControl()

    def texts():
        return [each.text for each in shown if hasattr(each, "text")]

    with search_line("k-max", float("inf"), shown=True) as line, line.watching(control):
        line.listener(7, 10)
        for _ in range(1000):  # a thread of rich shows it
            if any("k-max: no network yet, 7 of at most 10 iterations" in text for text in texts()):
                break
            time.sleep(0.01)
        else:
            pytest.fail(f"only {texts()} was shown")
    assert file.getvalue() == ""


def test_a_notebook_without_widgets_has_log_lines(clock, monkeypatch):
    file, shown = log_file(monkeypatch), notebook(monkeypatch, has_widgets=False)
    with progress_bar("Scoring", "variables", shown=True) as show:
        clock(6.0)
        show(3, 4)
    assert file.getvalue() == "baytree: 6 s, Scoring: 3 of 4 variables\n"
    assert not shown


def test_learning_is_logged(monkeypatch):
    file = log_file(monkeypatch)
    monkeypatch.setattr(_progress, "MIN_SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr(_progress, "MAX_FRACTION_BETWEEN_LINES", 0.0)
    bt.NetworkLearner(search="hill-climb", verbose=1).fit(np.eye(4, dtype=int))
    assert "hill-climb" in file.getvalue()
