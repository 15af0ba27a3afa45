import importlib.metadata
import subprocess
import sys

import pytest

import baytree


@pytest.mark.parametrize("name", baytree.__all__)
def test_every_public_name_can_be_loaded(name):
    assert getattr(baytree, name) is not None


def test_dir_lists_the_public_names():
    assert dir(baytree) == sorted(baytree.__all__)


def test_version_is_that_of_the_installed_package():
    assert baytree.__version__ == importlib.metadata.version("baytree")


def test_exceptions_are_there_without_an_import_of_their_own():
    code = "import baytree; baytree.exceptions.BaytreeError"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'baytree' has no attribute 'Learner'"):
        _ = baytree.Learner


@pytest.mark.parametrize("module", ["numpy", "pandas", "sklearn", "matplotlib"])
def test_import_does_not_load(module):
    code = f"import sys, baytree; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_using_a_network_does_not_load_matplotlib():
    code = "import sys, baytree; baytree.BayesianNetwork; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
