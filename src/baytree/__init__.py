"""Bayesian networks of bounded treewidth, learned from categorical tables."""

TYPE_CHECKING = False  # as in typing, which takes longer to load than all of this
if TYPE_CHECKING:
    from baytree import exceptions as exceptions
    from baytree.classification.classifier import BayesianNetworkClassifier
    from baytree.imputation.imputer import BayesianNetworkImputer
    from baytree.imputation.rubin import pool_estimates
    from baytree.learning.arc_strength import arc_strength
    from baytree.learning.cache_search import SearchResult, search_structure
    from baytree.learning.chordalysis import Chordalysis
    from baytree.learning.constraints import ArcConstraints
    from baytree.learning.discretization import Discretizer
    from baytree.learning.em_settings import StructuralEM
    from baytree.learning.learner import NetworkLearner
    from baytree.learning.parameters import fit_parameters
    from baytree.learning.parent_sets import ParentSetCache
    from baytree.learning.scoring import FamilyScorer, score_parent_sets
    from baytree.mixtures.mixture import NetworkMixture
    from baytree.mixtures.mixture_learner import MixtureLearner
    from baytree.mixtures.model_files import read_model
    from baytree.networks.engines import IJGP
    from baytree.networks.network import BayesianNetwork
    from baytree.networks.random_networks import random_network
    from baytree.networks.structure_comparison import StructureComparison, compare_structures
    from baytree.plots.layouts.layout import graph_layout
    from baytree.plots.plotting import plot_cpt, plot_history, plot_missingness
    from baytree.tables.amputation import ampute

    __version__: str

__all__ = [
    "IJGP",
    "ArcConstraints",
    "BayesianNetwork",
    "BayesianNetworkClassifier",
    "BayesianNetworkImputer",
    "Chordalysis",
    "Discretizer",
    "FamilyScorer",
    "MixtureLearner",
    "NetworkLearner",
    "NetworkMixture",
    "ParentSetCache",
    "SearchResult",
    "StructuralEM",
    "StructureComparison",
    "__version__",
    "ampute",
    "arc_strength",
    "compare_structures",
    "fit_parameters",
    "graph_layout",
    "plot_cpt",
    "plot_history",
    "plot_missingness",
    "pool_estimates",
    "random_network",
    "read_model",
    "score_parent_sets",
    "search_structure",
]

# Loaded on first use, so that `import baytree` does not pay for pandas and scikit-learn.
_MODULE_OF = {
    "ArcConstraints": "baytree.learning.constraints",
    "Chordalysis": "baytree.learning.chordalysis",
    "StructuralEM": "baytree.learning.em_settings",
    "IJGP": "baytree.networks.engines",
    "BayesianNetwork": "baytree.networks.network",
    "BayesianNetworkClassifier": "baytree.classification.classifier",
    "BayesianNetworkImputer": "baytree.imputation.imputer",
    "Discretizer": "baytree.learning.discretization",
    "FamilyScorer": "baytree.learning.scoring",
    "MixtureLearner": "baytree.mixtures.mixture_learner",
    "NetworkLearner": "baytree.learning.learner",
    "NetworkMixture": "baytree.mixtures.mixture",
    "ParentSetCache": "baytree.learning.parent_sets",
    "SearchResult": "baytree.learning.cache_search",
    "StructureComparison": "baytree.networks.structure_comparison",
    "ampute": "baytree.tables.amputation",
    "arc_strength": "baytree.learning.arc_strength",
    "compare_structures": "baytree.networks.structure_comparison",
    "fit_parameters": "baytree.learning.parameters",
    "graph_layout": "baytree.plots.layouts.layout",
    "plot_cpt": "baytree.plots.plotting",
    "plot_history": "baytree.plots.plotting",
    "plot_missingness": "baytree.plots.plotting",
    "pool_estimates": "baytree.imputation.rubin",
    "random_network": "baytree.networks.random_networks",
    "read_model": "baytree.mixtures.model_files",
    "score_parent_sets": "baytree.learning.scoring",
    "search_structure": "baytree.learning.cache_search",
}


def __getattr__(name: str) -> object:
    import importlib  # on first use, like all the rest

    if name == "__version__":
        value: object = importlib.import_module("importlib.metadata").version("baytree")
    elif name == "exceptions":
        return importlib.import_module("baytree.exceptions")  # which sets the attribute
    elif name in _MODULE_OF:
        value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # so that the next use is an ordinary lookup
    return value


def __dir__() -> list[str]:
    return list(__all__)
