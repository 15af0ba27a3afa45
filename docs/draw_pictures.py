"""Draw the pictures of the documentation into docs/images: python docs/draw_pictures.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import chdir
from doctest import DocTestParser
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from sklearn.datasets import load_breast_cancer

import baytree as bt
from svg_picture import CORAL, FAINT, INK, LEAF, PALE, PAPER, Picture, Point

IMAGES = Path(__file__).parent / "images"


def sprinkler_table() -> pd.DataFrame:
    """Return the table that the pages of the guide use."""
    rng = np.random.default_rng(0)
    rain = rng.random(500) < 0.3
    sprinkler = ~rain & (rng.random(500) < 0.5)
    wet = (rain | sprinkler) & (rng.random(500) < 0.95)
    slippery = wet & (rng.random(500) < 0.8)
    return pd.DataFrame({"rain": rain, "sprinkler": sprinkler, "wet": wet, "slippery": slippery})


def parent_sets() -> Picture:
    """All parent sets of slippery with their scores, those that are kept filled."""
    table = sprinkler_table()
    scorer, kept = bt.FamilyScorer(table), bt.score_parent_sets(table, max_parents=3)["slippery"]
    picture = Picture(640, 330, "The parent sets of slippery, their scores, and which are kept")
    candidates = ("rain", "sprinkler", "wet")
    places = {
        parents: (320.0 + 210 * (number - (count - 1) / 2), 40.0 + 78 * size)
        for size in range(4)
        for count in (len(list(combinations(candidates, size))),)
        for number, parents in enumerate(combinations(candidates, size))
    }
    for smaller, larger in combinations(places, 2):
        if len(larger) == len(smaller) + 1 and set(smaller) < set(larger):
            picture.line(places[smaller], places[larger])
    for parents, (x, y) in places.items():
        is_kept = parents in kept.parent_sets
        fill, line = (PALE, LEAF) if is_kept else (PAPER, FAINT)
        picture.box((x - 98, y - 22), (196, 44), fill=fill, line=line)
        picture.words((x, y - 4), ", ".join(parents) or "no parents", bold=is_kept)
        picture.words((x, y + 14), f"BIC {scorer.score('slippery', list(parents)):.1f}", size=12)
    picture.words((320, 318), "filled: kept, as it scores more than each of its subsets", size=12)
    return picture


def k_tree() -> Picture:
    """A network that grows inside a 2-tree, one variable at a time."""
    places = {"a": (45, 60), "b": (45, 150), "c": (120, 105), "d": (120, 190), "e": (190, 150)}
    joins = [("d", "bc"), ("e", "cd")]
    arcs = [("a", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("c", "e"), ("d", "e")]
    picture = Picture(720, 265, "A network that grows inside a 2-tree, variable by variable")
    names = "abc"
    texts = ["start: k + 1 variables", "d joins the clique {b, c}", "e joins {c, d}"]
    for panel, text in enumerate(texts):
        edges = set(combinations("abc", 2))
        for new, clique in joins[:panel]:
            names += new if new not in names else ""
            edges |= {(*clique,), *((member, new) for member in clique)}
        shift = 240 * panel
        _draw_panel(picture, {n: places[n] for n in names}, edges, arcs, shift)
        picture.words((shift + 118, 28), text, bold=True)
    picture.words((360, 250), "grey: the 2-tree; arrows: the network, inside it", size=12)
    return picture


def _draw_panel(
    picture: Picture,
    places: dict[str, Point],
    edges: Iterable[Sequence[str]],
    arcs: Iterable[tuple[str, str]],
    shift: float,
) -> None:
    at = {name: (x + shift, y) for name, (x, y) in places.items()}
    for first, second in sorted(map(tuple, edges)):
        picture.line(at[first], at[second], width=13, color="#dfe3da")
    for parent, child in arcs:
        if parent in at and child in at:
            picture.arrow(at[parent], at[child])
    for name, place in at.items():
        picture.circle(place, name)


def annealing() -> Picture:
    """Two new arcs: one that fits into the bags, and one that does not."""
    picture = Picture(720, 300, "A new arc is taken if no bag grows beyond the bound")
    chain = list(zip("abcd", "bcde", strict=True))
    _draw_step(picture, chain, ("a", "c"), 0, "the arc a to c: taken")
    _draw_step(picture, [*chain, ("a", "c")], ("a", "d"), 360, "then a to d: refused")
    picture.words((360, 286), "treewidth at most 2: a bag holds at most 3 variables", size=12)
    return picture


def _draw_step(
    picture: Picture, arcs: list[tuple[str, str]], new: tuple[str, str], shift: float, text: str
) -> None:
    heights = dict(zip("abcde", range(70, 270, 45), strict=True))
    picture.words((shift + 180, 30), text, bold=True)
    before, after = bags(arcs), bags([*arcs, new])
    for name, y in heights.items():
        grown = sorted(after[name] - before[name])
        is_too_large = len(after[name]) > 3
        fill = PALE if grown and not is_too_large else PAPER
        line = CORAL if is_too_large else LEAF if grown else FAINT
        picture.box((shift + 175, y - 16), (150, 32), fill=fill, line=line)
        members = ", ".join(sorted(before[name])) + "".join(f" + {member}" for member in grown)
        picture.words((shift + 250, y + 5), members, bold=bool(grown))
    at = {name: (shift + (55 if name in "ace" else 115), y) for name, y in heights.items()}
    for parent, child in arcs:
        picture.arrow(at[parent], at[child])
    color = CORAL if any(len(bag) > 3 for bag in after.values()) else LEAF
    picture.arrow(at[new[0]], at[new[1]], color=color, dash="5 3")
    for name, place in at.items():
        picture.circle(place, name)


def bags(arcs: Iterable[tuple[str, str]], order: str = "abcde") -> dict[str, set[str]]:
    """Return every variable with its later neighbours when they are eliminated in this order."""
    arcs = list(arcs)
    edges = {frozenset(arc) for arc in arcs}
    edges |= {
        frozenset((p, q)) for p, child in arcs for q, other in arcs if child == other and p != q
    }
    found = {}
    for name in order:
        neighbours = {other for edge in edges if name in edge for other in edge} - {name}
        found[name] = {name} | neighbours
        edges = {edge for edge in edges if name not in edge}
        edges |= {frozenset(pair) for pair in combinations(neighbours, 2)}
    return found


def clique_tree() -> Picture:
    """A network and the clique tree along which its messages go."""
    picture = Picture(720, 285, "A network, and the tree of its cliques with the messages")
    places = {
        "a": (110, 70),
        "b": (55, 135),
        "c": (165, 135),
        "d": (110, 200),
        "e": (55, 240),
        "f": (215, 200),
    }
    arcs = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("c", "f")]
    _draw_panel(picture, places, [], arcs, 0)
    picture.line((74, 135), (146, 135), dash="4 3", width=2)
    picture.words((110, 30), "the network", bold=True)
    picture.words((215, 272), "dashed: parents of one child are joined", size=12)
    picture.words((480, 30), "its clique tree", bold=True)
    boxes = {"a, b, c": (390, 75), "b, c, d": (480, 150), "d, e": (400, 230), "c, f": (600, 230)}
    for clique, (x, y) in boxes.items():
        picture.box((x - 45, y - 17), (90, 34))
        picture.words((x, y + 5), clique)
    for clique, separator, side in (
        ("a, b, c", "b, c", -34),
        ("d, e", "d", -26),
        ("c, f", "c", 26),
    ):
        start, end = boxes[clique], boxes["b, c, d"]
        picture.arrow(start, end, gap=33, color=LEAF)
        middle = ((start[0] + end[0]) / 2 + side, (start[1] + end[1]) / 2 + 4)
        picture.words(middle, separator, size=12, color=LEAF)
    picture.words((610, 140), "the root hears", size=12, anchor="middle")
    picture.words((610, 157), "from all, then answers", size=12, anchor="middle")
    return picture


def structural_em() -> Picture:
    """The loop of structural EM."""
    picture = Picture(720, 250, "The loop of structural EM: fill, search, estimate")
    _draw_table(picture, (35, 80), hidden={(0, 1), (2, 0), (3, 2)}, fills="")
    _draw_table(picture, (290, 80), hidden={(0, 1), (2, 0), (3, 2)}, fills="101")
    at = {"x": (580.0, 85.0), "y": (540.0, 150.0), "z": (620.0, 150.0)}
    _draw_panel(picture, at, [], [("x", "y"), ("x", "z")], 0)
    picture.words((85, 60), "incomplete table", bold=True)
    picture.words((340, 60), "filled table", bold=True)
    picture.words((580, 48), "network", bold=True)
    picture.arrow((150, 130), (280, 130), gap=4)
    picture.words((215, 120), "1. fill", size=12)
    picture.arrow((405, 130), (520, 130), gap=4)
    picture.words((462, 120), "2. search", size=12)
    picture.line((580, 180), (580, 215), color=INK, width=2)
    picture.line((580, 215), (85, 215), color=INK, width=2)
    picture.arrow((85, 217), (85, 186), gap=1)
    picture.words((332, 206), "3. probabilities by EM from this table, and again", size=12)
    return picture


def _draw_table(picture: Picture, at: Point, *, hidden: set[Point], fills: str) -> None:
    values = iter(fills)
    for row in range(4):
        for column, state in enumerate(f"{row * 5 % 8:03b}"):
            is_gap = (row, column) in hidden
            text = next(values, "?") if is_gap else state
            corner = (at[0] + 34 * column, at[1] + 25 * row)
            fill = PALE if is_gap else PAPER
            picture.box(corner, (34, 25), fill=fill, line=FAINT, corner=0)
            color = CORAL if text == "?" else INK
            picture.words((corner[0] + 17, corner[1] + 17), text, bold=is_gap, color=color)


def tumour_network() -> Axes:
    """Draw the network that the README learns; `network.png` is this picture."""
    tumours = load_breast_cancer(as_frame=True)
    table = tumours.data.iloc[:, :10].rename(columns=lambda name: name.removeprefix("mean "))
    binned = bt.Discretizer(n_bins=3).fit_transform(table)
    binned.insert(0, "diagnosis", tumours.target_names[tumours.target])
    learner = bt.NetworkLearner(max_treewidth=3, max_iterations=100_000, random_state=0)
    return learner.fit(binned).network_.plot(variable="diagnosis")


def patient_network() -> Axes:
    """Run the worked example up to its first picture, and return that."""
    page = Path(__file__).parent / "user_guide" / "worked_example.md"
    names: dict[str, Any] = {}
    with TemporaryDirectory() as folder, chdir(folder):
        for example in DocTestParser().get_examples(page.read_text(encoding="utf-8")):
            exec(example.source, names)
            if "ax" in names:
                break
    return names["ax"]


PLOTS = {"network.png": tumour_network, "patients.png": patient_network}
PICTURES = {
    "parent_sets.svg": parent_sets,
    "k_tree.svg": k_tree,
    "annealing.svg": annealing,
    "clique_tree.svg": clique_tree,
    "structural_em.svg": structural_em,
}


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (IMAGES / name).write_text(draw().svg(), encoding="utf-8")
    for name, plot in PLOTS.items():
        plot().figure.savefig(IMAGES / name, dpi=150)
