"""Groups: roles, counts and spares."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem

ROLES = {
    False: ("controller", "login", "compute"),
    True: ("system", "compute"),
}
"""Roles of groups under Slurm, and under Kubernetes, with a managed control plane."""


def roles_of(cluster: Cluster) -> tuple[str, ...]:
    """Return the roles of groups on the cluster's platform."""
    roles = ROLES[cluster.uses_kubernetes]
    if cluster.traits.service_runs_controller:
        return tuple(role for role in roles if role != "controller")
    return roles


def problems(cluster: Cluster) -> Iterator[Problem]:
    yield from _roles(cluster)
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        if group.role not in roles_of(cluster):
            continue  # settings of the role depend on another platform
        if group.role == "compute":
            yield from _spares(group, here)
        else:
            yield from _without_jobs(group, here)
        yield from _interruptible(cluster, group, here)
        yield from _minimum(cluster, group, here)
        yield from _maximum(group, here)


def _roles(cluster: Cluster) -> Iterator[Problem]:
    controllers = [i for i, g in enumerate(cluster.compute) if g.role == "controller"]
    for index, group in enumerate(cluster.compute):
        if group.role not in roles_of(cluster):
            yield Problem(
                f"{cluster.platform} does not support the role {group.role}",
                ("compute", index, "role"),
                hint=f"supported roles: {', '.join(roles_of(cluster))}",
                other_path=("platform",),
            )
    if cluster.traits.service_runs_controller:
        yield from _administration(cluster)
    elif cluster.uses_slurm:
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
            "only one group can have the role controller",
            ("compute", index, "role"),
            other_path=("compute", indexes[0], "role"),
        )


def _administration(cluster: Cluster) -> Iterator[Problem]:
    """The service runs the controller, so a login node publishes the cluster's state, handles
    requests of operators and applies accounts; two would do so against each other.
    """
    logins = [index for index, group in enumerate(cluster.compute) if group.role == "login"]
    if not logins:
        yield Problem(
            "no group has the role login: its node administers the cluster, because the service "
            "runs the controller",
            ("compute",),
            on_key=True,
            hint="add {name: login, role: login, instance_type: m5.4xlarge, count: 1}",
        )
    elif cluster.compute[logins[0]].count != 1:
        yield Problem(
            f"count is {cluster.compute[logins[0]].count}: one node of the first login group "
            "administers the cluster",
            ("compute", logins[0], "count"),
            hint="count: 1, and a second login group for more login nodes",
            other_path=("compute", logins[0], "role"),
        )


def _without_jobs(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    """Settings that require the role compute."""
    role: Path = (*here, "role")
    if group.role == "controller" and group.count != 1:
        yield Problem(
            f"count is {group.count}: multiple controllers are not supported",
            (*here, "count"),
            hint="count: 1",
            other_path=role,
        )
    if group.spare_count:
        yield Problem(
            f"a {group.role} group cannot have spares", (*here, "spare_count"), other_path=role
        )
    if group.capacity.kind not in ("on-demand", "reservation"):
        yield Problem(
            f"a {group.role} group does not support {group.capacity.kind} capacity",
            (*here, "capacity", "kind"),
            hint="kind: on-demand",
            other_path=role,
        )


def _interruptible(cluster: Cluster, group: ComputeGroup, here: Path) -> Iterator[Problem]:
    key: Path = (*here, "capacity", "interruptible")
    if not group.is_interruptible or "reservation" not in cluster.traits.capacity_kinds:
        return
    if not cluster.traits.interruptible_reservations:
        yield Problem(
            f"interruptible capacity reservations are not supported on {cluster.platform}",
            key,
            hint="an ordinary reservation, or platform: pcs",
            other_path=("platform",),
        )
    elif group.role != "compute":
        yield Problem(
            f"a {group.role} group does not support interruptible capacity",
            key,
            hint="an ordinary reservation, or kind: on-demand",
            other_path=(*here, "role"),
        )


def _spares(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if group.spare_count and group.spare_count >= group.count:
        yield Problem(
            f"{group.spare_count} spares of {group.count} instances leave none for jobs",
            (*here, "spare_count"),
            other_path=(*here, "count"),
        )


def _minimum(cluster: Cluster, group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if group.min_count is None:
        return
    if group.min_count > group.count:
        yield Problem(
            f"min_count {group.min_count} must be at most count {group.count}",
            (*here, "min_count"),
            other_path=(*here, "count"),
        )
    if cluster.on_hyperpod and cluster.resilience.node_provisioning != "continuous":
        yield Problem(
            "min_count requires continuous provisioning",
            (*here, "min_count"),
            other_path=("resilience", "node_provisioning"),
        )


def _maximum(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    if group.max_count is None:
        return
    if group.max_count < group.count:
        yield Problem(
            f"max_count {group.max_count} must be at least count {group.count}",
            (*here, "max_count"),
            other_path=(*here, "count"),
        )
    if group.role == "controller":
        yield Problem(
            "a controller group cannot have max_count",
            (*here, "max_count"),
            other_path=(*here, "role"),
        )
