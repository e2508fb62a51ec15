"""The training plan has the group's instance type."""

from __future__ import annotations

from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.training_plans.plan_rule import PlanRule, PlanUse


class PlanType(PlanRule):
    id = "CW-C012"
    prevents = "CreateCluster fails: the plan has no instances of the type"
    source = "SageMaker DescribeTrainingPlan, ReservedCapacitySummaries"
    needs = PlanRule.needs

    def check(self, plan_use: PlanUse, context: Context, facts: FactValues) -> Results:
        plan = facts[TrainingPlan(plan_use.name)]
        if plan is None:
            return  # CW-C010 reports it
        if not plan.capacities:
            yield Unknown(message=f"the training plan {plan.name} has no reserved capacities")
            return
        held = sorted({capacity.instance_type for capacity in plan.capacities})
        for path, group in plan_use.groups:
            if ml_name(group.instance_type) not in held:
                yield Fail(
                    message=f"the training plan {plan.name} is for {', '.join(held)}, "
                    f"not {ml_name(group.instance_type)}",
                    path=(*path, "instance_type"),
                    requested=ml_name(group.instance_type),
                    where=context.region,
                )
