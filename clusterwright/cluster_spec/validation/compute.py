"""Groups: exactly one controller group, counts that agree with each other."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem

ROLES = {
    False: ("controller", "login", "compute"),
    True: ("system", "compute"),
}
"""Roles of groups under Slurm, and under Kubernetes, whose control plane is not ours."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    yield from _roles(cluster)
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        if group.role not in ROLES[cluster.uses_kubernetes]:
            continue  # what the role takes is another platform's matter
        if group.role == "compute":
            yield from _spares(group, here)
        else:
            yield from _no_jobs(group, here)
        yield from _least(cluster, group, here)
        yield from _most(group, here)


def _roles(cluster: Cluster) -> Iterator[Problem]:
    controllers = [i for i, g in enumerate(cluster.compute) if g.role == "controller"]
    for index, group in enumerate(cluster.compute):
        if group.role not in ROLES[cluster.uses_kubernetes]:
            yield Problem(
                f"{cluster.platform} has no groups of the role {group.role}",
                ("compute", index, "role"),
                hint=f"roles there: {', '.join(ROLES[cluster.uses_kubernetes])}",
                other_path=("platform",),
            )
    if cluster.uses_slurm:
        yield from _controllers(controllers)
    if not any(g.role == "compute" for g in cluster.compute):
        yield Problem(
            "no group has the role compute",
            ("compute",),
            on_key=True,
            hint="add {name: workers, role: compute, instance_type: p5.48xlarge, count: 2}",
        )


def _controllers(indexes: list[int]) -> Iterator[Problem]:
    if not indexes:
        yield Problem(
            "no group has the role controller",
            ("compute",),
            on_key=True,
            hint="add {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}",
        )
    for index in indexes[1:]:
        yield Problem(
            "a second group with the role controller",
            ("compute", index, "role"),
            other_path=("compute", indexes[0], "role"),
        )


def _no_jobs(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    """What only makes sense where jobs run."""
    role: Path = (*here, "role")
    if group.role == "controller" and group.count != 1:
        yield Problem(
            f"{group.count} controllers: several need a shared state directory, "
            "which is not built yet",
            (*here, "count"),
            hint="count: 1",
            other_path=role,
        )
    if group.spare_count:
        yield Problem(
            f"a {group.role} group has no spares", (*here, "spare_count"), other_path=role
        )
    if group.capacity.kind not in ("on-demand", "reservation"):
        yield Problem(
            f"a {group.role} must not depend on {group.capacity.kind} capacity",
            (*here, "capacity", "kind"),
            hint="kind: on-demand",
            other_path=role,
        )


def _spares(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if group.spare_count and group.spare_count >= group.count:
        yield Problem(
            f"{group.spare_count} spares of {group.count} leave no instance for jobs",
            (*here, "spare_count"),
            other_path=(*here, "count"),
        )


def _least(cluster: Cluster, group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if group.min_count is None:
        return
    if group.min_count > group.count:
        yield Problem(
            f"min_count {group.min_count} is more than count {group.count}",
            (*here, "min_count"),
            other_path=(*here, "count"),
        )
    if cluster.on_hyperpod and cluster.resilience.node_provisioning != "continuous":
        yield Problem(
            "min_count needs continuous provisioning",
            (*here, "min_count"),
            other_path=("resilience", "node_provisioning"),
        )


def _most(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if group.max_count is None:
        return
    if group.max_count < group.count:
        yield Problem(
            f"max_count {group.max_count} is less than count {group.count}",
            (*here, "max_count"),
            other_path=(*here, "count"),
        )
    if group.role == "controller":
        yield Problem(
            "a controller group does not grow", (*here, "max_count"), other_path=(*here, "role")
        )
