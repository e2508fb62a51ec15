"""The training plan is active."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.training_plans.plan_rule import GONE, PlanRule, PlanUse


class PlanStatus(PlanRule):
    id = "CW-C011"
    prevents = "CreateCluster fails, or instances never start: the plan has expired or failed"
    source = "SageMaker DescribeTrainingPlan, Status"
    needs = PlanRule.needs

    def check(self, plan_use: PlanUse, context: Context, facts: FactValues) -> Results:
        plan = facts[TrainingPlan(plan_use.name)]
        if plan is None or plan.status == "Active":
            return
        why = f": {plan.status_message}" if plan.status_message else ""
        if plan.status in GONE:
            ended = f" on {plan.end:%Y-%m-%d %H:%M} UTC" if plan.end else ""
            yield Fail(
                message=f"the training plan {plan.name} is {plan.status}{ended}{why}",
                where=context.region,
                hint="buy or extend a plan, then change the ARN",
            )
        elif plan.status == "Scheduled":
            starts = f"on {plan.start:%Y-%m-%d %H:%M} UTC" if plan.start else "later"
            yield Fail(
                message=f"the training plan {plan.name} starts {starts}: until then "
                "the cluster has no instances from it",
                severity="warning",
                where=context.region,
                hint="deploy when the plan has started, or expect the group to wait until then",
            )
        elif plan.status == "Pending":
            yield Fail(
                message=f"the training plan {plan.name} is Pending: it is not paid for yet{why}",
                severity="warning",
                where=context.region,
            )
        else:
            yield Unknown(
                message=f"the training plan {plan.name} has an unknown status: {plan.status}"
            )
