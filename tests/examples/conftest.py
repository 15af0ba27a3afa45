import contextlib
import io
from dataclasses import dataclass
from pathlib import Path

import pytest

import demo
from findings import Findings

N_IMAGES = 110


@dataclass(frozen=True)
class DemoRun:
    folder: Path
    lines: list[str]
    notes: str
    findings: Findings

    @property
    def page(self):
        return (self.folder / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory):
    """One run of the demo on few images, with its findings."""
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    found = []

    def kept(*places, **options):
        found.append(run_demo(*places, **options))
        return found[-1]

    run_demo = demo.run_demo
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "run_demo", kept)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            demo.main(["-o", str(folder), "--n-images", str(N_IMAGES)])
    return DemoRun(folder, out.getvalue().splitlines(), err.getvalue(), *found)


@pytest.fixture(scope="session")
def findings(demo_run):
    return demo_run.findings
