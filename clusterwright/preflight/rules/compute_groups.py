"""Groups of a spec, sorted by what rules ask about them."""

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
    """Groups with instances, by EC2 instance type, in the order of the spec."""
    found: dict[str, list[tuple[Path, ComputeGroup]]] = {}
    for path, group in groups:
        if group.count:
            found.setdefault(group.instance_type, []).append((path, group))
    return found


def by_plan(context: Context) -> dict[str, list[tuple[Path, ComputeGroup]]]:
    """Groups with instances by the ARN of their training plan, in the order of the spec."""
    found: dict[str, list[tuple[Path, ComputeGroup]]] = {}
    for path, group in context.groups("training-plan"):
        arn = plan_arn(group)
        if arn is not None and group.count:
            found.setdefault(arn, []).append((path, group))
    return found


def plan_arn(group: ComputeGroup) -> str | None:
    """The ARN of the plan that a group takes its instances from."""
    return group.capacity.arn if isinstance(group.capacity, TrainingPlan) else None


def plan_name(arn: str) -> str:
    """The name by which SageMaker describes a plan: what follows the last slash of its ARN."""
    return arn.rpartition("/")[2]


def largest(groups: Iterable[tuple[Path, ComputeGroup]]) -> Path:
    """Where the count of the largest of these groups stands."""
    path, _ = max(groups, key=lambda pair: pair[1].count)
    return (*path, "count")


def can_have_nodes(context: Context, group: ComputeGroup) -> bool:
    """Whether there are nodes of the group now, or as soon as pods wait for some."""
    return group.count > 0 or is_scaled(context.cluster, group)


def wanted_types(context: Context) -> dict[str, Path]:
    """Each instance type of the cluster with where it is first written."""
    found: dict[str, Path] = {}
    for path, group in context.groups():
        if can_have_nodes(context, group):
            found.setdefault(group.instance_type, (*path, "instance_type"))
    return found


def ultraserver_sizes(context: Context, instance_type: str) -> list[int]:
    """Instances of one UltraServer of this type, smallest first; empty where it is sold singly."""
    return sorted(
        {
            server.instance_count.value
            for server in context.catalog.ultraservers.values()
            if isinstance(server.instance_type, Known)
            and server.instance_type.value == instance_type
            and isinstance(server.instance_count, Known)
        }
    )
