"""The site is whole: no warning, every name and command, nothing from the internet."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot

import baytree
import site_pages
from baytree import exceptions
from draw_pictures import IMAGES, PICTURES, PLOTS

ROOT = Path(__file__).parents[1]
CLI = ROOT / "src" / "baytree" / "cli"
LOADED = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=\"(?:https?:)?//[^>]*>"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    build = subprocess.run(
        [*command, ROOT / "docs", folder / "html", "-d", folder / "doctrees"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (build.returncode, build.stderr) == (0, "")
    return folder / "html"


@pytest.mark.parametrize("module", site_pages.api_sections())
def test_reference_has_the_docstring_of_every_listed_name(site, module):
    page = (site / "generated" / "api" / f"{module}.html").read_text(encoding="utf-8")
    for name in site_pages.api_sections()[module][1]:
        assert f'id="{site_pages.public_path(module, name)}"' in page, name


def test_list_of_names_links_to_the_reference(site):
    page = (site / "api" / "index.html").read_text(encoding="utf-8")
    for name in set(baytree.__all__) - {"__version__"}:
        assert f'.html#baytree.{name}"' in page, name
    assert f'.html#baytree.exceptions.{exceptions.BaytreeError.__name__}"' in page


def test_attributes_are_not_called_variables(site):
    path = site / "generated" / "api" / "baytree.networks.network.html"
    page = path.read_text(encoding="utf-8")
    headings = re.findall(r"<dt class=\"field-\w+\">([^<]*)<", page)
    assert "Attributes" in headings
    assert "Variables" not in headings


def test_methods_of_public_classes_are_in_the_reference_but_not_those_of_scikit_learn(site):
    path = site / "generated" / "api" / "baytree.imputation.imputer.html"
    page = path.read_text(encoding="utf-8")
    assert 'id="baytree.BayesianNetworkImputer.cell_probabilities"' in page
    assert 'id="baytree.BayesianNetworkImputer.write"' in page  # of a base class of ours
    assert "get_metadata_routing" not in page


def test_every_command_has_its_help_in_the_reference(site):
    page = (site / "generated" / "commands.html").read_text(encoding="utf-8")
    modules = {path.stem for path in CLI.glob("*.py") if "def add_parser" in path.read_text()}
    assert modules <= set(site_pages.commands())
    for command in site_pages.commands():
        assert f"usage: baytree {command}" in page


def test_every_page_of_the_guide_is_in_its_index():
    pages = {page.stem for page in (ROOT / "docs" / "user_guide").glob("*.md")} - {"index"}
    assert set(site_pages.guide_pages()) == pages


def test_no_page_loads_anything_from_elsewhere(site):
    for page in site.rglob("*.html"):
        assert not LOADED.findall(page.read_text(encoding="utf-8")), page.name


def test_keys_of_papers_keep_their_brackets(site):
    page = (site / "how_it_works.html").read_text(encoding="utf-8")
    keys = re.findall(r'href="references\.html"[^>]*><span[^>]*>([^<]*)</span>', page)
    assert "[k-max]" in keys
    assert "k-max" not in keys


def test_links_out_of_docs_lead_to_pages_of_the_site():
    text = "[a](../../CONTRIBUTING.md#set-up), [b](tables.md), [c](#here), [d](https://x.org/y.md)"
    assert site_pages.with_site_links(text, "docs/user_guide/rows.md") == (
        "[a](/generated/contributing.md#set-up), [b](/user_guide/tables.md), [c](#here), "
        "[d](https://x.org/y.md)"
    )


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_those_that_the_script_draws(name):
    assert (IMAGES / name).read_text(encoding="utf-8") == PICTURES[name]().svg()


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("network.png", {"diagnosis", "area", "concavity", "fractal dimension"}),
        ("patients.png", {"progression", "body mass", "triglycerides", "age"}),
    ],
)
def test_plotted_networks_show_variables_by_name(name, variables, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    ax = PLOTS[name]()
    shown = {text.get_text().replace("\n", " ") for text in ax.texts}
    pyplot.close(ax.figure)
    assert variables <= shown
    assert (IMAGES / name).stat().st_size < 150_000
