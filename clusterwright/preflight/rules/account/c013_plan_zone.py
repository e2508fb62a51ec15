"""The training plan is in the zone of the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.facts.network import Zones
from clusterwright.preflight.plans import GONE, PlanRule, PlanUse
from clusterwright.preflight.rule import Fail, Subject, Unsure, Verdict
from clusterwright.preflight.zones import zone_id_of


class PlanZone(PlanRule):
    id = "CW-C013"
    title = "The training plan is in the nodes' zone"
    prevents = "instances never come: a plan has its instances in one zone"
    source = "aws/sagemaker-hyperpod-cli PR #438"

    def needs(self, subject: Subject[PlanUse], context: Context) -> Iterable[Fact[Any]]:
        return (*super().needs(subject, context), Zones())

    def check(
        self, subject: Subject[PlanUse], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        plan = facts[TrainingPlan(subject.value.name)]
        if plan is None:
            return
        wanted = context.cluster.network.availability_zone_id
        standing = [segment for segment in plan.capacities if segment.status not in GONE]
        if standing and not any(segment.zone_id or segment.zone for segment in standing):
            # The API leaves the zone out of a plan that is tied to none.
            yield Fail(
                message=f"the training plan {plan.name} names no zone: nothing to compare with "
                f"{wanted}",
                severity="info",
                where=context.region,
            )
            return
        zones = set()
        for segment in standing:
            named = segment.zone_id or segment.zone
            if named is None:
                yield Unsure(message=f"a part of the training plan {plan.name} names no zone")
                return
            # Names of zones differ between accounts; the account that answers knows its own.
            zones.add(zone_id_of(named, facts[Zones()]))
        if zones and zone_id_of(wanted, facts[Zones()]) not in zones:
            where = ", ".join(sorted(zones))
            yield Fail(
                message=f"the training plan {plan.name} is in {where}, the nodes in {wanted}",
                path=("network", "availability_zone_id"),
                requested=wanted,
                limit=where,
                where=context.region,
                hint=f"availability_zone_id: {where}, if nothing stands in {wanted} yet",
            )


RULE = PlanZone()
