"""What is true of the rows of a table, by sums over all joint states of a small network."""

import numpy as np

from inference_oracle import joint_table


def row_table(joint, row):
    """Joint probabilities of the missing cells of a row and what is observed in it."""
    return joint[tuple(slice(None) if code < 0 else code for code in row)]


def likelihoods(network, codes):
    joint = joint_table(network)
    return np.array([row_table(joint, row).sum() for row in codes])


def cell_marginals(joint, row):
    """Distribution of each missing cell of a possible row, in the order of the variables."""
    table = row_table(joint, row)
    axes = range(table.ndim)
    return [table.sum(axis=tuple(a for a in axes if a != axis)) / table.sum() for axis in axes]


def family_counts(network, codes, weights):
    """Expected counts of every family, flat, one behind the other."""
    joint = joint_table(network)
    posterior = np.zeros_like(joint)
    for row, weight in zip(codes, weights, strict=True):
        table = row_table(joint, row)
        if table.sum() > 0:
            where = tuple(slice(None) if code < 0 else code for code in row)
            posterior[where] += weight * table / table.sum()
    counts = []
    for child in network.variables:
        family = [network.variables.index(v) for v in (*network.parents(child), child)]
        others = tuple(i for i in range(joint.ndim) if i not in family)
        kept = sorted(family)
        summed = posterior.sum(axis=others)
        counts.append(summed.transpose([kept.index(v) for v in family]).ravel())
    return np.concatenate(counts)
