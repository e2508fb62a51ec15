"""Capacity blocks of the instance type are sold in the region."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results, Unknown
from clusterwright.preflight.rules.group_rule import GroupRule


class CapacityBlockType(GroupRule):
    id = "CW-C009"
    prevents = "no such block can be bought: launches into it are refused"
    source = "AWS documentation, Capacity Blocks for ML; aws/aws-parallelcluster, CapacityType"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        if group.capacity.kind != "capacity-block":
            return
        path = (*path, "capacity", "kind")
        instance = context.catalog.instance(group.instance_type)
        places = instance.capacity_block_places if instance else None
        if not isinstance(places, Known):
            yield Unknown(
                message=f"no source states where capacity blocks of {group.instance_type} are "
                "sold",
                path=path,
            )
            return
        zone = context.cluster.network.availability_zone_id
        here = {context.region, zone, context.catalog.local_zone(zone)}
        if not here & set(places.value):
            sold = ", ".join(places.value) or "nowhere"
            yield Fail(
                message=f"capacity blocks of {group.instance_type} are not sold in "
                f"{context.region}",
                path=path,
                requested=group.instance_type,
                limit=sold,
                where=context.region,
                hint=f"they are sold in {sold}"
                if places.value
                else "the type is not sold in capacity blocks",
            )
