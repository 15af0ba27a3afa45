"""Base classes of containers: a view reads a table, a layout builds one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from baytree.exceptions import TableError
from baytree.messages.quoting import quoted
from baytree.tables.columns import Cells, Mask, StateCodes


class TableLayout(ABC):
    """Construction of a container from columns; without cells, so that it can be kept and pickled.

    Columns, dtypes and tables are those of the container.
    """

    kind: ClassVar[str]

    @abstractmethod
    def column(self, codes: StateCodes, labels: Sequence[Any], dtype: Any) -> Any:
        """Return a new column of the labels that the codes stand for; code -1 is missing."""

    @abstractmethod
    def ordered_dtype(self, labels: Sequence[str]) -> Any:
        """Return the dtype of ordered states, where the container has one."""

    @abstractmethod
    def table(self, names: Sequence[Hashable], columns: Sequence[Any], like: Any = None) -> Any:
        """Return a new table; it takes the row index of `like` where both are pandas frames."""


class TableView(ABC):
    """A table as named columns that can be read and replaced."""

    native: Any
    layout: TableLayout
    names: tuple[Hashable, ...]
    n_rows: int

    def check(self, *, may_be_empty: bool = False) -> None:
        """Refuse a table without variables, with equal names, or without rows."""
        if not self.names:
            raise TableError(  # in the words that scikit-learn's estimator checks look for
                f"The table has no variables: 0 feature(s) (shape=({self.n_rows}, 0)) while a "
                "minimum of 1 is required."
            )
        if self.n_rows == 0 and not may_be_empty:
            raise TableError(
                f"The table has no rows; its variables are {quoted(self.names)}. Give one "
                "with at least one row."
            )
        check_distinct(self.names)

    @property
    def header(self) -> Any:
        """A table with these columns; its rows do not matter."""
        return self.native

    @abstractmethod
    def dtype(self, position: int) -> Any:
        """Return the dtype of the column at a position."""

    @abstractmethod
    def cells(self, position: int) -> Cells:
        """Return the cells of a column."""

    @abstractmethod
    def filled(self, position: int, where: Mask, codes: StateCodes, labels: Sequence[Any]) -> Any:
        """Return a column with `labels[codes]` in the cells of a mask."""

    @abstractmethod
    def with_missing(self, position: int, where: Mask) -> Any:
        """Return a column with the cells of a mask missing."""

    @abstractmethod
    def replaced(self, columns: Mapping[int, Any], n_threads: int = 1) -> Any:
        """Return the table with some of its columns replaced; threads copy the others."""


def check_distinct(names: Sequence[Hashable]) -> None:
    """Raise an error if two variables have one name."""
    doubles = [name for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise TableError(
            f"Several columns share the name {quoted(doubles)}. Rename or drop all but one."
        )
