"""Bayesian networks of bounded treewidth, learned from categorical tables."""

TYPE_CHECKING = False  # as in typing, which takes longer to load than all of this
if TYPE_CHECKING:
    from baytree.amputation import ampute
    from baytree.arc_strengths import arc_strength
    from baytree.discretization import Discretizer
    from baytree.imputation import BayesianNetworkImputer
    from baytree.learning import NetworkLearner
    from baytree.multiple_imputation import combine
    from baytree.network import BayesianNetwork
    from baytree.network_io import read_network
    from baytree.parameters import fit_parameters
    from baytree.parent_sets import ParentSetCache
    from baytree.plotting import plot_cpt, plot_history, plot_missingness
    from baytree.random_networks import random_network
    from baytree.scoring import FamilyScorer, score_parent_sets
    from baytree.structure_search import SearchResult, search_structure

    __version__: str

__all__ = [
    "BayesianNetwork",
    "BayesianNetworkImputer",
    "Discretizer",
    "FamilyScorer",
    "NetworkLearner",
    "ParentSetCache",
    "SearchResult",
    "__version__",
    "ampute",
    "arc_strength",
    "combine",
    "fit_parameters",
    "plot_cpt",
    "plot_history",
    "plot_missingness",
    "random_network",
    "read_network",
    "score_parent_sets",
    "search_structure",
]

# Loaded on first use, so that `import baytree` does not pay for pandas and scikit-learn.
_MODULE_OF = {
    "BayesianNetwork": "baytree.network",
    "BayesianNetworkImputer": "baytree.imputation",
    "Discretizer": "baytree.discretization",
    "FamilyScorer": "baytree.scoring",
    "NetworkLearner": "baytree.learning",
    "ParentSetCache": "baytree.parent_sets",
    "SearchResult": "baytree.structure_search",
    "ampute": "baytree.amputation",
    "arc_strength": "baytree.arc_strengths",
    "combine": "baytree.multiple_imputation",
    "read_network": "baytree.network_io",
    "fit_parameters": "baytree.parameters",
    "plot_cpt": "baytree.plotting",
    "plot_history": "baytree.plotting",
    "plot_missingness": "baytree.plotting",
    "random_network": "baytree.random_networks",
    "score_parent_sets": "baytree.scoring",
    "search_structure": "baytree.structure_search",
}


def __getattr__(name: str) -> object:
    import importlib  # on first use, like all the rest

    if name == "__version__":
        value: object = importlib.import_module("importlib.metadata").version("baytree")
    elif name in _MODULE_OF:
        value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # so that the next use is an ordinary lookup
    return value


def __dir__() -> list[str]:
    return list(__all__)
