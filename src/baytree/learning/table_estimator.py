"""Base class of the learner and the imputer: tables with labels of any kind and missing cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from sklearn.utils import Tags

from baytree.learning.estimator_html import SummarisedEstimator


class TableEstimator(SummarisedEstimator):
    """An estimator of tables, some of whose settings are objects that None stands for."""

    _default_settings: ClassVar[Mapping[str, Callable[[], Any]]] = {}

    def set_params(self, **params: Any) -> Self:
        """Change some settings.

        Parameters
        ----------
        **params
            New settings by name. ``em__completion`` is the setting `completion` of the object
            `em`; where that is None, it becomes the default object first.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.NetworkLearner().set_params(em__completion="independent").em.completion
        'independent'
        """
        for name, make_default in self._default_settings.items():
            is_nested = any(key.startswith(f"{name}__") for key in params)
            if is_nested and params.get(name, getattr(self, name)) is None:
                params[name] = make_default()
        changed: Self = super().set_params(**params)
        return changed

    def __sklearn_tags__(self) -> Tags:
        """Say that labels of any kind and missing cells are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
