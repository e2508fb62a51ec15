"""The zone exists and the account has opted into it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.network import Zones
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict

USABLE = ("opted-in", "opt-in-not-required")


class ZoneEnabled(Rule[str]):
    id = "CW-N014"
    title = "The zones are enabled for the account"
    severity = "error"
    prevents = "CreateSubnet fails: the zone does not exist, or is a local zone not opted into"
    source = "EC2 DescribeAvailabilityZones"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        network = context.cluster.network
        for field in ("availability_zone_id", "second_availability_zone_id"):
            zone = getattr(network, field)
            path: Path = ("network", field)
            if zone is not None:
                yield Subject(path, zone)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del subject, context
        return (Zones(),)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        zones = facts[Zones()]
        if not zones:
            yield Unsure(message=f"EC2 lists no zone at all in {context.region}")
            return
        zone = next((z for z in zones if subject.value in (z.zone_id, z.name)), None)
        if zone is None:
            known = ", ".join(sorted(z.zone_id for z in zones if z.kind == "availability-zone"))
            yield Fail(
                message=f"{context.region} has no zone {subject.value} for this account",
                requested=subject.value,
                where=context.region,
                hint=f"it has {known}",
            )
        elif zone.opt_in_status not in USABLE:
            yield Fail(
                message=f"{zone.name} is {zone.opt_in_status}",
                requested=subject.value,
                where=context.region,
                hint="opt in under EC2, Settings, Zones",
            )


RULE = ZoneEnabled()
