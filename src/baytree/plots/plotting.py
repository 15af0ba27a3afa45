"""Pictures of searches, of gaps and of probabilities, by matplotlib."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from baytree.imputation.imputer import BayesianNetworkImputer
from baytree.learning.learner import NetworkLearner
from baytree.learning.structure_search import SearchResult
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
    """Draw the best score against the seconds that it took to find.

    Parameters
    ----------
    learner : NetworkLearner, SearchResult or BayesianNetworkImputer
        A learner or imputer after fit, or what `search_structure` returned. Where there were gaps,
        the iterations of structural EM are drawn, by the penalised log-likelihood that chooses
        between their networks.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given. Several histories on the same axes have lines of
        different styles.
    label : str, optional
        What the legend calls it.

    Returns
    -------
    matplotlib Axes
        The axes with the drawing; a star marks the best.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError
        If there is no history: before fit, or for an imputer without gaps or from a file.

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
    """Draw how much of each variable is missing, and which variables are missing together.

    Parameters
    ----------
    imputer : BayesianNetworkImputer
        An imputer after fit.
    X : table or path, optional
        A table to look at in place of that of `fit`. Needed after `load` or unpickling: tables are
        not kept in files.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    max_variables : int, default=25
        Most variables to show, those with most missing cells first.
    max_patterns : int, default=8
        Most patterns to show, the most frequent first, among the variables that are shown; 0 for
        none. One without marks is that of complete rows.

    Returns
    -------
    matplotlib Axes
        The axes with a bar for each variable with gaps and, to the right of the bars, a column for
        each pattern.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError
        If there is no table.

    See Also
    --------
    BayesianNetworkImputer.report : The same as frames, and how well gaps are filled.

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
        raise TypeError(
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
    """Draw the probabilities of a variable, for each joint state of its parents.

    Parameters
    ----------
    network : BayesianNetwork
        A network with probabilities.
    variable : hashable
        Name of the variable.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    max_configurations : int, default=32
        Most joint states of the parents to show: where there are more, the most probable ones, and
        the title says how much of the probability they have. Where inference is too large to tell,
        the first ones.

    Returns
    -------
    matplotlib Axes
        The axes with a row of cells for each joint state, in the order of `BayesianNetwork.cpt`,
        or with bars for a variable without parents.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    UnknownVariableError
        If there is no variable of this name.
    ValueError
        If the network has a structure alone.

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
        raise TypeError(f"network must be a BayesianNetwork; got {shortened(network)}.")
    return draw_cpt(cpt_view(network, variable, max_configurations), ax)
