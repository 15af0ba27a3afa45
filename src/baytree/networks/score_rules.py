"""Criteria of structures by name, with their settings, in the words of the core."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

from baytree.messages.arguments import one_of, positive_number
from baytree.messages.quoting import shortened
from baytree.vocabulary import CRITERIA

CriterionName: TypeAlias = Literal["bic", "aic", "ebic", "bdeu", "k2", "log-likelihood"]

MIN_PRIOR = 1e-15  # a share of it for each cell of any family is still a float above 0


def score_rule(criterion: CriterionName, equivalent_sample_size: float) -> dict[str, Any]:
    """Return a criterion and its prior as arguments of the core's scorer."""
    one_of("criterion", criterion, CRITERIA)
    prior = positive_number("equivalent_sample_size", equivalent_sample_size)
    if not MIN_PRIOR <= prior < math.inf:
        raise ValueError(
            f"equivalent_sample_size must be at least {MIN_PRIOR} and finite; "
            f"got {shortened(equivalent_sample_size)}."
        )
    return {"score": criterion, "equivalent_sample_size": prior}
