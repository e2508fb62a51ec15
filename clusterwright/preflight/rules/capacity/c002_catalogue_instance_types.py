"""Each instance type was offered in the zone when the catalogue was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.catalog import Known
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict
from clusterwright.preflight.rules.compute_groups import wanted_types


class CatalogueOffersType(Rule[str]):
    id = "CW-C002"
    title = "The catalogue lists every instance type in the zone"
    severity = "warning"
    scope = "offline"
    prevents = "a zone that never has the type; CW-C001 asks EC2 itself"
    source = "EC2 DescribeInstanceTypeOfferings, as packaged in moto"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        return [Subject(path, name) for name, path in wanted_types(context).items()]

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        zone = context.cluster.network.availability_zone_id
        offered = context.catalog.offering(subject.value, context.region)
        if not isinstance(offered, Known):
            # Not listed is no statement: CW-C001 asks EC2.
            if context.offline:
                yield Unsure(message=f"whether {zone} offers {subject.value}: {offered.reason}")
            return
        if zone in offered.value:
            return
        if context.catalog.local_zone(zone) is not None:
            # Sources name some of what a local zone has, and nothing of what it lacks.
            if context.offline:
                yield Unsure(message=f"whether {zone} offers {subject.value}: no source says")
            return
        zones = ", ".join(sorted(offered.value)) or "no zone of the region"
        yield Fail(
            message=f"{zone} did not offer {subject.value} on {offered.date}: it was in {zones}",
            requested=subject.value,
            where=zone,
            hint=f"availability_zone_id: {sorted(offered.value)[0]}" if offered.value else None,
        )


RULE = CatalogueOffersType()
