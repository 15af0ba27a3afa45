"""What fit found, as HTML below scikit-learn's own view of an estimator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from sklearn.base import BaseEstimator

from baytree.messages.html_tables import facts_table, framed
from baytree.messages.quoting import pluralize

if TYPE_CHECKING:
    import pandas as pd

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
    return facts + learning_facts(learner.em_history_, learner.history_, learner.is_interrupted_)


def learning_facts(
    em_history: pd.DataFrame, history: pd.DataFrame | None, interrupted: bool
) -> Facts:
    """Describe how learning went: iterations of EM, or when the best network was found."""
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
