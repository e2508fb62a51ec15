"""The training plan was bought for HyperPod."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import TrainingPlan
from clusterwright.preflight.rule import Fail, Subject, Unsure, Verdict
from clusterwright.preflight.rules.training_plans.plan_rule import PlanRule, PlanUse


class PlanTarget(PlanRule):
    id = "CW-C016"
    title = "The training plan is for HyperPod clusters"
    prevents = "CreateCluster fails: the plan's target is training jobs, and cannot be changed"
    source = "SageMaker DescribeTrainingPlan, TargetResources"

    def check(
        self, subject: Subject[PlanUse], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        plan = facts[TrainingPlan(subject.value.name)]
        if plan is None:
            return
        if not plan.target_resources:
            yield Unsure(message=f"the training plan {plan.name} names no target")
        elif "hyperpod-cluster" not in plan.target_resources:
            yield Fail(
                message=f"the training plan {plan.name} is for "
                f"{', '.join(plan.target_resources)}, not for hyperpod-cluster",
                requested="hyperpod-cluster",
                limit=", ".join(plan.target_resources),
                where=context.region,
                hint="a plan's target cannot be changed: it takes another plan",
            )


RULE = PlanTarget()
