import signal

import pytest
from hypothesis import HealthCheck, settings

# A shell starts background jobs with SIGINT ignored, and whatever tests start would inherit that.
# baytree itself leaves it ignored, as is usual; tests that send Ctrl-C need it back.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples are drawn from a fixed seed, so a run repeats; a slow machine is no failure.
settings.register_profile("baytree", derandomize=True, deadline=None)
settings.register_profile(
    "sanitize",
    parent=settings.get_profile("baytree"),
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("baytree")


@pytest.fixture
def written(tmp_path):
    """Write text or bytes to a file of a given name, and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
