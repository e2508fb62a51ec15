"""The platform supports the kind of capacity."""

from __future__ import annotations

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.capabilities import who_can
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import GroupRule


class CapacityKind(GroupRule):
    id = "CW-C006"
    prevents = "capacity that is paid for and that the cluster cannot use"
    source = "SageMaker CreateCluster; AWS documentation, Capacity Blocks for ML"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        kind = group.capacity.kind
        if kind in context.platform.capacity_kinds:
            return
        supported = ", ".join(sorted(context.platform.capacity_kinds))
        yield Fail(
            message=f"{context.platform.name} does not support {kind}: "
            f"{context.platform.refused_capacity[kind]}",
            path=(*path, "capacity", "kind"),
            requested=kind,
            hint=f"supported: {supported}; for {kind}: {who_can(f'capacity.{kind}')}",
        )
