"""Slurm versions of AWS PCS, and which updates it makes.

PCS user guide, working-with_clusters_version_update (read 2026-11): only to newer versions, over
at most three major versions at a time. The dates on which AWS ends a version are in no source read
here; the state of the deployed cluster shows that it ended.
"""

from __future__ import annotations

from typing import Final

SOURCE: Final = "PCS user guide, working-with_clusters_version_update; PCS API, Cluster.status"

VERSIONS: Final = ("23.11", "24.05", "24.11", "25.05", "25.11", "26.05")
"""Major versions in the order of their release."""

MOST_STEPS: Final = 3
"""Major versions that one update may advance."""


def steps(current: str, target: str) -> int | None:
    """Return the number of major versions from `current` to `target`, negative for older ones.

    None if one of them is not in `VERSIONS`.
    """
    if current not in VERSIONS or target not in VERSIONS:
        return None
    return VERSIONS.index(target) - VERSIONS.index(current)
