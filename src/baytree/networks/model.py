"""What queries and row calls need of a model: a network, or a mixture of networks."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

import pandas as pd

from baytree.networks.engines import Engine, InferenceEngine
from baytree.networks.row_answers import RowAnswers
from baytree.tables.encoding import TableEncoding


class Model(Protocol):
    """A network, or a mixture of networks."""

    @property
    def variables(self) -> tuple[Hashable, ...]:
        """Names of the variables."""

    def states(self, variable: Hashable) -> tuple[Hashable, ...]:
        """Return the states of a variable."""

    @property
    def _encoding(self) -> TableEncoding: ...

    @property
    def _positions(self) -> dict[Hashable, int]: ...

    @property
    def _encoded_states(self) -> dict[Hashable, tuple[Hashable, ...]]: ...

    @property
    def _state_indexes(self) -> dict[Hashable, pd.Index[Any]]: ...

    @property
    def _row_answers(self) -> RowAnswers: ...

    def _engine(self, engine: Engine, max_memory: float | None) -> InferenceEngine: ...
