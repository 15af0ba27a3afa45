"""Errors and warnings of baytree.

::

    Exception
    └── BaytreeError
        ├── TableError (ValueError)                a table that cannot be encoded
        │   ├── FileFormatError                    a broken file: its name, line and column
        │   └── MissingCellError                   missing cells where rows must be complete
        ├── ImpossibleEvidenceError (ValueError)   evidence of probability zero
        ├── InferenceTooLargeError (MemoryError)   a query that needs more memory than it may have
        ├── UnknownStateError (ValueError)         a state that fit did not see
        └── UnknownVariableError (KeyError)        a variable that does not exist

    UserWarning
    └── BaytreeWarning
        ├── ConvergenceWarning                     an approximation did not converge
        ├── DiscretizationWarning                  numeric variables were cut into bins
        ├── EmptyVariableWarning                   a variable without a single observed cell
        ├── EscapedLabelWarning                    a file cannot hold a label as it is
        ├── IdentifierWarning                      a variable looks like an identifier or a date
        ├── IgnoredColumnWarning                   a column of row numbers was left out
        ├── InterruptedWarning                     stopped by Ctrl-C, best so far returned
        ├── MemoryLimitWarning                     a search ran out of memory, best so far returned
        ├── MixedColumnWarning                     a few words among numbers make a column text
        ├── RejectedNetworksWarning                EM found no network better than its start
        └── TimeLimitWarning                       a time limit too short for a result or its proof

Catch `BaytreeError` for every error that baytree raises on purpose, or the builtin in brackets.
"""


class BaytreeError(Exception):
    """Base class of every error that baytree raises on purpose.

    Examples
    --------
    >>> issubclass(TableError, BaytreeError)
    True
    """


class TableError(BaytreeError, ValueError):
    """A table has no rows, no variables, or cells that cannot be states.

    Examples
    --------
    >>> issubclass(TableError, ValueError)
    True
    """


class FileFormatError(TableError):
    """A file breaks its format; the message names the file, the line and the column.

    Examples
    --------
    >>> issubclass(FileFormatError, TableError)
    True
    """


class MissingCellError(TableError):
    """A table has missing cells where its rows must be complete.

    Examples
    --------
    >>> issubclass(MissingCellError, TableError)
    True
    """


class ImpossibleEvidenceError(BaytreeError, ValueError):
    """A query is conditioned on evidence that has probability zero.

    Examples
    --------
    >>> issubclass(ImpossibleEvidenceError, ValueError)
    True
    """


class InferenceTooLargeError(BaytreeError, MemoryError):
    """A query needs more memory than it may have; nothing was allocated.

    Examples
    --------
    >>> issubclass(InferenceTooLargeError, MemoryError)
    True
    """


class UnknownStateError(BaytreeError, ValueError):
    """A cell or a piece of evidence holds a state that its variable does not have.

    Examples
    --------
    >>> issubclass(UnknownStateError, ValueError)
    True
    """


class UnknownVariableError(BaytreeError, KeyError):
    """A name is not the name of a variable.

    Examples
    --------
    >>> str(UnknownVariableError("There is no variable 'smoker'."))
    "There is no variable 'smoker'."
    """

    def __str__(self) -> str:
        """Return the message as it is; KeyError would quote it."""
        return Exception.__str__(self)


class BaytreeWarning(UserWarning):
    """Base class of every warning of baytree.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", BaytreeWarning)
    """


class ConvergenceWarning(BaytreeWarning):
    """An approximation did not converge; its result may be far off.

    Examples
    --------
    >>> issubclass(ConvergenceWarning, BaytreeWarning)
    True
    """


class DiscretizationWarning(BaytreeWarning):
    """Numeric variables were cut into bins.

    Examples
    --------
    >>> issubclass(DiscretizationWarning, BaytreeWarning)
    True
    """


class EmptyVariableWarning(BaytreeWarning):
    """A variable has no observed cell, so its missing cells cannot be filled.

    Examples
    --------
    >>> issubclass(EmptyVariableWarning, BaytreeWarning)
    True
    """


class EscapedLabelWarning(BaytreeWarning):
    """The format of a file cannot hold a name or a state, and another word stands for it.

    Examples
    --------
    >>> issubclass(EscapedLabelWarning, BaytreeWarning)
    True
    """


class IdentifierWarning(BaytreeWarning):
    """A variable has so many states that it is probably an identifier, or holds dates.

    Examples
    --------
    >>> issubclass(IdentifierWarning, BaytreeWarning)
    True
    """


class IgnoredColumnWarning(BaytreeWarning):
    """A column without a name of its own numbers the rows, and was left out.

    Examples
    --------
    >>> issubclass(IgnoredColumnWarning, BaytreeWarning)
    True
    """


class InterruptedWarning(BaytreeWarning):
    """A long call was stopped by Ctrl-C and returned the best found so far.

    Examples
    --------
    >>> issubclass(InterruptedWarning, BaytreeWarning)
    True
    """


class MemoryLimitWarning(BaytreeWarning):
    """Half of the machine's memory did not suffice for a proof; the result is the best so far.

    Examples
    --------
    >>> issubclass(MemoryLimitWarning, BaytreeWarning)
    True
    """


class MixedColumnWarning(BaytreeWarning):
    """A column of numbers is text, because a few of its cells are words.

    Examples
    --------
    >>> issubclass(MixedColumnWarning, BaytreeWarning)
    True
    """


class RejectedNetworksWarning(BaytreeWarning):
    """Structural EM returned the network that it started from, and rejected those of searches.

    Examples
    --------
    >>> issubclass(RejectedNetworksWarning, BaytreeWarning)
    True
    """


class TimeLimitWarning(BaytreeWarning):
    """A time limit ended a search before it had begun, or before the proof of its result.

    Examples
    --------
    >>> issubclass(TimeLimitWarning, BaytreeWarning)
    True
    """
