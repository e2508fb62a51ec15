"""The zone offers every instance type."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.facts.network import Offerings, Zones
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.compute_groups import instance_types
from clusterwright.preflight.rules.network.zones import zone_id_of


class ZoneInstanceTypes(Rule[str]):
    id = "CW-C001"
    prevents = (
        "CreateCluster fails, or rolls back after hours, with insufficient capacity: the zone "
        "does not have the instance type"
    )
    source = "awslabs/awsome-distributed-ai #204"

    def subjects(self, context: Context) -> Subjects[str]:
        return [(path, name) for name, path in instance_types(context).items()]

    def needs(self, context: Context) -> Iterable[Fact[object]]:
        return (Offerings(tuple(sorted(instance_types(context)))), Zones())

    def check(self, instance_type: str, context: Context, facts: FactValues) -> Results:
        pairs = facts[Offerings(tuple(sorted(instance_types(context))))]
        zone = context.cluster.network.availability_zone_id
        zone_id = zone_id_of(zone, facts[Zones()])
        if not pairs:
            # EC2 offers none of the cluster's types anywhere in the region: the
            # answer is more likely to be wrong than all of the types.
            yield Unknown(
                message=f"EC2 lists no zone of {context.region} with any type of this cluster",
                hint="check the region and AWS_ENDPOINT_URL",
            )
            return
        zones = sorted(z for name, z in pairs if name == instance_type)
        if zone_id in zones:
            return
        elsewhere = (
            f"it is offered in {', '.join(zones)}"
            if zones
            else "and no other zone of the region does"
        )
        yield Fail(
            message=f"{zone} does not offer {instance_type}: {elsewhere}",
            requested=instance_type,
            where=zone,
            hint=f"availability_zone_id: {zones[0]}" if zones else "choose another region",
        )
