"""Memory that this process may use, in a container or not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath


@cache  # readers of files call it for every block of rows
def available_memory(
    own_groups: Path = Path("/proc/self/cgroup"), groups: Path = Path("/sys/fs/cgroup")
) -> int:
    """Return the bytes of memory of the machine, or the limit of the control groups if lower."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *_group_limits(own_groups, groups)])


def _group_limits(own_groups: Path, groups: Path) -> Iterator[int]:
    """Yield the limits of the groups of this process and of those above them, on Linux."""
    for line in _text(own_groups).splitlines():
        _, controllers, group = line.split(":", maxsplit=2)
        if controllers == "":  # version 2
            root, name = groups, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = groups / "memory", "memory.limit_in_bytes"
        else:
            continue
        # The process may see another root than the one that its groups are named from.
        own = PurePosixPath(group.lstrip("/"))
        for path in (own, *own.parents):
            limit = _text(root / path / name).strip()
            if limit.isdigit():  # "max" is no limit
                yield int(limit)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # not Linux, or not readable
        return ""
