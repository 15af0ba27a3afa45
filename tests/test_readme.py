"""The pages tell the truth: their Python runs, their commands work, their links lead somewhere."""

import doctest
import re
import shlex
import warnings
from pathlib import Path

import pytest
from matplotlib import pyplot

from baytree.cli.main import main

ROOT = Path(__file__).parents[1]
DOCS = sorted(page for page in ROOT.glob("docs/**/*.md") if "generated" not in page.parts)
RUN_PAGES = [ROOT / "README.md", *DOCS]
ALL_PAGES = [*ROOT.glob("*.md"), *DOCS, *ROOT.glob("benchmarks/**/*.md")]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def page_id(path):
    return str(path.relative_to(ROOT))


def run_python(code, names, where):
    """Run a block: as a session whose output must agree if it has prompts, else as a script."""
    if ">>> " not in code:
        exec(compile(code, where, "exec"), names)
        return
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    session = doctest.DocTestParser().get_doctest(code, names, where, where, 0)
    report = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    runner.run(session, out=report.append, clear_globs=False)
    assert not runner.summarize(verbose=False).failed, "".join(report)
    names.update(session.globs)


def run_shell(code):
    for line in code.replace("\\\n", " ").splitlines():
        if line.startswith("baytree "):
            assert main(shlex.split(line, comments=True)[1:]) == 0, line


@pytest.fixture
def no_windows(monkeypatch):
    """Draw pictures into memory, and leave no figure behind."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    yield
    pyplot.close("all")


@pytest.mark.usefixtures("no_windows")
@pytest.mark.parametrize("page", RUN_PAGES, ids=page_id)
def test_code_of_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number, (language, code) in enumerate(FENCE.findall(page.read_text())):
            if language == "python":
                run_python(code, names, f"{page.name}, block {number}")
            elif language == "sh":
                run_shell(code)


def anchors(page):
    """Return the anchors of a page as GitHub makes them."""
    titles = HEADING.findall(FENCE.sub("", page.read_text()))
    return {"#" + re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", ALL_PAGES, ids=page_id)
def test_links_lead_to_files_and_headings(page):
    for target, anchor in LINK.findall(page.read_text()):
        file = page.parent / target if target else page
        assert file.exists(), f"{target} is not there"
        assert not anchor or anchor in anchors(file), f"{target}{anchor} is not there"


def rows_of_figures(page):
    """Return the rows of a page that end with a link to measured figures."""
    rows = re.findall(
        r"^\| (.*?) \| (.*?) \| (.*?) \|.* \[[^]]+\]\((\S*measured/\w+\.md)[^)]*\) \|$",
        (ROOT / page).read_text(),
        re.MULTILINE,
    )
    return [pytest.param(page, *row, id=f"{page}: {row[0]}") for row in rows]


CLAIMS = rows_of_figures("README.md") + rows_of_figures("docs/benchmarks.md")


@pytest.mark.parametrize(("page", "claim", "ours", "theirs", "measured_page"), CLAIMS)
def test_claimed_figures_are_those_of_the_benchmarks(page, claim, ours, theirs, measured_page):
    measured = ((ROOT / page).parent / measured_page).read_text()
    for figure in re.findall(r"-?\d[\d,]*\.?\d*", f"{ours};{theirs}"):
        assert figure in measured, f"{measured_page} has no {figure}; bring {page} up to date"


@pytest.mark.parametrize("page", ["README.md", "docs/benchmarks.md"])
def test_page_has_rows_of_figures(page):
    assert len(rows_of_figures(page)) >= 7
