"""The training plan exists."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.rule import Context, FactValues, Fail, Results
from clusterwright.preflight.rules.training_plans.plan_rule import PlanRule, PlanUse


class PlanExists(PlanRule):
    id = "CW-C010"
    prevents = "CreateCluster fails: the training plan is not found"
    source = "SageMaker DescribeTrainingPlan"
    needs = PlanRule.needs

    def check(self, use: PlanUse, context: Context, facts: FactValues) -> Results:
        plan = facts[TrainingPlan(use.name)]
        if plan is None:
            yield Fail(
                message=f"there is no training plan {use.name} in {context.region}",
                where=context.region,
                hint="training plans are bought in the SageMaker console; copy the ARN from there",
            )
        elif plan.arn != use.arn:
            yield Fail(
                message=f"the plan {use.name} of this account is {plan.arn}",
                requested=use.arn,
                where=context.region,
            )
