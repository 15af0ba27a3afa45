"""Calls of the core with plain arrays and the usual options."""

import numpy as np

from baytree import _core, _core_testing


def core_dataset(codes, arities, weights=None):
    weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    codes = np.asfortranarray(codes, dtype=np.int32)
    return _core.Dataset(codes, np.asarray(arities, dtype=np.int32), weights=weights)


def core_scorer(
    codes,
    arities,
    *,
    weights=None,
    score="bic",
    equivalent_sample_size=1.0,
    instruction_set=None,
    **options,
):
    return _core.FamilyScorer(
        core_dataset(codes, arities, weights),
        score=score,
        equivalent_sample_size=equivalent_sample_size,
        instruction_set=instruction_set,
        **options,
    )


def evaluate(scorer, child, parents=(), *, method=_core_testing.CountingMethod.automatic):
    """Score of one family, counted afresh."""
    children = np.array([child], dtype=np.uint32)
    parents = np.array([sorted(parents)], dtype=np.uint32).reshape(1, len(parents))
    return _core_testing.evaluate_families(scorer, children, parents, method=method)[0]


def search(
    scorer,
    n_variables,
    *,
    max_parents,
    required=None,
    forbidden=None,
    tiers=(),
    max_evaluations=10**9,
    seed=0,
    n_threads=1,
    control=None,
):
    return _core.search_parent_sets(
        scorer,
        required=required or [[] for _ in range(n_variables)],
        forbidden=forbidden or [[] for _ in range(n_variables)],
        tiers=list(tiers),
        max_parents=max_parents,
        max_evaluations=max_evaluations,
        seed=seed,
        n_threads=n_threads,
        control=control or _core.RunControl(),
    )


def kept_sets(cache, variable):
    """Scores by parent set, best first."""
    return dict(zip(cache.parent_sets(variable), cache.scores(variable).tolist(), strict=True))


def core_cache(scored_sets):
    """Parent-set cache of one dict a variable, from parent set to score."""

    def arrays(sets):
        members = [parent for parents in sets for parent in parents]
        return (
            np.array(list(sets.values()), dtype=np.float64),
            np.array(members, dtype=np.uint32),
            np.cumsum([0, *(len(parents) for parents in sets)], dtype=np.uint32),
        )

    return _core.ParentSetCache([arrays(sets) for sets in scored_sets])


def core_dag(parents):
    """DAG that can change, with the given parents."""
    dag = _core_testing.OrderedDag(len(parents), max_parents=len(parents))
    for child, members in enumerate(parents):
        for parent in members:
            assert dag.add(parent, child)
    return dag
