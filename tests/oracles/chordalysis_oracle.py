"""Selection of edges by the definition: every pair is looked at again in every step."""

from dataclasses import dataclass
from itertools import combinations
from math import prod

import networkx as nx
import numpy as np
from scipy.special import betaln, gammaln
from scipy.stats import chi2


@dataclass(frozen=True)
class Edge:
    """A pair of variables that may be added, with its test."""

    pair: tuple[int, int]
    separator: tuple[int, ...]
    g2: float
    degrees: int
    code_length_change: float

    @property
    def p_value(self):
        return float(chi2.sf(self.g2, self.degrees)) if self.g2 > 0 else 1.0

    @property
    def log_p_value(self):
        return float(chi2.logsf(self.g2, self.degrees)) if self.g2 > 0 else 0.0


def selected_edges(codes, arities, *, rule="smt", alpha=0.05, share=0.01, max_width=None):
    """Return the edges in the order of selection; `arities` decide the degrees of freedom."""
    graph = nx.empty_graph(codes.shape[1])
    selected, budget = [], alpha
    while edges := [e for e in _admissible(graph, codes, arities) if _fits(e, max_width)]:
        ranks = [_rank(edge, rule, len(codes), len(arities), len(selected)) for edge in edges]
        (cost, *_), best = min(zip(ranks, edges, strict=True))
        m, step = len(edges), len(selected) + 1
        threshold = {
            "smt": budget / m,
            "budget-share": share * budget / m,
            "layered": alpha / 2**step / m,
        }
        if not (best.p_value <= threshold[rule] if rule in threshold else cost < 0):
            break
        budget -= {"smt": best.p_value * m, "budget-share": share * budget}.get(rule, 0.0)
        graph.add_edge(*best.pair)
        selected.append(best)
    return selected


def _rank(edge, rule, n_rows, n_variables, n_edges):
    """Return what edges are sorted by, their cost first."""
    n_pairs = n_variables * (n_variables - 1) // 2
    cost = edge.log_p_value
    if rule == "bic":
        cost = edge.degrees * np.log(n_rows) - edge.g2
    elif rule == "kl":
        cost = -edge.g2
    elif rule == "mml":
        of_graph = _log_binomial(n_pairs, n_edges + 1) - _log_binomial(n_pairs, n_edges)
        cost = edge.degrees * np.log(n_rows + 1) + edge.code_length_change + of_graph
    return round(cost, 9), edge.degrees, -edge.g2, edge.pair


def _fits(edge, max_width):
    return max_width is None or len(edge.separator) + 1 <= max_width


def _admissible(graph, codes, arities):
    for a, b in combinations(graph.nodes, 2):
        separator = sorted(nx.common_neighbors(graph, a, b))
        rest = graph.subgraph(set(graph.nodes) - set(separator))
        if not graph.has_edge(a, b) and not nx.has_path(rest, a, b):
            yield _tested(codes, arities, a, b, separator)


def _tested(codes, arities, a, b, separator):
    n_of = {
        members: _cell_counts(codes, members)
        for members in [(*separator, a, b), (*separator, a), (*separator, b), (*separator,)]
    }
    g2 = 0.0
    for cell, n in n_of[*separator, a, b].items():
        *common, state_a, state_b = cell
        expected = n_of[*separator, a][*common, state_a] * n_of[*separator, b][*common, state_b]
        g2 += 2 * n * np.log(n * n_of[*separator,][*common,] / expected)
    degrees = (arities[a] - 1) * (arities[b] - 1) * prod(arities[v] for v in separator)
    together, of_a, of_b, common = (_code_length(counts) for counts in n_of.values())
    change = together - of_a - of_b + common
    return Edge((a, b), (*separator,), max(round(g2, 9), 0.0), degrees, change)


def _cell_counts(codes, members):
    cells, counts = np.unique(codes[:, list(members)], axis=0, return_counts=True)
    return {tuple(cell): n for cell, n in zip(cells.tolist(), counts.tolist(), strict=True)}


def _code_length(counts):
    return gammaln(sum(counts.values()) + 1) - sum(gammaln(n + 1) for n in counts.values())


def _log_binomial(n, k):
    return -betaln(1 + n - k, 1 + k) - np.log(n + 1)
