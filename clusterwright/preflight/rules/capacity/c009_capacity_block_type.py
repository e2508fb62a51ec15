"""Capacity blocks of each instance type are sold in the region."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Subject, Unsure, Verdict
from clusterwright.preflight.rules.group_rule import GroupRule


class CapacityBlockType(GroupRule):
    id = "CW-C009"
    title = "Capacity blocks of the instance type are sold in the region"
    scope = "offline"
    prevents = "there is no such block to buy: instances launched into it are refused"
    source = "AWS documentation, Capacity Blocks for ML; aws/aws-parallelcluster, CapacityType"

    def check(
        self, subject: Subject[ComputeGroup], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        group = subject.value
        if group.capacity.kind != "capacity-block":
            return
        path = (*subject.path, "capacity", "kind")
        instance = context.catalog.instance(group.instance_type)
        places = instance.capacity_block_places if instance else None
        if not isinstance(places, Known):
            yield Unsure(
                message=f"where capacity blocks of {group.instance_type} are sold: no source says",
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
                hint=f"they are sold in {sold}" if places.value else "it has no capacity blocks",
            )


RULE = CapacityBlockType()
