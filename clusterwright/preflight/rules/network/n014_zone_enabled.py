"""The Availability Zones are enabled for the account."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.facts.network import Zones
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)

USABLE = ("opted-in", "opt-in-not-required")


class ZoneEnabled(Rule[str]):
    id = "CW-N014"
    prevents = (
        "CreateSubnet fails: the zone does not exist, or is a Local Zone that is not enabled"
    )
    source = "EC2 DescribeAvailabilityZones"

    def subjects(self, context: Context) -> Subjects[str]:
        network = context.cluster.network
        for field in ("availability_zone_id", "second_availability_zone_id"):
            zone = getattr(network, field)
            path: Path = ("network", field)
            if zone is not None:
                yield path, zone

    needs = (Zones(),)

    def check(self, zone_id: str, context: Context, facts: FactValues) -> Results:
        zones = facts[Zones()]
        if not zones:
            yield Unknown(message=f"EC2 lists no zones in {context.region}")
            return
        zone = next((z for z in zones if zone_id in (z.zone_id, z.name)), None)
        if zone is None:
            known = ", ".join(sorted(z.zone_id for z in zones if z.kind == "availability-zone"))
            yield Fail(
                message=f"{context.region} has no zone {zone_id} for this account",
                requested=zone_id,
                where=context.region,
                hint=f"zones: {known}",
            )
        elif zone.opt_in_status not in USABLE:
            yield Fail(
                message=f"{zone.name} is {zone.opt_in_status}",
                requested=zone_id,
                where=context.region,
                hint="enable it in the EC2 console: Settings, Zones",
            )
