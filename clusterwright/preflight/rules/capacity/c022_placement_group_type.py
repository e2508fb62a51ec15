"""The instance type supports a cluster placement group."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class PlacementGroupType(GroupRule):
    id = "CW-C022"
    prevents = "RunInstances fails: the type is not supported in a cluster placement group"
    source = (
        "EC2 DescribeInstanceTypes, PlacementGroupInfo; aws/aws-parallelcluster, "
        "InstanceTypePlacementGroup"
    )

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        if not group.placement_group:
            return
        path = (*path, "placement_group")
        instance = context.catalog.instance(group.instance_type)
        takes = instance.placement_group_cluster if instance else None
        if not isinstance(takes, Known):
            yield Unknown(
                message=f"no source states whether {group.instance_type} supports a cluster "
                "placement group",
                path=path,
            )
        elif not takes.value:
            yield Fail(
                message=f"{group.instance_type} does not support cluster placement groups",
                path=path,
                requested=group.instance_type,
                hint="placement_group: false",
            )
