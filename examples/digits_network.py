"""Learn a network of the pixels of handwritten digits, and query it.

The script cuts the 1797 images of scikit-learn's digits to four shades, learns networks of growing
treewidth over their 64 pixels, prints their scores and the arcs between adjacent pixels of the best
one, and computes a posterior.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

import baytree as bt

SIDE = 8
SHADES = np.array(["blank", "light", "dark", "black"])
FIRST_VALUE_OF_STATE = [1, 6, 11]  # pixels are 0 to 16
PLACES = {f"row{row}col{col}": (row, col) for row in range(SIDE) for col in range(SIDE)}
SECONDS = 10


def digits_table() -> pd.DataFrame:
    """Return one row per image and one variable per pixel, with labels for states."""
    return pd.DataFrame(
        SHADES[np.digitize(load_digits().data, FIRST_VALUE_OF_STATE)], columns=list(PLACES)
    )


def distance(pixel: str, other: str) -> int:
    """Return the larger of the distances in rows and in columns between two pixels."""
    return max(abs(a - b) for a, b in zip(PLACES[pixel], PLACES[other], strict=True))


def progress(history: pd.DataFrame) -> str:
    """Return the best score after a tenth, a third and all of the time."""
    found = []
    for seconds in (SECONDS // 10, SECONDS // 3, SECONDS):
        scores = history["score"][history["seconds"] <= seconds]
        found.append(f"{scores.iloc[-1]:,.0f} after {seconds} s" if len(scores) else "none yet")
    return ", ".join(found)


def drawing(network: bt.BayesianNetwork) -> str:
    """Return the grid of pixels, with a line where an arc joins two that touch."""
    arcs = {frozenset((PLACES[a], PLACES[b])) for a, b in network.arcs}
    lines = []
    for row in range(SIDE):
        across, down = "", ""
        for col in range(SIDE):
            across += "•" + ("──" if frozenset(((row, col), (row, col + 1))) in arcs else "  ")
            down += "│  " if frozenset(((row, col), (row + 1, col))) in arcs else "   "
        lines += [across, down]
    return "\n".join(lines[:-1])


def answers(network: bt.BayesianNetwork) -> str:
    """Return the posterior of a pixel given two others, and the cost of inference."""
    target, evidence = "row3col3", {"row2col3": "black", "row4col3": "blank"}
    network.marginals()  # prepares the network, once
    started = time.perf_counter()
    posterior = network.posterior(target, evidence)
    milliseconds = 1000 * (time.perf_counter() - started)
    shades = ", ".join(f"{shade} {chance:.2f}" for shade, chance in posterior.items())
    given = " and ".join(f"{pixel} {shade}" for pixel, shade in evidence.items())
    return (
        f"\nGiven {given}, {target} is {shades}: exact, in {milliseconds:.1f} ms.\n"
        f"The cost of any query: {network.inference_cost()}"
    )


def main() -> None:
    console = Console(highlight=False)
    table = digits_table()
    console.print(f"[bold]Handwritten digits[/]: {len(table):,} images, {len(PLACES)} pixels")
    grid = Table("learned by", "treewidth", "arcs", "BIC", box=None, padding=(0, 2))
    tree = bt.NetworkLearner(1, search="chow-liu").fit(table)
    climbed = bt.NetworkLearner(5, search="hill-climb").fit(table)
    learner = bt.NetworkLearner(5, time_limit=SECONDS, n_jobs=-1, random_state=0).fit(table)
    for fitted in (tree, climbed, learner):
        network = fitted.network_
        grid.add_row(
            fitted.search, str(network.treewidth), str(len(network.arcs)), f"{network.score:,.0f}"
        )
    console.print(grid)
    console.print(f"\nbest BIC: {progress(learner.history_)}")
    network = learner.network_
    near = np.mean([distance(*arc) == 1 for arc in network.arcs])
    bag = max(network.decomposition.bags, key=len)
    console.print(
        f"{near:.0%} of the arcs join pixels that touch; those across and down:\n\n"
        f"{drawing(network)}\n\n"
        f"One of the largest bags, which bound the cost of inference:\n  {', '.join(bag)}"
    )
    console.print(answers(network))


if __name__ == "__main__":
    main()
