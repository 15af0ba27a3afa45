"""Base class of the learner and the imputer: tables with labels of any kind and missing cells."""

from __future__ import annotations

from sklearn.utils import Tags

from baytree.learning.estimator_html import SummarisedEstimator


class TableEstimator(SummarisedEstimator):
    """An estimator of tables."""

    def __sklearn_tags__(self) -> Tags:
        """Say that labels of any kind and missing cells are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
