"""Each instance type that is to be spot exists as spot."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class SpotSupport(GroupRule):
    id = "CW-C005"
    title = "The instance type is sold as spot"
    scope = "offline"
    prevents = "spot requests for the type are refused"
    source = "EC2 DescribeInstanceTypes, SupportedUsageClasses"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        if group.capacity.kind != "spot":
            return
        path = (*path, "capacity", "kind")
        name = group.instance_type
        instance = context.catalog.instance(name)
        if instance is None or not isinstance(instance.spot, Known):
            yield Unknown(message=f"whether {name} is sold as spot: no source says", path=path)
        elif not instance.spot.value:
            yield Fail(message=f"{name} is not sold as spot", path=path, requested=name)


RULE = SpotSupport()
