"""Settings that travel as one object and work in scikit-learn's `clone` and `GridSearchCV`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

from baytree.messages.quoting import shortened
from baytree.messages.suggestions import among


@dataclass
class Settings:
    """Base of dataclasses that hold settings and nothing else.

    Values are kept as they are given and checked where they are used, as scikit-learn's
    estimators do. Two objects are equal if their settings are.

    Examples
    --------
    >>> import baytree as bt
    >>> bt.IJGP(i_bound=3).set_params(max_sweeps=9).get_params()
    {'i_bound': 3, 'max_sweeps': 9}
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings by name.

        Parameters
        ----------
        deep : bool, default=True
            Taken for scikit-learn; makes no difference.

        Returns
        -------
        dict
            Settings by name.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.IJGP().get_params()
        {'i_bound': 6, 'max_sweeps': 100}
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Change some settings.

        Parameters
        ----------
        **params
            New settings by name.

        Returns
        -------
        self
            The object.

        Raises
        ------
        ValueError
            If there is no setting of such a name; nothing is changed then.

        Examples
        --------
        >>> import baytree as bt
        >>> bt.IJGP().set_params(i_bound=8)
        IJGP(i_bound=8, max_sweeps=100)
        """
        known = [field.name for field in fields(self)]
        for name in params:
            if name not in known:
                kind = type(self).__name__
                raise ValueError(f"{kind} has no parameter {shortened(name)} {among(name, known)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self
