"""The training plan is for HyperPod clusters."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.training_plans.plan_rule import PlanRule, PlanUse


class PlanTarget(PlanRule):
    id = "CW-C016"
    prevents = "CreateCluster fails: the plan's target is training jobs and cannot be changed"
    source = "SageMaker DescribeTrainingPlan, TargetResources"
    needs = PlanRule.needs

    def check(self, plan_use: PlanUse, context: Context, facts: FactValues) -> Results:
        plan = facts[TrainingPlan(plan_use.name)]
        if plan is None:
            return
        if not plan.target_resources:
            yield Unknown(message=f"the training plan {plan.name} has no target resources")
        elif "hyperpod-cluster" not in plan.target_resources:
            yield Fail(
                message=f"the training plan {plan.name} is for "
                f"{', '.join(plan.target_resources)}, not for hyperpod-cluster",
                requested="hyperpod-cluster",
                limit=", ".join(plan.target_resources),
                where=context.region,
                hint="the target of a plan cannot be changed: use another plan",
            )
