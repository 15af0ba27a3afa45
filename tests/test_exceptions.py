import inspect

import pytest

from baytree import exceptions
from baytree.exceptions import BaytreeError, BaytreeWarning, UnknownVariableError

CLASSES = [kind for _, kind in inspect.getmembers(exceptions, inspect.isclass)]


@pytest.mark.parametrize("kind", CLASSES)
def test_the_tree_at_the_top_shows_every_class(kind):
    assert f" {kind.__name__}" in exceptions.__doc__


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_has_a_base_of_baytree_and_a_builtin_one(kind):
    assert issubclass(kind, (BaytreeError, BaytreeWarning))
    if kind is not BaytreeError:
        assert issubclass(kind, (ValueError, KeyError, MemoryError, UserWarning))


def test_the_message_of_an_unknown_variable_is_not_quoted():
    with pytest.raises(KeyError) as caught:
        raise UnknownVariableError("There is no variable 'smoker'.")
    assert str(caught.value) == "There is no variable 'smoker'."
