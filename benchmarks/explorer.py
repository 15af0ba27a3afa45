"""Explorer: time from a click on a state until all new posteriors are drawn.

The page of a network of 1,000 variables and treewidth 8 is opened in Chromium (make browser). The
clock of the page measures the time until the results have arrived and until they are drawn.
"""

import argparse
import random
import shutil
import statistics
import threading
import time

import numpy as np
from playwright.sync_api import sync_playwright

import baytree as bt
from baytree.explorer.exploration import Exploration
from baytree.explorer.server import serve

CLICKS = """async (nClicks) => {
  const milliseconds = [];
  const evidence = document.querySelector("#evidence");
  for (let click = 0; click < nClicks; click += 1) {
    const buttons = document.querySelectorAll(".state");
    const before = evidence.textContent;
    const start = performance.now();
    buttons[(click * 3) % buttons.length].click();
    while (evidence.textContent === before) await new Promise((done) => setTimeout(done, 0));
    const answered = performance.now();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    milliseconds.push([answered - start, performance.now() - start]);
  }
  return milliseconds;
}"""


def network_of_treewidth(n_variables, treewidth, seed):
    """Return a random network on a k-tree, whose treewidth is at most `treewidth`."""
    generator, rng = random.Random(seed), np.random.default_rng(seed)
    cliques = [list(range(treewidth))]
    parents = [list(range(child)) for child in range(treewidth)]
    for child in range(treewidth, n_variables):
        clique = generator.choice(cliques)
        parents.append(sorted(generator.sample(clique, generator.choice((1, 2, 3, treewidth)))))
        cliques += [[*(clique[:i] + clique[i + 1 :]), child] for i in range(treewidth)]
    states = {f"v{i}": range(generator.choice((2, 2, 2, 3))) for i in range(n_variables)}
    arities = [len(labels) for labels in states.values()]
    cpts = {
        f"v{child}": rng.dirichlet(np.ones(arities[child]), [arities[p] for p in own])
        for child, own in enumerate(parents)
    }
    arcs = [(f"v{parent}", f"v{child}") for child, own in enumerate(parents) for parent in own]
    return bt.BayesianNetwork(states, arcs, cpts=cpts)


def serve_in_background(exploration):
    addresses = []
    options = {"when_ready": addresses.append}
    threading.Thread(target=serve, args=(exploration,), kwargs=options, daemon=True).start()
    while not addresses:
        time.sleep(0.01)
    return addresses[0]


def click_states(address, n_clicks):
    """Return the milliseconds of every click, after some clicks to warm up."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.wait_for_selector(".state")
        page.evaluate(CLICKS, 5)
        milliseconds = page.evaluate(CLICKS, n_clicks)
        browser.close()
    return milliseconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variables", type=int, default=1000)
    parser.add_argument("--treewidth", type=int, default=8)
    parser.add_argument("--clicks", type=int, default=30)
    options = parser.parse_args()
    network = network_of_treewidth(options.variables, options.treewidth, seed=0)
    print(network)
    print(network.inference_cost())
    exploration = Exploration(network)
    exploration.prepare()
    times = click_states(serve_in_background(exploration), options.clicks)
    for name, column in zip(
        ("results in the page", "page drawn"), zip(*times, strict=True), strict=True
    ):
        median, worst = statistics.median(column), max(column)
        print(f"{name:20} median {median:5.0f} ms, worst {worst:5.0f} ms of {len(column)} clicks")


if __name__ == "__main__":
    main()
