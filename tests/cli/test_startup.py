"""Ctrl-C at any time after the interpreter has come up."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import baytree
from baytree.cli.startup import LeavingAtCtrlC
from interrupted_runs import run_and_interrupt

INTERRUPT_AT_IMPORT = """
import os, signal, sys
class Interrupter:
    def find_spec(self, name, *_):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupter())
from baytree.__main__ import main
sys.exit(main())
"""
ANNOUNCE_START = """
import sys
from baytree.__main__ import main
print("ready", flush=True)
sys.exit(main())
"""


@pytest.fixture
def words(tmp_path):
    states = np.random.default_rng(0).integers(0, 2, (2000, 60))
    names = ",".join(f"v{i}" for i in range(60))
    np.savetxt(tmp_path / "t.csv", states, fmt="%d", delimiter=",", header=names, comments="")
    return ["score", str(tmp_path / "t.csv"), "-o", str(tmp_path / "t.jkl"), "--criterion", "aic"]


@pytest.mark.parametrize(
    "module",
    [
        "baytree.cli",
        "baytree.cli.startup",
        "baytree.cli.main",
        "argparse",
        "baytree.cli.score",
        "numpy",
        "numpy._core.multiarray",
        "pandas",
        "pandas._libs.tslibs",
        "joblib",
        "baytree._core",
    ],
)
def test_ctrl_c_while_a_module_is_loaded_ends_with_130(words, module):
    code = INTERRUPT_AT_IMPORT.format(module=module)
    run = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "baytree: interrupted\n")


@pytest.mark.parametrize("delay", [0.01, 0.03, 0.1, 0.2, 0.4])
def test_ctrl_c_soon_after_the_start_ends_with_130(words, delay):
    code, _, errors = run_and_interrupt(ANNOUNCE_START, *words, delay=delay)
    assert code == 130
    assert "Traceback" not in errors
    assert "nterrupted" in errors


LEAVE = """
import atexit, sys
from baytree.cli.startup import leave_at_once
atexit.register(print, "cleaning up")
print("said")
print("noted", file=sys.stderr)
{closing}
leave_at_once(130)
"""


@pytest.mark.parametrize("closing", ["", "sys.stdout.close()", "sys.stdout = None"])
def test_leaving_at_once_says_what_was_to_be_said_and_no_more(closing):
    run = subprocess.run(
        [sys.executable, "-c", LEAVE.format(closing=closing)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (130, "said\n", "noted\n")


AT_EXIT_OF_AN_INTERRUPTED_COMMAND = """
import atexit, sys
import baytree.cli.main
from baytree.__main__ import main
atexit.register(print, "cleaning up")
baytree.cli.main.main = lambda: {code}
sys.exit(main())
"""


@pytest.mark.parametrize(("code", "out"), [(130, ""), (1, "cleaning up\n"), (0, "cleaning up\n")])
def test_only_an_interrupted_command_leaves_without_cleaning_up(code, out):
    text = AT_EXIT_OF_AN_INTERRUPTED_COMMAND.format(code=code)
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (code, out, "")


# The finder of an editable installation loads modules of its own. Those of Python are classes.
NAMES_OF_LOADED = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if isinstance(finder, type)]
sys.path.insert(0, {folder!r})
before = set(sys.modules)
from baytree.__main__ import main
from baytree.cli.startup import LeavingAtCtrlC
print(*sorted(set(sys.modules) - before))
"""


def test_nothing_else_is_loaded_before_ctrl_c_is_taken_care_of():
    code = NAMES_OF_LOADED.format(folder=str(Path(baytree.__file__).parents[1]))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    own = ["baytree", "baytree.__main__", "baytree.cli", "baytree.cli.startup"]
    assert run.stdout.split() == own


INTERRUPT_WHERE_EXCEPTIONS_ARE_DROPPED = """
import os, signal
from baytree.cli.startup import LeavingAtCtrlC
class Module:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
with LeavingAtCtrlC():
    Module()
"""


def test_ctrl_c_where_python_would_drop_it_with_a_traceback_ends_with_130():
    code = INTERRUPT_WHERE_EXCEPTIONS_ARE_DROPPED
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "baytree: interrupted\n")


def test_ctrl_c_means_what_it_did_once_modules_are_loaded():
    with LeavingAtCtrlC():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_process_that_ignores_ctrl_c_goes_on_ignoring_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with LeavingAtCtrlC():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_the_handler_alone():
    handlers = []

    def load():
        with LeavingAtCtrlC():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]
