"""Public functions that draw with matplotlib, which they load when called."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from baytree.imputation.imputer import BayesianNetworkImputer
from baytree.learning.cache_search import SearchResult
from baytree.learning.learner import NetworkLearner
from baytree.messages.quoting import shortened
from baytree.networks.network import BayesianNetwork
from baytree.plots.requirement import require_matplotlib
from baytree.tables.containers import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_history(
    learner: NetworkLearner | BayesianNetworkImputer | SearchResult,
    *,
    ax: Axes | None = None,
    label: str | None = None,
) -> Axes:
    """Draw the best score against time.

    Parameters
    ----------
    learner : NetworkLearner, SearchResult or BayesianNetworkImputer
        A fitted learner or imputer, or the result of `search_structure`. If cells were missing, the
        penalised log-likelihood after each iteration of structural EM is drawn.
    ax : matplotlib Axes, optional
        Axes to draw on; those of a new figure by default. Several histories on the same axes get
        different line styles.
    label : str, optional
        Name in the legend.

    Returns
    -------
    matplotlib Axes
        The axes with the curve; a star marks the best score.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError
        If there is no history: before fit, or for an imputer without missing cells or from a file.

    Examples
    --------
    >>> import numpy as np
    >>> import baytree as bt
    >>> table = np.array([[0, 0, 1], [1, 1, 0]] * 20)
    >>> learner = bt.NetworkLearner(max_iterations=100, random_state=0).fit(table)
    >>> ax = bt.plot_history(learner)
    >>> ax.get_ylabel()
    'score (bic)'
    """
    require_matplotlib()
    from baytree.plots.history_plots import draw_history

    return draw_history(learner, ax, label)


def plot_missingness(
    imputer: BayesianNetworkImputer,
    X: Table | None = None,
    *,
    ax: Axes | None = None,
    max_variables: int = 25,
    max_patterns: int = 8,
) -> Axes:
    """Draw the missing cells of each variable and their patterns.

    Parameters
    ----------
    imputer : BayesianNetworkImputer
        A fitted imputer.
    X : table or path, optional
        A table to show instead of that of `fit`. Needed after `read` or unpickling, as tables are
        not stored.
    ax : matplotlib Axes, optional
        Axes to draw on; those of a new figure by default.
    max_variables : int, default=25
        Largest number of variables, those with most missing cells first.
    max_patterns : int, default=8
        Largest number of patterns among these variables, the most frequent first. A pattern
        without marks is that of complete rows.

    Returns
    -------
    matplotlib Axes
        The axes with a bar per incomplete variable and, to the right of the bars, a column per
        pattern.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError
        If there is no table.

    See Also
    --------
    BayesianNetworkImputer.report : The same as frames, with the accuracy of imputation.

    Examples
    --------
    >>> import numpy as np
    >>> import baytree as bt
    >>> table = np.array([[0, 0], [0, 0], [1, 1], [1, np.nan]] * 20)
    >>> ax = bt.plot_missingness(bt.BayesianNetworkImputer(random_state=0).fit(table))
    >>> [name.get_text() for name in ax.get_yticklabels()]
    ['x1']
    """
    require_matplotlib()
    from baytree.plots.missingness_plots import draw_missingness, missingness

    if not isinstance(imputer, BayesianNetworkImputer):
        raise ValueError(
            f"imputer must be a BayesianNetworkImputer after fit; got {type(imputer).__name__}. "
            "Fit one to the table first."
        )
    variables, is_missing = imputer._missing_cells(X)
    return draw_missingness(missingness(variables, is_missing, max_variables, max_patterns), ax)


def plot_cpt(
    network: BayesianNetwork,
    variable: Hashable,
    *,
    ax: Axes | None = None,
    max_configurations: int = 32,
) -> Axes:
    """Draw the conditional probabilities of a variable.

    Parameters
    ----------
    network : BayesianNetwork
        A network with probabilities.
    variable : hashable
        Name of the variable.
    ax : matplotlib Axes, optional
        Axes to draw on; those of a new figure by default.
    max_configurations : int, default=32
        Largest number of joint states of the parents: the most probable ones, whose total
        probability is in the title; or the first ones, if inference is too large.

    Returns
    -------
    matplotlib Axes
        The axes with a row of cells per joint state, in the order of `BayesianNetwork.cpt`,
        or with bars for a variable without parents.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    UnknownVariableError
        If there is no variable of this name.
    ValueError
        If the network has no probabilities.

    Examples
    --------
    >>> import baytree as bt
    >>> network = bt.BayesianNetwork(
    ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]},
    ...     [("rain", "wet")],
    ...     cpts={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> ax = bt.plot_cpt(network, "wet")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('wet', 'rain')
    """
    require_matplotlib()
    from baytree.plots.cpt_plots import cpt_view, draw_cpt

    if not isinstance(network, BayesianNetwork):
        raise ValueError(f"network must be a BayesianNetwork; got {shortened(network)}.")
    return draw_cpt(cpt_view(network, variable, max_configurations), ax)
