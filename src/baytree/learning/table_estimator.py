"""What the learner and the imputer share: labels and gaps are welcome, `score` is a setting."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from sklearn.utils import Tags

from baytree.learning.estimator_html import SummarisedEstimator
from baytree.learning.score_setting import ScoreSetting


class TableEstimator(SummarisedEstimator):
    """An estimator of tables with a setting called `score`, which can be called after fit."""

    score = ScoreSetting()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings.

        Parameters
        ----------
        deep : bool, default=True
            Has no effect; no setting is an estimator.

        Returns
        -------
        dict
            Settings by name, as they were given.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.NetworkLearner(3).get_params()["max_treewidth"]
        3
        """
        params: dict[str, Any] = super().get_params(deep)
        return params | {"score": type(self).score.given(self)}

    @abstractmethod
    def _mean_log_likelihood(self, X: Any) -> float:
        """Return how well it fits a table; only asked after fit."""

    def __sklearn_tags__(self) -> Tags:
        """Say that labels of any kind and gaps are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
