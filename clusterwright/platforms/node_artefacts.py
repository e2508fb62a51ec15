"""What nodes fetch from the cluster's bucket: the steps that do, and the list of their files."""

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
    """The list of artefacts that the spec names."""
    return repository_root.file(cluster.lifecycle.artefacts)


def fetching_steps(cluster: Cluster) -> dict[str, SpecPath]:
    """Steps that may use artefacts on this cluster's nodes, and where the spec asks for them."""
    found: dict[str, SpecPath] = {}
    containers = cluster.slurm.containers
    if containers.pyxis and containers.install == "mirrored":
        found[CONTAINERS] = ("slurm", "containers", "install")
    for index, path in enumerate(cluster.lifecycle.steps):
        found[Path(path).stem] = ("lifecycle", "steps", index)
    return found


def artefacts_of(cluster: Cluster) -> tuple[Artefact, ...]:
    """The artefacts that this cluster's nodes fetch, in the order of the list.

    Raises
    ------
    LockError
        The list is missing or is no such list; it is read only where a step may use it.
    """
    steps = fetching_steps(cluster)
    return asked_for(read_lock(list_file(cluster)), tuple(steps)) if steps else ()


def problems(cluster: Cluster) -> Iterator[Problem]:
    """A list that cannot be read, where one is needed."""
    try:
        artefacts_of(cluster)
    except LockError as error:
        yield Problem(
            f"{cluster.lifecycle.artefacts}: {'; '.join(error.problems)}",
            LIST,
            hint="`clusterwright artefacts list` reads it",
            rests_on=(("slurm", "containers", "install"), ("lifecycle", "steps")),
        )
