"""A setting called `score` that can be called like scikit-learn's method of that name."""

from __future__ import annotations

from typing import Any, Protocol, overload


class Scored(Protocol):
    """An estimator that can say how well it fits a table."""

    def _mean_log_likelihood(self, X: Any) -> float: ...


class CallableScore(str):
    """The name of a score, which scores a table when it is called."""

    __slots__ = ("_learner",)
    _learner: Scored

    @classmethod
    def of(cls, name: str, learner: Scored) -> CallableScore:
        """Return the setting of a learner."""
        setting = cls(name)
        setting._learner = learner
        return setting

    def __call__(self, X: Any, y: object = None) -> float:
        """Return the mean log-likelihood of the rows of a table."""
        return self._learner._mean_log_likelihood(X)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Copy and pickle the name alone."""
        return str, (str(self),)


class ScoreSetting:
    """An attribute that keeps what it is given, and gives names back as `CallableScore`."""

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember which attribute this is."""
        self._name = name

    @overload
    def __get__(self, learner: None, owner: type) -> ScoreSetting: ...
    @overload
    def __get__(self, learner: Scored, owner: type) -> CallableScore: ...
    def __get__(self, learner: Scored | None, owner: type) -> Any:
        """Return the setting; what is no name comes back as it is, for fit to refuse."""
        if learner is None:
            return self
        given = self.given(learner)
        return CallableScore.of(given, learner) if isinstance(given, str) else given

    def __set__(self, learner: Scored, given: object) -> None:
        """Keep the setting."""
        learner.__dict__[self._name] = str(given) if isinstance(given, CallableScore) else given

    def given(self, learner: Scored) -> Any:
        """Return the setting as it was given, which clones are compared by."""
        try:
            return learner.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None
