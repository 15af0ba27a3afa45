"""EM over the table of all joint states, in NumPy: what soft EM in the core must converge to."""

import numpy as np


class DenseEm:
    """Tables of a small network, and iterations of EM on rows with missing cells (-1)."""

    def __init__(self, arities, parents, rows, prior):
        self.arities, self.parents, self.rows, self.prior = arities, parents, rows, prior
        self.variables = range(len(arities))
        families = [sorted([*parents[child], child]) for child in self.variables]
        self.off_family = [
            tuple(v for v in self.variables if v not in family) for family in families
        ]

    def table(self, counts, child):
        """Return p(child | parents) with an axis a variable, of length 1 for all others."""
        family = counts.sum(axis=self.off_family[child], keepdims=True)
        family = family + self.prior / family.size
        totals = family.sum(axis=child, keepdims=True)
        assert (totals > 0).all(), "an oracle for parents that all occur"
        return family / totals

    def expected_counts(self, tables):
        joint = np.ones(self.arities)
        for table in tables:
            joint = joint * table
        counts = np.zeros(self.arities)
        for row in self.rows:
            seen = tuple(slice(None) if code < 0 else slice(code, code + 1) for code in row)
            counts[seen] += joint[seen] / joint[seen].sum()
        return counts

    def step(self, tables):
        counts = self.expected_counts(tables)
        return [self.table(counts, child) for child in self.variables]

    def maximum(self, tables, tolerance=1e-12):
        """Return where steps lead to, once none moves a probability by more than `tolerance`."""
        while True:
            moved = self.step(tables)
            change = max(np.abs(a - b).max() for a, b in zip(moved, tables, strict=True))
            tables = moved
            if change < tolerance:
                return tables

    def from_network(self, network):
        """Return the tables of a network whose variables stand in this order."""
        found = []
        for child, name in enumerate(network.variables):
            members = [*map(network.variables.index, network.parents(name)), child]
            cells = network.cpt(name).to_numpy().reshape([self.arities[v] for v in members])
            cells = cells.transpose(np.argsort(members))
            shape = [self.arities[v] if v in members else 1 for v in self.variables]
            found.append(cells.reshape(shape))
        return found
