import os

import pytest

from baytree.runtime.memory import available_memory

PHYSICAL = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
MAX_OF_VERSION_1 = 9223372036854771712  # how version 1 writes that there is no limit


@pytest.mark.parametrize(
    ("own_groups", "limits", "expected"),
    [
        ("0::/\n", {"memory.max": 5000}, 5000),
        ("0::/a/b\n", {"a/b/memory.max": "max", "a/memory.max": 7000}, 7000),
        ("0::/a/b\n", {"a/b/memory.max": 6000, "a/memory.max": 7000}, 6000),
        ("0::/of/the/host\n", {"memory.max": 5000}, 5000),
        ("0::/\n", {"memory.max": "max"}, PHYSICAL),
        ("0::/\n", {"memory.max": 2 * PHYSICAL}, PHYSICAL),
        ("0::/\n", {"other/memory.max": 5000}, PHYSICAL),
        ("4:cpu:/\n3:memory:/a\n", {"memory/a/memory.limit_in_bytes": 5000}, 5000),
        ("3:cpu,memory:/docker/x\n", {"memory/memory.limit_in_bytes": 5000}, 5000),
        ("3:memory:/\n0::/\n", {"memory/memory.limit_in_bytes": MAX_OF_VERSION_1}, PHYSICAL),
        ("1:name=systemd:/a\n", {"memory/a/memory.limit_in_bytes": 5000}, PHYSICAL),
        ("", {}, PHYSICAL),
    ],
)
def test_the_least_limit_counts(tmp_path, own_groups, limits, expected):
    (tmp_path / "own").write_text(own_groups)
    for name, limit in limits.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{limit}\n")
    assert available_memory(tmp_path / "own", tmp_path / "groups") == expected


def test_a_system_without_control_groups_has_its_physical_memory(tmp_path):
    assert available_memory(tmp_path / "nothing", tmp_path) == PHYSICAL
