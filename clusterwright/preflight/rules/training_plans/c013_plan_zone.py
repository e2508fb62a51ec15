"""The training plans are in the nodes' zone."""

from __future__ import annotations

from clusterwright.aws.sagemaker import ReservedCapacity
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.facts.network import Zones
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)
from clusterwright.preflight.rules.compute_groups import by_plan, plan_name
from clusterwright.preflight.rules.network.zones import zone_id_of
from clusterwright.preflight.rules.training_plans.plan_rule import GONE


class PlanZone(Rule[tuple[str, ...]]):
    id = "CW-C013"
    prevents = "instances never start: the instances of a plan are in one zone"
    source = "aws/sagemaker-hyperpod-cli PR #438"

    def subjects(self, context: Context) -> Subjects[tuple[str, ...]]:
        plans = tuple(plan_name(arn) for arn in by_plan(context))
        if plans:
            yield ("network", "availability_zone_id"), plans

    def needs(self, plan_names: tuple[str, ...]) -> Facts:
        return (*(TrainingPlan(name) for name in plan_names), Zones())

    def check(self, plan_names: tuple[str, ...], context: Context, facts: FactValues) -> Results:
        wanted = context.cluster.network.availability_zone_id
        free = []
        for name in plan_names:
            plan = facts[TrainingPlan(name)]
            segments = [s for s in plan.capacities if s.status not in GONE] if plan else []
            if plan is not None and not plan.capacities:
                yield Unknown(
                    message=f"the training plan {name} has no reserved capacities, so its zone "
                    "is unknown"
                )
                continue
            named = [_zone(segment) for segment in segments]
            if segments and not any(named):
                free.append(name)
            elif None in named:
                yield Unknown(message=f"a segment of the training plan {name} names no zone")
            elif named:
                # Zone names differ between accounts: Zones() maps those of this account to ids.
                zones = {zone_id_of(zone, facts[Zones()]) for zone in named if zone}
                if zone_id_of(wanted, facts[Zones()]) not in zones:
                    where = ", ".join(sorted(zones))
                    yield Fail(
                        message=f"the training plan {name} is in {where}, the nodes are in "
                        f"{wanted}",
                        requested=wanted,
                        limit=where,
                        where=context.region,
                        hint=f"availability_zone_id: {where}, if nothing is deployed in {wanted} "
                        "yet",
                    )
        if free:
            # The API omits the zone of a plan that is not tied to one.
            plans = "training plan" if len(free) == 1 else "training plans"
            yield Fail(
                message=f"the {plans} {', '.join(free)} {'names' if len(free) == 1 else 'name'} "
                f"no zone: nothing to compare with {wanted}",
                severity="info",
                where=context.region,
            )


def _zone(segment: ReservedCapacity) -> str | None:
    return segment.zone_id or segment.zone
