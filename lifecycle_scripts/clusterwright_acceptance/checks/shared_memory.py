"""Shared memory: `/dev/shm` has room, and nothing of earlier jobs fills it."""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed

ID = "shared-memory"
FOLDER = "/dev/shm"  # noqa: S108 - the folder itself is checked
FLOOR_GIB = 8.0
LARGEST_USED = 0.1
SOURCE = "our rule: one GiB for each of eight ranks, and at most a tenth in use"


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind != "none" else "the type has no accelerators"


def look(probe: Probe, expected: Expected) -> Outcome:
    space = probe.space(FOLDER, is_remote=False)
    if space is None or not space.size_bytes:
        raise running.Unreadable(f"{FOLDER} cannot be read")
    gib = space.size_bytes / 2**30
    shown = {"value": gib, "floor": FLOOR_GIB, "unit": "GiB", "source": SOURCE}
    if gib < FLOOR_GIB:
        return failed(f"{FOLDER} has {gib:.1f} GiB", "report", **shown)
    used = 1 - space.available_bytes / space.size_bytes
    if used > LARGEST_USED:
        return failed(f"{used:.0%} of {FOLDER} is in use before any job", "reboot", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]
