"""The root volume and the scratch disks: free space, and writable."""

from __future__ import annotations

import os

from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = True

MINIMUM_FREE_PERCENT = 3


def look(probe: Probe, expected: Expected) -> list[Finding]:
    found = []
    for path in ("/", expected.scratch_path):
        if path is None:
            continue
        try:
            state = os.statvfs(probe.path(path))
        except OSError as error:
            found.append(Finding("disk", f"{path}: {error.strerror}", "reboot"))
            continue
        if state.f_flag & os.ST_RDONLY:
            found.append(Finding("disk", f"{path} is read-only", "reboot"))
        # Users can free scratch space themselves; a full root volume affects all jobs.
        elif path == "/" and state.f_blocks:
            free = 100 * state.f_bavail / state.f_blocks
            if free < MINIMUM_FREE_PERCENT:
                found.append(Finding("disk", f"{path}: {free:.0f} % free"))
    return found
