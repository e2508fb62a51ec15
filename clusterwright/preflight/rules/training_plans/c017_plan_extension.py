"""Extensions of the training plan are paid for."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import TrainingPlan, TrainingPlanExtensions
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results
from clusterwright.preflight.rules.training_plans.plan_rule import PlanRule, PlanUse

NOT_VALID = ("pending", "failed")


class PlanExtension(PlanRule):
    id = "CW-C017"
    severity = "warning"
    prevents = "a run that ends early: the extension of its plan is not paid for"
    source = "SageMaker DescribeTrainingPlanExtensionHistory, Status and PaymentStatus"

    def needs(self, use: PlanUse) -> Facts:
        return (TrainingPlan(use.name), TrainingPlanExtensions(use.arn))

    def check(self, use: PlanUse, context: Context, facts: FactValues) -> Results:
        if facts[TrainingPlan(use.name)] is None:
            return  # CW-C010 reports it
        for extension in facts[TrainingPlanExtensions(use.arn)]:
            payment, status = extension.payment.lower(), extension.status.lower()
            if payment in NOT_VALID:
                why = f"its payment is {payment}"
            elif status in NOT_VALID:
                why = f"it is {status}"
            else:
                continue
            until = f" until {extension.end:%Y-%m-%d %H:%M} UTC" if extension.end else ""
            yield Fail(
                message=f"an extension of the training plan {use.name}{until} is not valid: {why}",
                where=context.region,
                hint="check the plan's extensions in the SageMaker console",
            )
