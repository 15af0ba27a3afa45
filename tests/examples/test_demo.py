"""The demo as a whole: its page, its pictures and its lines, on few images."""

import base64
import io
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

import demo
from digit_networks import EVIDENCE, TARGET
from findings import accuracy
from page import CODE

PICTURES = ["digits.png", "network.png", "overview.png", "score.png"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WAIT_MS = 120_000


class Addresses(HTMLParser):
    """Collects what a page would load or lead to, and its tags."""

    def __init__(self, page):
        super().__init__()
        self.found, self.tags = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        loading = ("src", "srcset", "href", "data", "action", "poster")
        self.found += [value for name, value in attributes if name in loading]


def recounted(findings):
    """Return the shares of hidden pixels that are right, from the images and plain loops."""
    ink = load_digits().data[: len(findings.digits.truth)]
    hidden = np.random.default_rng(0).random(ink.shape) < 0.15  # as ampute promises
    n_right, n_pixels = {"scattered": 0, "quarters": 0}, {"scattered": 0, "quarters": 0}
    for row, pixel in np.ndindex(ink.shape):
        in_quarter = findings.digits.is_in_quarter[row, pixel]
        if hidden[row, pixel] or in_quarter:
            kind = "quarters" if in_quarter else "scattered"
            shade = sum(ink[row, pixel] >= first for first in (1, 6, 11))
            n_pixels[kind] += 1
            n_right[kind] += findings.codes[row, pixel] == shade
    overall = sum(n_right.values()) / sum(n_pixels.values())
    return [overall, *(n_right[kind] / n_pixels[kind] for kind in n_right)]


def cells_of_row(page, first):
    """Return the text of a row of a table that begins with certain words."""
    (row,) = re.findall(rf"<tr[^>]*><td>{re.escape(first)}</td>(.*?)</tr>", page)
    return [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td[^>]*>(.*?)</td>", row)]


def test_the_demo_ends_well_and_names_the_page(demo_run):
    assert demo_run.notes == ""
    assert demo_run.lines[-1] == f"page:      {demo_run.folder / 'index.html'}"
    assert {path.name for path in demo_run.folder.iterdir()} == {"index.html", *PICTURES}


def test_about_ten_lines_tell_it_all(demo_run):
    assert 10 <= len(demo_run.lines) <= 14
    text = "\n".join(demo_run.lines)
    told = "hidden restored mode KNN baytree certainty network score cost query time page"
    assert all(word in text for word in told.split())
    assert max(map(len, demo_run.lines[:-1])) <= 130
    assert "nan" not in text


def test_accuracy_on_page_and_terminal_equals_a_recount(demo_run):
    expected = [f"{share:.1%}" for share in recounted(demo_run.findings)]
    assert cells_of_row(demo_run.page, "baytree, 8 averaged")[1:] == expected
    (line,) = (line for line in demo_run.lines if line.startswith("  baytree, 8"))
    assert line.split()[-3:] == expected
    assert f"<strong>{expected[0]}</strong>" in demo_run.page


def test_every_method_is_on_page_and_terminal_alike(demo_run):
    for name, shown in demo_run.findings.accuracies.items():
        shares = [f"{share:.1%}" for share in vars(shown).values()]
        assert cells_of_row(demo_run.page, name)[1:] == shares
        (line,) = (line for line in demo_run.lines if line.startswith(f"  {name} "))
        assert line.split()[-3:] == shares


def test_the_cost_of_every_treewidth_is_on_the_page(demo_run):
    for learned in demo_run.findings.networks:
        cost = learned.network.inference_cost()
        cells = cells_of_row(demo_run.page, str(learned.max_treewidth))
        assert cells[0] == f"{accuracy(learned.codes, demo_run.findings.digits).overall:.1%}"
        assert cells[1] == f"{cost.table_entries:,.0f}"
        assert learned.network.treewidth <= learned.max_treewidth


def test_the_query_on_page_and_terminal_is_that_of_the_network(demo_run):
    network = demo_run.findings.main_network.network
    posterior = network.posterior(TARGET, EVIDENCE)
    for shade in posterior.index:
        assert cells_of_row(demo_run.page, shade)[-1] == f"{posterior[shade]:.1%}"
    (line,) = (line for line in demo_run.lines if line.startswith("query:"))
    assert f"{posterior.max():.1%}, exactly" in line


def test_the_page_asks_for_nothing_and_runs_nothing(demo_run):
    addresses = Addresses(demo_run.page)
    assert all(address.startswith("data:") for address in addresses.found)
    assert not re.search(r"https?://|url\(|@import", demo_run.page)
    assert not addresses.tags & {"script", "iframe", "object", "embed", "form"}


def test_pictures_in_the_page_and_beside_it_decode(demo_run):
    inlined = [a for a in Addresses(demo_run.page).found if a.startswith("data:image")]
    assert len(inlined) > 4 * 10
    files = [base64.b64decode(address.split(",", 1)[1]) for address in inlined]
    for picture in [*files, *((demo_run.folder / name).read_bytes() for name in PICTURES)]:
        height, width, _ = imread(io.BytesIO(picture)).shape
        assert min(height, width) >= 80


def test_the_picture_of_the_readme_is_small(demo_run):
    assert (demo_run.folder / "overview.png").stat().st_size < 150_000


def test_the_code_on_the_page_runs():
    cells = [["yes", "yes"], ["no", "no"], ["yes", None], ["no", "no"]]
    names = {"table": pd.DataFrame(cells * 10, columns=["a", "b"])}
    exec(CODE, names)
    assert names["filled"].isna().sum().sum() == 0
    assert len(names["chances"]) == 2 * 10


def test_files_that_are_there_are_replaced_as_a_whole(findings, tmp_path, monkeypatch):
    (tmp_path / "index.html").write_text("before")

    def failing(*_):
        raise OSError("disk full")

    monkeypatch.setattr(demo, "find_all", lambda **_: findings)
    monkeypatch.setattr(demo, "chart_bytes", lambda *_: b"")
    monkeypatch.setattr(demo, "page_html", failing)
    with pytest.raises(OSError, match="disk full"):
        demo.run_demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
    assert (tmp_path / "index.html").read_text() == "before"


@pytest.mark.parametrize("n_images", ["99", "1798", "many"])
def test_numbers_of_images_that_there_are_not_are_misuse(n_images, capsys):
    with pytest.raises(SystemExit) as end:
        demo.main(["--n-images", n_images])
    assert end.value.code == 2
    assert "--n-images" in capsys.readouterr().err


def test_all_images_go_to_the_folder_demo_by_default(monkeypatch, capsys):
    calls = []
    monkeypatch.setattr(
        demo, "run_demo", lambda *places, **options: calls.append((places, options))
    )
    monkeypatch.setattr(demo, "report_lines", lambda findings, page: ["found", str(page)])
    demo.main([])
    ((places, options),) = calls
    assert places == (Path("demo"),)
    assert (options["n_images"], options["random_state"]) == (len(load_digits().data), 0)
    assert capsys.readouterr().out == f"found\n{Path('demo') / 'index.html'}\n"


def test_the_folder_runs_as_a_script_and_explains_its_options():
    folder = Path(demo.__file__).parent
    words = [sys.executable, "-W", "error", folder, "--help"]
    run = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "--random-state" in run.stdout


@pytest.fixture(scope="module")
def browser():
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("no browser runs on the sanitizers")
    if CHROMIUM is None and os.environ.get("CI") != "true":
        pytest.skip("no Chromium, so the demo's page is not tested in a browser; run: make browser")
    assert CHROMIUM, "CI=true asks for the browser tests, but there is no Chromium: make browser"
    with sync_playwright() as playwright:
        # Nothing but our own page is opened, so Chromium may run as root without its sandbox.
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=WAIT_MS
        )
        yield browser
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 900, 1400])
def test_the_page_fits_a_browser_without_scripts(demo_run, browser, scheme, width):
    requests = []
    context = browser.new_context(
        java_script_enabled=False,
        offline=True,
        color_scheme=scheme,
        viewport={"width": width, "height": 800},
    )
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.on("request", lambda request: requests.append(request.url))
    page.goto((demo_run.folder / "index.html").as_uri())
    boxes = [image.bounding_box() for image in page.locator("img").all()]
    content = page.locator("main").bounding_box()
    context.close()
    assert all(box["width"] > 40 and box["x"] + box["width"] <= width for box in boxes)
    assert content["x"] + content["width"] <= width
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
