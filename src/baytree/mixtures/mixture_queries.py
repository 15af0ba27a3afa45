"""Queries on a mixture: sums over its parts, weighted by the probability of the evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from baytree.messages.arguments import integer_at_least
from baytree.mixtures.parts import MixturePart
from baytree.networks import sampling
from baytree.networks.engines import InferenceEngine
from baytree.networks.evidence import EncodedEvidence, Evidence, encode_evidence
from baytree.networks.queries import exact_engine, inference_cost, raise_impossible
from baytree.networks.query_results import Convergence, InferenceCost, MostProbable
from baytree.networks.row_answers import Floats
from baytree.runtime.seeds import Seed, drawn_seed

if TYPE_CHECKING:
    from baytree.mixtures.mixture import NetworkMixture


class MixtureEngine:
    """Queries by one engine for each part."""

    def __init__(self, parts: Sequence[MixturePart], engines: Sequence[InferenceEngine]) -> None:
        self._parts = parts
        self._engines = engines

    @property
    def convergence(self) -> Convergence | None:
        """Convergence of all parts together; None for an exact engine."""
        found = [own for engine in self._engines if (own := engine.convergence) is not None]
        if not found:
            return None
        return Convergence(
            all(own.is_converged for own in found),
            max(own.n_sweeps for own in found),
            max(own.largest_change for own in found),
            all(own.is_exact for own in found),
        )

    def posterior(self, targets: list[int], evidence: EncodedEvidence) -> Floats:
        """Return the joint distribution of targets, the last one's state changing fastest."""
        return self._sum(
            [engine.posterior(targets, evidence) for engine in self._engines], evidence
        )

    def marginals(self, evidence: EncodedEvidence) -> Floats:
        """Return the distributions of all variables, one after the other."""
        found = [
            engine.marginals(evidence)[: -part.n_components]
            for part, engine in zip(self._parts, self._engines, strict=True)
        ]
        return self._sum(found, evidence)

    def probability(self, evidence: EncodedEvidence) -> tuple[float, float]:
        """Return the probability of evidence and its logarithm."""
        log_probability = float(np.logaddexp.reduce(self.log_probabilities(evidence)))
        try:
            return math.exp(log_probability), log_probability
        except OverflowError:  # of likelihoods
            return math.inf, log_probability

    def log_probabilities(self, evidence: EncodedEvidence) -> Floats:
        """Return the log probability of evidence together with each part."""
        return np.array(
            [
                engine.probability(evidence)[1] + math.log(part.weight)
                for part, engine in zip(self._parts, self._engines, strict=True)
            ]
        )

    def part_shares(self, evidence: EncodedEvidence) -> Floats:
        """Return the probability of each part given evidence; nothing if that is impossible."""
        logs = self.log_probabilities(evidence)
        if np.isneginf(logs).all():
            return np.empty(0)
        shares: Floats = np.exp(logs - np.logaddexp.reduce(logs))
        return shares

    def _sum(self, found: Sequence[Floats], evidence: EncodedEvidence) -> Floats:
        """Return a weighted sum; parts in which evidence is impossible have no answer."""
        shares = self.part_shares(evidence)
        terms = [
            share * own for share, own in zip(shares, found, strict=False) if share > 0 and len(own)
        ]
        return np.sum(terms, axis=0) if terms else np.empty(0)


def most_probable(
    mixture: NetworkMixture, evidence: Evidence | None, max_memory: float | None
) -> MostProbable:
    """Return the states that are most probable together with one component."""
    encoded = encode_evidence(mixture._encoding, evidence)
    best_codes: list[int] = []
    best = -math.inf
    for part in mixture._parts:
        codes, log_probability = exact_engine(part.network, max_memory).most_probable(encoded)
        if log_probability + math.log(part.weight) > best:
            best, best_codes = log_probability + math.log(part.weight), codes[:-1]
    if math.isinf(best):
        raise_impossible(mixture, encoded)
    names, states = mixture.variables, mixture._encoded_states
    assignment = {name: states[name][code] for name, code in zip(names, best_codes, strict=True)}
    whole = EncodedEvidence([*enumerate(best_codes)], [])
    log_probability = mixture._engine("exact", max_memory).probability(whole)[1]
    likelihoods = [own[best_codes[position]] for position, own in encoded.likelihoods]
    return MostProbable(assignment, log_probability + sum(map(math.log, likelihoods)))


def total_cost(mixture: NetworkMixture, evidence: Evidence | None) -> InferenceCost:
    """Return the cost of the marginals, summed over the parts."""
    costs = [inference_cost(part.network, evidence) for part in mixture._parts]
    return InferenceCost(
        clique_variables=max(cost.clique_variables for cost in costs),
        clique_states=max(cost.clique_states for cost in costs),
        table_entries=sum(cost.table_entries for cost in costs),
        n_bytes=sum(cost.n_bytes for cost in costs),
        seconds=sum(cost.seconds for cost in costs),
    )


def sample(
    mixture: NetworkMixture,
    n: int,
    evidence: Evidence | None,
    random_state: Seed,
    n_jobs: int | None,
) -> pd.DataFrame:
    """Return rows from the exact distribution given evidence, in random order."""
    n_rows = integer_at_least("n", n, 0)
    encoded = encode_evidence(mixture._encoding, evidence)
    shares = MixtureEngine(
        mixture._parts, [exact_engine(part.network, None) for part in mixture._parts]
    ).part_shares(encoded)
    if not len(shares):
        raise_impossible(mixture, encoded)
    random = np.random.RandomState(drawn_seed(random_state))
    counts = random.multinomial(n_rows, shares / shares.sum())
    frames = [
        sampling.sample(part.network, int(count), evidence, random, n_jobs).iloc[:, :-1]
        for part, count in zip(mixture._parts, counts, strict=True)
        if count or n_rows == 0
    ]
    order = random.permutation(n_rows)
    return pd.concat(frames, ignore_index=True).iloc[order].reset_index(drop=True)
