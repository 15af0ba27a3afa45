import contextlib
import io
from dataclasses import dataclass
from pathlib import Path

import pytest

from baytree.cli.main import main
from baytree.digits_demo import demo
from baytree.digits_demo.findings import Findings

N_IMAGES = 110


@dataclass(frozen=True)
class DemoRun:
    folder: Path
    code: int
    lines: list[str]
    notes: str
    findings: Findings

    @property
    def page(self):
        return (self.folder / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory):
    """One run of the command on few images, with what it found."""
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    found = []

    def kept(*places, **options):
        found.append(run_demo(*places, **options))
        return found[-1]

    run_demo = demo.run_demo
    out, err = io.StringIO(), io.StringIO()
    words = ["demo", "-o", str(folder), "--images", str(N_IMAGES)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "run_demo", kept)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    return DemoRun(folder, code, out.getvalue().splitlines(), err.getvalue(), *found)


@pytest.fixture(scope="session")
def findings(demo_run):
    return demo_run.findings
