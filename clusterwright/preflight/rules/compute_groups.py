"""Lookups over the compute groups of a spec."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.catalog import Known
from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.cluster_spec.models.compute import ComputeGroup, TrainingPlan
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context


def by_type(
    groups: Iterable[tuple[Path, ComputeGroup]],
) -> dict[str, list[tuple[Path, ComputeGroup]]]:
    """Return the groups with instances, by EC2 instance type, in the order of the spec."""
    found: dict[str, list[tuple[Path, ComputeGroup]]] = {}
    for path, group in groups:
        if group.count:
            found.setdefault(group.instance_type, []).append((path, group))
    return found


def by_plan(context: Context) -> dict[str, list[tuple[Path, ComputeGroup]]]:
    """Return the groups with instances by the ARN of their training plan, in the order of the
    spec.
    """
    found: dict[str, list[tuple[Path, ComputeGroup]]] = {}
    for path, group in context.groups("training-plan"):
        arn = plan_arn(group)
        if arn is not None and group.count:
            found.setdefault(arn, []).append((path, group))
    return found


def plan_arn(group: ComputeGroup) -> str | None:
    """Return the ARN of the training plan that a group uses."""
    return group.capacity.arn if isinstance(group.capacity, TrainingPlan) else None


def plan_name(arn: str) -> str:
    """Return the name of a training plan: the part of its ARN after the last slash."""
    return arn.rpartition("/")[2]


def largest(groups: Iterable[tuple[Path, ComputeGroup]]) -> Path:
    """Return the path of the count of the largest of these groups."""
    path, _ = max(groups, key=lambda pair: pair[1].count)
    return (*path, "count")


def can_have_nodes(context: Context, group: ComputeGroup) -> bool:
    """Return whether the group has nodes, or gets nodes when pods are pending."""
    return group.count > 0 or is_scaled(context.cluster, group)


def instance_types(context: Context) -> dict[str, Path]:
    """Return each instance type of the cluster with the path of its first use."""
    found: dict[str, Path] = {}
    for path, group in context.groups():
        if can_have_nodes(context, group):
            found.setdefault(group.instance_type, (*path, "instance_type"))
    return found


def ultraserver_sizes(context: Context, instance_type: str) -> list[int]:
    """The instances per UltraServer of this type, ascending; empty if it is not sold in
    UltraServers.
    """
    return sorted(
        {
            server.instance_count.value
            for server in context.catalog.ultraservers.values()
            if isinstance(server.instance_type, Known)
            and server.instance_type.value == instance_type
            and isinstance(server.instance_count, Known)
        }
    )
