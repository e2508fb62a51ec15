"""When the hold looks again: regularly, and often at first and after slurm.conf was written.

In the managed configuration HyperPod writes the node into slurm.conf, has slurmctld read it, and
starts slurmd before the lifecycle scripts. A node under a new name can be reserved between the
second and the third: once it has registered, it takes jobs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from clusterwright_state.slurm_view import CONFIGURATIONS

USUALLY_SECONDS = 2.0
OFTEN_SECONDS = 0.2
FRESH_SECONDS = 60.0
"""How long the hold looks often: slurmctld has read the file, and slurmd has registered, by then.
How long HyperPod takes is unknown; later nodes are seen at the usual looks."""


class LookPace:
    """The pace of one hold. `paths` are files of which one is slurm.conf."""

    def __init__(self, paths: Sequence[str] = CONFIGURATIONS) -> None:
        self._paths = paths
        self._seen = self._stamps()
        # slurm.conf may have been written just before.
        self._often_until = time.monotonic() + FRESH_SECONDS

    def wait(self) -> None:
        """Return when it is time for the next look."""
        began = time.monotonic()
        while True:
            time.sleep(OFTEN_SECONDS)
            now, stamps = time.monotonic(), self._stamps()
            if stamps != self._seen:
                self._seen, self._often_until = stamps, now + FRESH_SECONDS
            if now < self._often_until or now - began >= USUALLY_SECONDS:
                return

    def _stamps(self) -> list[Optional[tuple[int, int, int]]]:
        return [_stamp(path) for path in self._paths]


def _stamp(path: str) -> Optional[tuple[int, int, int]]:
    """What changes when a file is written or replaced; None without the file."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
