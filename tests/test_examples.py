import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted(Path(__file__).parents[1].glob("examples/*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_without_a_warning(example, tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "error", example],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout


def test_there_are_examples():
    assert EXAMPLES
