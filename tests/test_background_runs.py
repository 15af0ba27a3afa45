import signal
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
SENDING_CTRL_C = "runtime/test_background.py"


def ignore_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def test_tests_that_send_ctrl_c_pass_where_the_shell_ignores_it():
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS / SENDING_CTRL_C],
        preexec_fn=ignore_ctrl_c,  # as shells do for background jobs
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stdout
