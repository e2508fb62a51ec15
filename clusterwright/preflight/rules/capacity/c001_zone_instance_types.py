"""Each instance type is offered in the zone of the nodes, says EC2 now."""

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
    Subject,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.compute_groups import wanted_types
from clusterwright.preflight.rules.network.zones import zone_id_of


class ZoneOffersType(Rule[str]):
    id = "CW-C001"
    title = "The zone offers every instance type"
    prevents = (
        "CreateCluster fails, or rolls back after hours, with insufficient capacity: the zone "
        "never has the type"
    )
    source = "awslabs/awsome-distributed-ai #204"

    def subjects(self, context: Context) -> Subjects[str]:
        return [Subject(path, name) for name, path in wanted_types(context).items()]

    def needs(self, context: Context) -> Iterable[Fact[object]]:
        return (Offerings(tuple(sorted(wanted_types(context)))), Zones())

    def check(self, instance_type: str, context: Context, facts: FactValues) -> Results:
        pairs = facts[Offerings(tuple(sorted(wanted_types(context))))]
        zone = context.cluster.network.availability_zone_id
        zone_id = zone_id_of(zone, facts[Zones()])
        if not pairs:
            # EC2 offers none of the cluster's types anywhere in the region: more likely that the
            # answer is wrong than that all of them are.
            yield Unknown(
                message=f"EC2 lists no zone of {context.region} with any type of this cluster",
                hint="look at the region, and at what AWS_ENDPOINT_URL points to",
            )
            return
        zones = sorted(z for name, z in pairs if name == instance_type)
        if zone_id in zones:
            return
        elsewhere = f"it is in {', '.join(zones)}" if zones else "nor does any zone of the region"
        yield Fail(
            message=f"{zone} does not offer {instance_type}: {elsewhere}",
            requested=instance_type,
            where=zone,
            hint=f"availability_zone_id: {zones[0]}" if zones else "choose another region",
        )


RULE = ZoneOffersType()
