"""The instance type is available as Spot."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class SpotSupport(GroupRule):
    id = "CW-C005"
    prevents = "Spot requests for the type are refused"
    source = "EC2 DescribeInstanceTypes, SupportedUsageClasses"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        if group.capacity.kind != "spot":
            return
        path = (*path, "capacity", "kind")
        name = group.instance_type
        instance = context.catalog.instance(name)
        if instance is None or not isinstance(instance.spot, Known):
            yield Unknown(
                message=f"no source states whether {name} is available as Spot", path=path
            )
        elif not instance.spot.value:
            yield Fail(message=f"{name} is not available as Spot", path=path, requested=name)
