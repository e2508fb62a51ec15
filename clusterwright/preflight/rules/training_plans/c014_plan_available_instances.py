"""The training plan has enough free instances."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import HyperPodClusters, TrainingPlan, deployed_cluster
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Unknown,
)
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.training_plans.plan_rule import PlanRule, PlanUse


class PlanFree(PlanRule):
    id = "CW-C014"
    title = "The training plan has enough free instances"
    prevents = "CreateCluster fails, or groups stay short: others use the plan's instances"
    source = "SageMaker DescribeTrainingPlan, AvailableInstanceCount"

    def needs(self, use: PlanUse) -> Facts:
        return (TrainingPlan(use.name), HyperPodClusters())

    def check(self, use: PlanUse, context: Context, facts: FactValues) -> Results:
        plan = facts[TrainingPlan(use.name)]
        if plan is None or plan.status not in ("Active", "Scheduled"):
            return
        present = deployed_cluster(facts[HyperPodClusters()], context.cluster.environment)
        held = sum(
            group.count
            for group in (present.groups if present else ())
            if group.training_plan_arn == use.arn
        )
        # Before it starts nothing is available, but all of it will be.
        free = plan.total_count if plan.status == "Scheduled" else plan.available_count
        if free is None:
            yield Unknown(message=f"the training plan {plan.name} does not say what is free")
            return
        if use.count > free + held:
            total = plan.total_count
            yield Fail(
                message=f"{use.count} instances from the training plan {plan.name}, "
                f"{free + held} are free",
                path=largest(use.groups),
                requested=use.count,
                used=None if total is None else max(0, total - free - held),
                limit=total,
                where=context.region,
                hint=f"count: {free + held}, or another plan for the rest",
            )


RULE = PlanFree()
