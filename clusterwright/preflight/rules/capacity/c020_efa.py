"""Nodes that train together support EFA."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.accelerators import family
from clusterwright.preflight.rule import Context, Fail, Path, Results, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class MultiNodeEfa(GroupRule):
    id = "CW-C020"
    severity = "warning"
    prevents = "collectives between nodes that use TCP at a fraction of the speed"
    source = "AWS documentation, EFA"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        if group.role != "compute" or group.count < 2:
            return
        if family(group.instance_type, context.catalog) == "none":
            return
        path = (*path, "instance_type")
        instance = context.catalog.instance(group.instance_type)
        interfaces = instance.efa_interfaces if instance else None
        if not isinstance(interfaces, Known):
            yield Unknown(
                message=f"no source states whether {group.instance_type} supports EFA", path=path
            )
        elif interfaces.value == 0:
            yield Fail(
                message=f"{group.count} × {group.instance_type} do not support EFA",
                path=path,
                hint="choose a type with EFA, or run single-node jobs",
            )
