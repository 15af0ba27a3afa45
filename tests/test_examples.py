import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted(Path(__file__).parents[1].glob("examples/*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example):
    run = subprocess.run([sys.executable, example], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout
