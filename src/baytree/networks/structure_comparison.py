"""Comparison of two structures by their BIC on the same table ([raftery])."""

from __future__ import annotations

import math
from dataclasses import dataclass

from baytree.messages.quoting import shortened
from baytree.networks.graph import check_same_variables
from baytree.networks.network import BayesianNetwork
from baytree.tables.containers import Table

# Lower bounds of twice the log Bayes factor, and Raftery's words for the evidence above them.
_CLASSES = ((10.0, "very strong"), (6.0, "strong"), (2.0, "positive"), (0.0, "weak"))


@dataclass(frozen=True, repr=False)
class StructureComparison:
    """Evidence of a table for one structure against another.

    Parameters
    ----------
    first_bic, second_bic : float
        BIC of each structure, in nats; higher is better.

    Examples
    --------
    >>> comparison = StructureComparison(-103.0, -107.0)
    >>> comparison.delta_bic, comparison.evidence
    (4.0, 'strong')
    >>> round(comparison.posterior_probability, 3)
    0.982
    """

    first_bic: float
    second_bic: float

    def __repr__(self) -> str:
        """Return the difference and what it means."""
        return (
            f"StructureComparison(delta_bic={self.delta_bic:,.3f}, better={self.better!r}, "
            f"evidence={self.evidence!r}, posterior_probability={self.posterior_probability:.4g})"
        )

    @property
    def better(self) -> str:
        """The structure of the higher BIC: "first", "second", or "neither" if they are equal."""
        if self.delta_bic == 0:
            return "neither"
        return "first" if self.delta_bic > 0 else "second"

    @property
    def delta_bic(self) -> float:
        """BIC of the first structure less that of the second."""
        return self.first_bic - self.second_bic

    @property
    def log_bayes_factor(self) -> float:
        """Natural logarithm of the Bayes factor for the first structure, which is `delta_bic`.

        The BIC approximates the logarithm of the marginal likelihood.
        """
        return self.delta_bic

    @property
    def posterior_probability(self) -> float:
        """Probability of the first structure, if the two are equally probable before."""
        odds = math.exp(-abs(self.delta_bic))
        return (1.0 if self.delta_bic >= 0 else odds) / (1.0 + odds)

    @property
    def evidence(self) -> str:
        """Class of the evidence for the better structure.

        "very strong", "strong", "positive" or "weak", if twice the log Bayes factor is at least
        10, 6, 2 or 0.
        """
        twice = 2 * abs(self.log_bayes_factor)
        return next(word for bound, word in _CLASSES if twice >= bound)


def compare_structures(
    first: BayesianNetwork, second: BayesianNetwork, table: Table
) -> StructureComparison:
    """Compare two structures by their BIC on a table.

    Parameters
    ----------
    first, second : BayesianNetwork
        Networks with the same variables and states. Their probabilities do not matter.
    table : pandas or polars DataFrame, pyarrow Table, 2-D ndarray, or path of a file
        Rows, at least one. No cell may be missing; columns that are no variables are ignored.

    Returns
    -------
    StructureComparison
        The difference in BIC, the log Bayes factor, the posterior probability of the first
        structure, and the class of the evidence.

    Raises
    ------
    MissingCellError
        If cells or variables are missing.
    ValueError
        If the networks have different variables or states.

    See Also
    --------
    BayesianNetwork.bic : The score.
    BayesianNetwork.structural_hamming_distance : Compares the graphs.

    Notes
    -----
    The classes are those of Raftery [1]_, for twice the log Bayes factor. The paper on k-MAX [2]_
    has the same bounds for the log Bayes factor itself, so its classes ask for twice the evidence.

    References
    ----------
    .. [1] A. E. Raftery, "Bayesian model selection in social research", Sociological Methodology
       25, 1995.
    .. [2] M. Scanagatta, G. Corani, M. Zaffalon, J. Yoo, U. Kang, "Efficient learning of
       bounded-treewidth Bayesian networks from complete and incomplete data sets", International
       Journal of Approximate Reasoning 95, 2018.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> tree = bt.NetworkLearner(1, search="chow-liu").fit(table).network_
    >>> empty = bt.fit_parameters({}, table)
    >>> comparison = bt.compare_structures(tree, empty, table)
    >>> round(comparison.delta_bic, 2), comparison.evidence
    (25.88, 'very strong')
    """
    for name, network in (("first", first), ("second", second)):
        if not isinstance(network, BayesianNetwork):
            raise ValueError(
                f"{name} must be a BayesianNetwork; got {shortened(network)}. For the result of "
                "search_structure, pass fit_parameters(result, table)."
            )
    check_same_variables(first, second)
    _check_same_states(first, second)
    return StructureComparison(first.bic(table), second.bic(table))


def _check_same_states(first: BayesianNetwork, second: BayesianNetwork) -> None:
    """Refuse networks whose scores would be those of different tables."""
    for name in first.variables:
        if {*first.states(name)} != {*second.states(name)}:
            raise ValueError(
                f"The networks must have the same states; those of {name!r} differ. Learn both "
                "from the same table, with the same bins."
            )
