import importlib
import inspect
import re
from pathlib import Path

import pytest

import baytree
from baytree import exceptions

INDEX = (Path(__file__).parents[1] / "docs" / "api" / "index.md").read_text()
LISTED = re.findall(r"^- `(\w+)`", INDEX, flags=re.MULTILINE)
SECTIONS = dict(re.findall(r"^### [^\n]*\(`([\w.]+)`\)\n(.*?)(?=^##|\Z)", INDEX, re.M | re.S))
EXCEPTIONS = [name for name, _ in inspect.getmembers(exceptions, inspect.isclass)]


def test_every_public_name_is_listed_once():
    assert {*baytree.__all__, *EXCEPTIONS} <= set(LISTED)
    assert len(LISTED) == len(set(LISTED))


@pytest.mark.parametrize("module", SECTIONS)
def test_every_listed_name_is_in_its_module_and_has_a_docstring(module):
    for name in re.findall(r"^- `(\w+)`", SECTIONS[module], flags=re.MULTILINE):
        assert inspect.getdoc(getattr(importlib.import_module(module), name)), name


def test_only_the_version_is_listed_without_a_module():
    assert set(LISTED) - set(re.findall(r"^- `(\w+)`", "".join(SECTIONS.values()), re.M)) == {
        "__version__"
    }


@pytest.mark.parametrize("name", [name for name in baytree.__all__ if name != "__version__"])
def test_every_name_stands_under_its_module(name):
    assert f"- `{name}`" in SECTIONS[getattr(baytree, name).__module__]


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_every_error_and_warning_stands_under_exceptions(name):
    assert f"- `{name}`" in SECTIONS["baytree.exceptions"]
