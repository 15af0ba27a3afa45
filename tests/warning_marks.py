"""Marks for tests of tables that are random, and so may or may not cause a warning."""

import pytest

may_hold_identifiers = pytest.mark.filterwarnings("ignore::baytree.exceptions.IdentifierWarning")
