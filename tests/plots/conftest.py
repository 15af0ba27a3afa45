import matplotlib as mpl
import pytest


@pytest.fixture(autouse=True)
def no_windows():
    """Draw into memory, and leave no figure behind."""
    from matplotlib import pyplot

    mpl.use("Agg")
    yield
    pyplot.close("all")
