"""The training plan has enough available instances."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import HyperPodClusters, TrainingPlan, deployed_cluster
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.compute_groups import largest
from clusterwright.preflight.rules.training_plans.plan_rule import PlanRule, PlanUse


class PlanAvailableInstances(PlanRule):
    id = "CW-C014"
    prevents = (
        "CreateCluster fails, or groups stay below their count: other clusters use the "
        "plan's instances"
    )
    source = "SageMaker DescribeTrainingPlan, AvailableInstanceCount"

    def needs(self, use: PlanUse) -> Facts:
        return (TrainingPlan(use.name), HyperPodClusters())

    def check(self, use: PlanUse, context: Context, facts: FactValues) -> Results:
        plan = facts[TrainingPlan(use.name)]
        if plan is None or plan.status not in ("Active", "Scheduled"):
            return
        deployed = deployed_cluster(facts[HyperPodClusters()], context.cluster.environment)
        held = sum(
            group.count
            for group in (deployed.groups if deployed else ())
            if group.training_plan_arn == use.arn
        )
        # Before a plan starts, all of its instances are going to be available.
        free = plan.total_count if plan.status == "Scheduled" else plan.available_count
        if free is None:
            yield Unknown(
                message=f"the training plan {plan.name} does not report its available instances"
            )
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
