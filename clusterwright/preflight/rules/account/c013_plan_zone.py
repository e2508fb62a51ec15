"""The training plan is in the zone of the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.plans import GONE, PlanRule, PlanUse
from clusterwright.preflight.rule import Fail, Subject, Unsure, Verdict


class PlanZone(PlanRule):
    id = "CW-C013"
    title = "The training plan is in the nodes' zone"
    prevents = "instances never come: a plan has its instances in one zone"
    source = "aws/sagemaker-hyperpod-cli PR #438"

    def check(
        self, subject: Subject[PlanUse], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        plan = facts[TrainingPlan(subject.value.name)]
        if plan is None:
            return
        zone = context.cluster.network.availability_zone_id
        segments = [c for c in plan.capacities if c.status not in GONE]
        zones = {c.zone_id or c.zone for c in segments}
        if None in zones or (segments and not any(c.zone_id for c in segments)):
            yield Unsure(message=f"the training plan {plan.name} does not say by id where it is")
        elif segments and not any(zone in (c.zone_id, c.zone) for c in segments):
            named = ", ".join(sorted(z for z in zones if z))
            yield Fail(
                message=f"the training plan {plan.name} is in {named}, the nodes in {zone}",
                path=("network", "availability_zone_id"),
                requested=zone,
                limit=named,
                where=context.region,
                hint=f"availability_zone_id: {named}, if nothing stands in {zone} yet",
            )


RULE = PlanZone()
