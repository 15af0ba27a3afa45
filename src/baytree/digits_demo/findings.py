"""All that the demo finds out, in the order in which it does."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from baytree.digits_demo.accuracy import (
    SURE,
    Accuracy,
    CertaintyBand,
    certainty_bands,
    restored,
)
from baytree.digits_demo.digits import N_IMAGES, HoledDigits, holed_digits, shade_codes
from baytree.digits_demo.learned import (
    MAX_TREEWIDTH,
    N_NETWORKS,
    FilledDigits,
    LearnedNetwork,
    at_treewidth,
    averaging_imputer,
    filled_digits,
    networks_by_treewidth,
    tuned_imputer,
)
from baytree.digits_demo.question import Answer, asked
from baytree.digits_demo.rivals import best_n_neighbours, filled_by_mode, filled_by_neighbours


@dataclass(frozen=True, eq=False)
class Findings:
    """What the page, the pictures and the terminal show."""

    digits: HoledDigits
    seed: int
    filled: FilledDigits
    accuracies: dict[str, Accuracy]  # by method, the best of ours last
    bands: list[CertaintyBand]
    settings: dict[str, Any]
    networks: list[LearnedNetwork]
    answer: Answer
    seconds: dict[str, float]  # by stage

    @property
    def main_network(self) -> LearnedNetwork:
        """The network that is drawn and asked."""
        return at_treewidth(self.networks, MAX_TREEWIDTH)

    @property
    def best_accuracy(self) -> Accuracy:
        """That of the averaged networks with regressions, which fill what is shown."""
        return list(self.accuracies.values())[-1]

    @property
    def sure_share(self) -> float:
        """Share of the hidden pixels that were filled with high certainty."""
        return float((self._certain >= SURE).mean())

    @property
    def sure_accuracy(self) -> float:
        """Share of those that are right; NaN if there are none."""
        hidden = self.digits.is_hidden
        is_right = (self.filled.codes == shade_codes(self.digits.truth))[hidden]
        at = self._certain >= SURE
        return float(is_right[at].mean()) if at.any() else float("nan")

    @property
    def _certain(self) -> Any:
        return self.filled.certainty[self.digits.is_hidden]


@dataclass
class _Stages:
    """Says what is being done, and keeps how long it took."""

    tell: Callable[[str], None]
    seconds: dict[str, float] = field(default_factory=dict)

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.tell(name)
        started = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - started


def find_all(
    n_images: int = N_IMAGES,
    *,
    seed: int = 0,
    n_jobs: int = -1,
    tell: Callable[[str], None] = lambda stage: None,
) -> Findings:
    """Hide pixels, learn, fill, measure and ask; `tell` hears of each stage as it begins.

    The same seed finds the same on any machine, but for the seconds.
    """
    work = _Stages(tell)
    digits = holed_digits(n_images, seed=seed)
    with work.stage("nearest neighbours"):
        rivals = _rival_accuracies(digits, seed)
    with work.stage("choosing score and prior"):
        tuned = tuned_imputer(digits, seed=seed, n_jobs=n_jobs)
    with work.stage(f"learning {N_NETWORKS} networks"):
        imputer = averaging_imputer(digits, tuned.chosen_, seed=seed, n_jobs=n_jobs)
    with work.stage("filling the holes"):
        filled = filled_digits(digits, imputer)
    with work.stage("learning other treewidths"):
        networks = networks_by_treewidth(digits, tuned, seed=seed, n_jobs=n_jobs)
    main = at_treewidth(networks, MAX_TREEWIDTH)
    with work.stage("asking"):
        answer = asked(main.network)
    return Findings(
        digits,
        seed,
        filled,
        rivals
        | {
            "baytree, 1 network": main.accuracy,
            f"baytree, {N_NETWORKS} averaged": restored(filled.codes, digits),
        },
        certainty_bands(filled.codes, filled.certainty, digits),
        tuned.chosen_,
        networks,
        answer,
        work.seconds,
    )


def _rival_accuracies(digits: HoledDigits, seed: int) -> dict[str, Accuracy]:
    n_neighbours = best_n_neighbours(digits, seed=seed)
    return {
        "mode": restored(filled_by_mode(digits), digits),
        f"KNN, k = {n_neighbours}": restored(filled_by_neighbours(digits, n_neighbours), digits),
    }
