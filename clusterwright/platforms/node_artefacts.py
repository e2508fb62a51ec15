"""Artefacts that nodes download from the cluster's bucket: the steps that use them, and their
list.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clusterwright.artefacts.lock import Artefact, LockError, read_lock
from clusterwright.artefacts.selection import CONTAINERS, asked_for
from clusterwright.cluster_spec import repository_root
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path as SpecPath
from clusterwright.cluster_spec.problems import Problem

LIST: SpecPath = ("lifecycle", "artefacts")


def list_file(cluster: Cluster) -> Path:
    """Return the list of artefacts that the spec names."""
    return repository_root.file(cluster.lifecycle.artefacts)


def fetching_steps(cluster: Cluster) -> dict[str, SpecPath]:
    """Return the steps that may use artefacts on this cluster's nodes, with their paths in the
    spec.
    """
    found: dict[str, SpecPath] = {}
    containers = cluster.slurm.containers
    if containers.pyxis and containers.install == "mirrored":
        found[CONTAINERS] = ("slurm", "containers", "install")
    for index, path in enumerate(cluster.lifecycle.steps):
        found[Path(path).stem] = ("lifecycle", "steps", index)
    return found


def artefacts_of(cluster: Cluster) -> tuple[Artefact, ...]:
    """Return the artefacts that this cluster's nodes download, in the order of the list.

    Raises
    ------
    LockError
        The list is missing or not valid; it is read only if a step may use it.
    """
    steps = fetching_steps(cluster)
    return asked_for(read_lock(list_file(cluster)), tuple(steps)) if steps else ()


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield a problem if the list is needed and cannot be read."""
    try:
        artefacts_of(cluster)
    except LockError as error:
        yield Problem(
            f"{cluster.lifecycle.artefacts}: {'; '.join(error.problems)}",
            LIST,
            hint="`clusterwright artefacts list` reads it",
            rests_on=(("slurm", "containers", "install"), ("lifecycle", "steps")),
        )
