"""Search the best parent sets of the pixels of handwritten digits.

The script cuts the 1797 images of scikit-learn's digits to four shades, searches the best parent
sets of all 64 pixels, and prints the fraction of each pixel that its parents explain.
"""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

import baytree as bt

SIDE = 8
INK = {"blank": "  ", "light": "░░", "dark": "▒▒", "black": "██"}
FIRST_VALUE_OF_STATE = [1, 6, 11]  # pixels are 0 to 16
SHADES = ["  ", "░░", "▒▒", "▓▓", "██"]
PLACES = {f"row{row}col{col}": (row, col) for row in range(SIDE) for col in range(SIDE)}


def digits_table() -> pd.DataFrame:
    """Return one row per image and one variable per pixel, with labels for states."""
    states = np.digitize(load_digits().data, FIRST_VALUE_OF_STATE)
    return pd.DataFrame(np.array(list(INK))[states], columns=list(PLACES))


def are_neighbours(pixel: str, other: str) -> bool:
    """Return True for two pixels that are at most two rows and two columns apart."""
    return max(abs(a - b) for a, b in zip(PLACES[pixel], PLACES[other], strict=True)) <= 2


def explained_fractions(
    table: pd.DataFrame, best_parents: dict[str, tuple[str, ...]]
) -> dict[str, float]:
    """Return the fraction of each pixel's log-likelihood that its parents explain.

    Constant pixels are left out.
    """
    scorer = bt.FamilyScorer(table, criterion="log-likelihood")
    alone = {pixel: scorer.score(pixel) for pixel in best_parents}
    return {
        pixel: 1 - scorer.score(pixel, parents) / alone[pixel]
        for pixel, parents in best_parents.items()
        if alone[pixel] < 0
    }


def picture(cell_of: dict[str, str]) -> str:
    cells = [cell_of[pixel] for pixel in PLACES]
    return "\n".join("".join(cells[start : start + SIDE]) for start in range(0, SIDE**2, SIDE))


def pictures(table: pd.DataFrame, shares: dict[str, float]) -> Table:
    """Return two images of the table beside the map of what is explained."""
    shade_of = {pixel: SHADES[min(int(5 * share), 4)] for pixel, share in shares.items()}
    legend = "\n".join(f"{shade} {20 * i} to {20 * i + 20} %" for i, shade in enumerate(SHADES))
    grid = Table("two images", "", "explained", "", box=None, padding=(0, 2), header_style="bold")
    grid.add_row(
        *(picture({pixel: INK[table.loc[i, pixel]] for pixel in PLACES}) for i in (0, 1)),
        picture({pixel: shade_of.get(pixel, "··") for pixel in PLACES}),
        f"{legend}\n·· constant",
    )
    return grid


def main() -> None:
    console = Console(highlight=False)
    table = digits_table()
    console.print(
        f"[bold]Handwritten digits[/]: {len(table):,} images, {len(table.columns)} pixels, "
        f"up to {len(INK)} states"
    )
    started = time.perf_counter()
    cache = bt.score_parent_sets(table, max_parents=3, max_parent_sets=2000, n_jobs=-1)
    seconds = time.perf_counter() - started
    summary = cache.summary()
    console.print(
        f"Scored {summary.n_evaluated:,} families in {seconds:.1f} s "
        f"({summary.n_evaluated / seconds:,.0f} a second) and kept {summary.n_parent_sets:,} "
        f"parent sets.\n"
    )
    best_parents = {pixel: cache[pixel].parent_sets[0] for pixel in cache.variables}
    shares = explained_fractions(table, best_parents)
    console.print("Best parents of some pixels, and how much of the pixel they explain:")
    for pixel in ("row0col3", "row3col4", "row4col2", "row6col5"):
        parents = " and ".join(best_parents[pixel]) or "none"
        console.print(f"  [bold]{pixel}[/]  {parents}  [dim]{shares[pixel]:.0%}[/]")
    families = [(pixel, parents) for pixel, parents in best_parents.items() if parents]
    n_near = sum(all(are_neighbours(pixel, p) for p in parents) for pixel, parents in families)
    chance = np.mean([are_neighbours(*pair) for pair in combinations(PLACES, 2)])
    console.print(
        f"{n_near} of {len(families)} best parent sets lie within two pixels of their child.\n"
        f"Of all pairs of pixels, {chance:.0%} are that near.\n"
    )
    console.print(pictures(table, shares))


if __name__ == "__main__":
    main()
