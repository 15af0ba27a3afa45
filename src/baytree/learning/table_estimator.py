"""Base class of the learner and the imputer: estimators of tables, shown in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from baytree.exceptions import TableError
from baytree.messages.html_tables import facts_table, framed
from baytree.messages.quoting import pluralize, shortened
from baytree.tables.containers import Table, as_table

if TYPE_CHECKING:
    import pandas as pd

Facts: TypeAlias = list[tuple[str, str]]


class TableEstimator(BaseEstimator, ABC):
    """An estimator of tables with labels of any kind and missing cells.

    Some settings are objects, with None or a word for the default one. Notebooks show the results
    of `fit` below scikit-learn's view of the settings.
    """

    _default_settings: ClassVar[Mapping[str, Callable[[], Any]]] = {}
    _words_for_defaults: ClassVar[Mapping[str, str]] = {}  # beside None

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
            given = params.get(name, getattr(self, name))
            if not is_nested or hasattr(given, "set_params"):
                continue
            if given not in (None, self._words_for_defaults.get(name)):
                raise ValueError(f"{name}={shortened(given)} has no settings of its own.")
            params[name] = make_default()
        changed: Self = super().set_params(**params)
        return changed

    def __sklearn_tags__(self) -> Tags:
        """Return the tags of an estimator that takes labels of any kind and missing cells."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _remember_features(self, X: Table, variables: Sequence[Hashable]) -> None:
        """Keep number and names in scikit-learn's attributes; arrays have no names of their own."""
        self.n_features_in_ = len(variables)
        has_names = not isinstance(X, (np.ndarray, list, tuple))
        if has_names and all(isinstance(name, str) for name in variables):
            self.feature_names_in_ = np.array(variables, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _table_of_features(self, X: Table) -> Any:
        """Return a table of rows; refuse an array with another number of columns than in `fit`."""
        check_is_fitted(self)
        table = as_table(X)
        shape: tuple[int, ...] = table.shape if isinstance(table, np.ndarray) else ()
        if len(shape) == 2 and shape[1] != self.n_features_in_:  # in scikit-learn's words
            raise TableError(
                f"X has {shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return table

    @abstractmethod
    def _facts(self) -> Facts:
        """Return names and values of results of `fit`."""

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """HTML for notebooks; scikit-learn has none if it is set to display text."""
        diagram: Callable[[], str] = super()._repr_html_
        return lambda: diagram() + self._results_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the forms that notebooks choose from."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._results_html()
        return bundle

    def _results_html(self) -> str:
        if not (hasattr(self, "network_") or hasattr(self, "mixture_")):
            return ""
        facts = framed(f"{type(self).__name__}, fitted", "", facts_table(self._facts()))
        network: str = self.network_._repr_html_() if hasattr(self, "network_") else ""
        return facts + network


def learning_facts(
    em_history: pd.DataFrame, history: pd.DataFrame | None, is_interrupted: bool
) -> Facts:
    """Return the course of learning: iterations of EM, or the time of the best network."""
    facts = []
    if len(em_history):
        seconds = em_history["seconds"].iloc[-1]
        words = (
            f"{pluralize(int(em_history['iteration'].iloc[-1]), 'iteration')} in {seconds:,.2f} s"
        )
        facts.append(("structural EM", words))
    elif history is not None and len(history):
        facts.append(("found after", f"{history['seconds'].iloc[-1]:,.2f} s"))
    if is_interrupted:
        facts.append(("interrupted", "Ctrl-C ended it; this is the best so far"))
    return facts
