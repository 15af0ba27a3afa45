import subprocess
import sys

SCRIPT = """
import threading, time
import numpy as np
import baytree as bt

table = np.random.default_rng(0).integers(0, 2, (2000, 60))
search = threading.Thread(
    target=bt.score_parent_sets, args=(table,), kwargs={"max_parents": 6}, daemon=True
)
search.start()
time.sleep(1.0)
keep = [{} for _ in range(600_000)]  # makes the interpreter slow to end
"""


def test_an_interpreter_that_ends_during_a_search_ends_well():
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
