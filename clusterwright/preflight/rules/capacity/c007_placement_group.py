"""The platform and the capacity support the placement group."""

from __future__ import annotations

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.capabilities import who_can
from clusterwright.platforms.traits import PLACEMENT_GROUP_REFUSED_WITH
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import GroupRule


class PlacementGroup(GroupRule):
    id = "CW-C007"
    prevents = "instances that never start: a capacity block does not support placement groups"
    source = "AWS documentation, Capacity Blocks for ML; aws/aws-parallelcluster PR #6311"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        if not group.placement_group:
            return
        path = (*path, "placement_group")
        kind = group.capacity.kind
        if not context.platform.placement_groups:
            reason = context.platform.placement_group_reason
            yield Fail(
                message=reason, path=path, hint=f"remove it, or {who_can('placement_group')}"
            )
        elif kind in PLACEMENT_GROUP_REFUSED_WITH:
            yield Fail(
                message=f"{kind} capacity does not support a placement group",
                path=path,
                hint="placement_group: false",
            )
