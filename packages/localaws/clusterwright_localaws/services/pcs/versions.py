"""Slurm versions of AWS PCS.

Creation and targets: API model (botocore 1.44.5), SchedulerRequest and UpdateSchedulerRequest.
Steps: PCS user guide, "Updating the scheduler version of a cluster in AWS PCS"
(working-with_clusters_version_update) and its troubleshooting page.
"""

from __future__ import annotations

from typing import Final

from clusterwright_localaws.services.pcs.state import Store, invalid

# Major versions in the order of their release.
VERSIONS: Final = ("23.11", "24.05", "24.11", "25.05", "25.11", "26.05")
CREATABLE: Final = ("24.11", "25.05", "25.11", "26.05")
TARGETS: Final = ("24.05", "24.11", "25.05", "25.11", "26.05")
# "You cannot skip beyond three major versions in a single update."
MOST_STEPS: Final = 3


def check_creatable(store: Store, version: str) -> None:
    """Refuse a version that no cluster can be created with.

    Raises
    ------
    AwsError
        ValidationException.
    """
    if version not in CREATABLE or is_suspended(store, version):
        known = [one for one in CREATABLE if not is_suspended(store, one)]
        raise invalid(
            "scheduler.version",
            f"The scheduler version {version} isn't supported. Supported: {', '.join(known)}.",
        )


def check_update(store: Store, current: str, target: str) -> None:
    """Refuse an update to an older or unknown version, or over more than three versions.

    Raises
    ------
    AwsError
        ValidationException.
    """
    member = "scheduler.version"
    if target not in TARGETS or is_suspended(store, target):
        raise invalid(member, f"The scheduler version {target} isn't supported.")
    steps = VERSIONS.index(target) - VERSIONS.index(current)
    if steps <= 0:
        raise invalid(
            member,
            f"A cluster with the scheduler version {current} cannot be updated to {target}: only "
            "newer versions are supported.",
        )
    if steps > MOST_STEPS:
        raise invalid(
            member,
            f"A cluster with the scheduler version {current} cannot be updated to {target} in one "
            f"update: at most {MOST_STEPS} major versions.",
        )


def at_least(version: str, wanted: str) -> bool:
    """Return whether a version is `wanted` or newer."""
    return VERSIONS.index(version) >= VERSIONS.index(wanted)


def is_suspended(store: Store, version: str) -> bool:
    """Return whether AWS has suspended the clusters of a version; the world states when."""
    moment = store.suspensions.get(version)
    return moment is not None and moment <= store.runtime.clock.now()
