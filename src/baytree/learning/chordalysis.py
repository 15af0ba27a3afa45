"""Chordalysis: settings of the selection of edges by tests, and the table of the tests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from baytree import _core
from baytree.messages.arguments import fraction, one_of, true_or_false
from baytree.runtime.settings import Settings
from baytree.vocabulary import EDGE_RULES

EdgeRule: TypeAlias = Literal["smt", "budget-share", "layered", "bic", "kl", "mml"]
EdgeTest: TypeAlias = tuple[int, int, list[int], float, float, float]  # as the core returns it

_CORE_RULES = {
    "smt": _core.EdgeRule.smt,
    "budget-share": _core.EdgeRule.budget_share,
    "layered": _core.EdgeRule.layered,
    "bic": _core.EdgeRule.bic,
    "kl": _core.EdgeRule.kl,
    "mml": _core.EdgeRule.mml,
}


@dataclass
class Chordalysis(Settings):
    """Settings of Chordalysis, which selects the edges of a decomposable model by tests.

    The model starts without edges. Each step adds one edge whose ends are dependent given their
    common neighbours, so that the graph stays chordal [1]_.

    Parameters
    ----------
    rule : {"smt", "budget-share", "layered", "bic", "kl", "mml"}, default="smt"
        Order of the edges, and when to stop. The first three are tests for independence (G2), in
        the order of their p values, corrected for the m edges that could be added in a step:

        - "smt": p is at most 1/m of the budget, which is `alpha` at first and then loses m times
          the p of each edge [2]_;
        - "budget-share": p is at most 1/m of `budget_share` of the budget, which loses that share;
        - "layered": p is at most ``alpha / (2**step * m)`` in step 1, 2, ...;
        - "bic": as long as the Bayesian information criterion gets better;
        - "kl": as long as the likelihood does; it needs a `max_treewidth`;
        - "mml": as long as the message gets shorter that encodes model and rows [3]_.
    alpha : float, default=0.05
        Familywise error rate of the tests: largest probability of an edge too many. Used by the
        rules "smt", "budget-share" and "layered" only.
    budget_share : float, default=0.01
        Fraction of the budget that an edge costs. Used by the rule "budget-share" only.
    phantom_state : bool, default=False
        Whether every variable has one more state, which never occurs, in the degrees of freedom.
        The authors' program counts like that, so it adds fewer edges.
    rounded_p_values : bool, default=False
        Whether p values are rounded to multiples of 2**-53 as in the authors' program. Smaller ones
        are 0 then, with the logarithm minus infinity, and of these the edge of fewer degrees of
        freedom comes first.

    See Also
    --------
    NetworkLearner : Takes it as `search`; its `p_values_` lists the edges.

    References
    ----------
    .. [1] F. Petitjean, G. I. Webb, A. E. Nicholson, "Scaling log-linear analysis to
       high-dimensional data", IEEE International Conference on Data Mining, 2013.
    .. [2] G. I. Webb, F. Petitjean, "A multiple test correction for streams and cascades of
       statistical hypothesis tests", ACM SIGKDD, 2016.
    .. [3] F. Petitjean, L. Allison, G. I. Webb, "A statistically efficient and scalable method for
       log-linear analysis of high-dimensional data", IEEE International Conference on Data Mining,
       2014.

    Examples
    --------
    >>> import pandas as pd
    >>> import baytree as bt
    >>> table = pd.DataFrame({"rain": [0, 0, 1, 1] * 10, "wet": ["no", "no", "yes", "yes"] * 10})
    >>> search = bt.Chordalysis(alpha=0.01)
    >>> learner = bt.NetworkLearner(max_treewidth=None, search=search).fit(table)
    >>> learner.p_values_[["first", "second", "g2"]].round(2)
      first second     g2
    0  rain    wet  55.45
    """

    rule: EdgeRule = "smt"
    alpha: float = 0.05
    budget_share: float = 0.01
    phantom_state: bool = False
    rounded_p_values: bool = False


def check_chordalysis(given: object) -> Chordalysis | None:
    """Return the settings of the selection of edges; None for other searches."""
    if isinstance(given, str) and given == "chordalysis":
        return Chordalysis()
    if not isinstance(given, Chordalysis):
        return None
    one_of("rule", given.rule, EDGE_RULES)
    fraction("alpha", given.alpha)
    fraction("budget_share", given.budget_share)
    for name in ("phantom_state", "rounded_p_values"):
        true_or_false(name, getattr(given, name))
    return replace(given)


def core_options(settings: Chordalysis) -> dict[str, Any]:
    """Return the settings in the words of the core."""
    return {
        "rule": _CORE_RULES[settings.rule],
        "alpha": float(settings.alpha),
        "budget_share": float(settings.budget_share),
        "phantom_state": bool(settings.phantom_state),
        "rounds_p_values": bool(settings.rounded_p_values),
    }


def edge_table(variables: Sequence[Hashable], edges: Sequence[EdgeTest]) -> pd.DataFrame:
    """Return the selected edges and their tests, in the order of selection."""
    firsts, seconds, separators, g2, degrees, log_p = (
        zip(*edges, strict=True) if edges else [()] * 6
    )
    return pd.DataFrame(
        {
            "first": _labels([variables[position] for position in firsts]),
            "second": _labels([variables[position] for position in seconds]),
            "separator": _labels([tuple(variables[v] for v in members) for members in separators]),
            "g2": np.array(g2, dtype=float),
            "degrees_of_freedom": np.array(degrees, dtype=float),
            "p_value": np.exp(np.array(log_p, dtype=float)),
            "log_p_value": np.array(log_p, dtype=float),
        }
    )


def _labels(labels: Sequence[Hashable]) -> pd.Series[Any]:
    """Return names of any kind, tuples included, as a column."""
    column = np.empty(len(labels), dtype=object)
    column[:] = labels
    return pd.Series(column, dtype=object)
