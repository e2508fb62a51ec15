"""The catalogue lists every instance type in the zone."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown
from clusterwright.preflight.rules.compute_groups import instance_types


class CatalogueInstanceTypes(Rule[str]):
    id = "CW-C002"
    severity = "warning"
    prevents = "insufficient capacity in a zone without the instance type; CW-C001 asks EC2 itself"
    source = "EC2 DescribeInstanceTypeOfferings, as packaged in moto"

    def subjects(self, context: Context) -> Subjects[str]:
        return [(path, name) for name, path in instance_types(context).items()]

    def check(self, instance_type: str, context: Context) -> Results:
        zone = context.cluster.network.availability_zone_id
        offered = context.catalog.offering(instance_type, context.region)
        if not isinstance(offered, Known):
            # A type that is not listed may still be offered: CW-C001 asks EC2.
            if context.offline:
                yield Unknown(message=f"whether {zone} offers {instance_type}: {offered.reason}")
            return
        if zone in offered.value:
            return
        if context.catalog.local_zone(zone) is not None:
            # Sources list some types of a Local Zone, and never which ones it lacks.
            if context.offline:
                yield Unknown(message=f"whether {zone} offers {instance_type}: no source lists it")
            return
        zones = ", ".join(sorted(offered.value)) or "no zone of the region"
        yield Fail(
            message=f"{zone} did not offer {instance_type} on {offered.date}: it was offered in "
            f"{zones}",
            requested=instance_type,
            where=zone,
            hint=f"availability_zone_id: {sorted(offered.value)[0]}" if offered.value else None,
        )
