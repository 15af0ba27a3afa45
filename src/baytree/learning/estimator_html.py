"""What fit found, as HTML below scikit-learn's own view of an estimator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from baytree.messages.html_tables import facts_table, framed
from baytree.messages.quoting import pluralize

if TYPE_CHECKING:
    import pandas as pd

    from baytree.imputation.base import ImputerBase
    from baytree.learning.learner import NetworkLearner

Facts: TypeAlias = list[tuple[str, str]]


class SummarisedEstimator(BaseEstimator, ABC):
    """An estimator that notebooks show as scikit-learn does, and below it what fit found."""

    @abstractmethod
    def _facts(self) -> Facts:
        """Return words and what they are here; only asked after fit."""

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """HTML for notebooks; scikit-learn has none where it is told to display text."""
        diagram: Callable[[], str] = super()._repr_html_
        return lambda: diagram() + self._found_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return all that notebooks choose from."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._found_html()
        return bundle

    def _found_html(self) -> str:
        if not hasattr(self, "network_"):
            return ""
        facts = framed(f"{type(self).__name__}, fitted", "", facts_table(self._facts()))
        network: str = self.network_._repr_html_()
        return facts + network


def learner_facts(learner: NetworkLearner) -> Facts:
    """Return how good the network of a learner is, and how it was found."""
    settings = learner.get_params()
    facts = [
        (f"score ({settings['criterion']})", f"{learner.score_:,.3f}"),
        ("treewidth", f"{learner.treewidth_} of at most {settings['max_treewidth']}"),
        ("arcs", f"{len(learner.network_.arcs):,}"),
        ("search", f"{settings['search']}, {pluralize(learner.n_iterations_, 'iteration')}"),
    ]
    if learner.is_proven_:
        facts.append(("proof", "there is nothing better"))
    return facts + _how_it_went(learner.em_history_, learner.history_, learner.is_interrupted_)


def imputer_facts(imputer: ImputerBase) -> Facts:
    """Return what was missing for an imputer, and what it fills with."""
    facts = [
        *_missing_facts(imputer),
        ("filled by", filled_by(imputer)),
        ("treewidth", f"{imputer.network_.treewidth} of at most {imputer.max_treewidth}"),
    ]
    facts += [(name, str(value)) for name, value in imputer.chosen_.items()]
    return facts + _how_it_went(imputer.em_history_, None, imputer.is_interrupted_)


def filled_by(imputer: ImputerBase) -> str:
    """Return what fills gaps; what fills several at once is networks alone."""
    networks = pluralize(len(imputer.networks_), "network")
    has_regressions = imputer.model_weights_["regressions"] > 0 and imputer.method == "independent"
    return f"{networks} and regressions" if has_regressions else networks


def _missing_facts(imputer: ImputerBase) -> Facts:
    with_gaps = f"{len(imputer._with_gaps):,} of {pluralize(imputer.n_features_in_, 'variable')}"
    facts = [("variables with gaps", with_gaps)]
    is_missing = imputer._missing_in_fit()
    if is_missing is not None:
        n_missing, n_cells = int(np.count_nonzero(is_missing)), is_missing.size
        share = f"{n_missing:,} of {n_cells:,} ({n_missing / n_cells:.1%})"
        n_rows = int(np.count_nonzero(is_missing.any(axis=1)))
        facts += [
            ("missing cells", share),
            ("rows with gaps", f"{n_rows:,} of {len(is_missing):,}"),
        ]
    return facts


def _how_it_went(
    em_history: pd.DataFrame, history: pd.DataFrame | None, interrupted: bool
) -> Facts:
    facts = []
    if len(em_history):
        seconds = em_history["seconds"].iloc[-1]
        words = (
            f"{pluralize(int(em_history['iteration'].iloc[-1]), 'iteration')} in {seconds:,.2f} s"
        )
        facts.append(("structural EM", words))
    elif history is not None and len(history):
        facts.append(("found after", f"{history['seconds'].iloc[-1]:,.2f} s"))
    if interrupted:
        facts.append(("interrupted", "Ctrl-C ended it; this is the best so far"))
    return facts
