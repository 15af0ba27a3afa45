"""The demo as one call: find out, draw, write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from baytree.digits_demo.charts import chart_bytes, network_chart, score_chart
from baytree.digits_demo.digits import N_IMAGES
from baytree.digits_demo.findings import Findings, find_all
from baytree.digits_demo.galleries import OVERVIEW_DOTS_AN_INCH, digits_gallery, overview
from baytree.digits_demo.page import page_html
from baytree.digits_demo.themes import LIGHT
from baytree.runtime.atomic_files import replaced_file

PAGE = "index.html"


def run_demo(
    folder: Path,
    *,
    n_images: int = N_IMAGES,
    seed: int = 0,
    n_jobs: int = -1,
    tell: Callable[[str], None] = lambda stage: None,
) -> Findings:
    """Learn from digits with holes, fill them, and write the page and pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    findings = find_all(n_images, seed=seed, n_jobs=n_jobs, tell=tell)
    tell("drawing")
    for name, content in _contents(findings).items():
        with replaced_file(folder / name) as stream:
            stream.write(content)
    return findings


def _contents(findings: Findings) -> dict[str, bytes]:
    """Return what goes into each file; the page comes last, when all is there."""
    return {
        "digits.png": chart_bytes(digits_gallery(findings)),
        "network.png": chart_bytes(network_chart(findings, LIGHT)),
        "score.png": chart_bytes(score_chart(findings, LIGHT)),
        "overview.png": chart_bytes(overview(findings), OVERVIEW_DOTS_AN_INCH),
        PAGE: page_html(findings).encode(),
    }
