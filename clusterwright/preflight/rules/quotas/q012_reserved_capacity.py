"""Instances of each type that training plans hold."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.facts.hyperpod import TrainingPlans
from clusterwright.preflight.rule import Subject
from clusterwright.preflight.rules.compute_groups import by_type, largest, plan_arn
from clusterwright.preflight.rules.quotas.quota_rule import QuotaRule, Use, Want, type_want
from clusterwright.preflight.rules.training_plans.plan_rule import GONE


class ReservedCapacity(QuotaRule):
    id = "CW-Q012"
    title = "Quota of instances in training plans"
    prevents = (
        "a training plan of that size cannot be bought, and the cluster that names it cannot be "
        "created: the quota of instances in reserved capacity is 0 in a new account"
    )
    source = "AWS General Reference, SageMaker quotas"
    usage_facts = (TrainingPlans(),)

    def subjects(self, context: Context) -> Iterable[Subject[Want]]:
        for instance_type, groups in by_type(context.groups("training-plan")).items():
            quota = context.catalog.quota_for(instance_type, "reserved-capacity")
            count = sum(group.count for _, group in groups)
            want = type_want(
                instance_type,
                count,
                quota,
                "instances in reserved capacity across training plans",
            )
            yield Subject(largest(groups), want)

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        # The plans of this spec hold what is requested: counting them again would count it twice.
        own = {plan_arn(group) for _, group in context.groups("training-plan")}
        return [
            Use(capacity.instance_count, plan.arn in own)
            for plan in facts[TrainingPlans()]
            if plan.status not in GONE
            for capacity in plan.capacities
            if capacity.instance_type == ml_name(want.key) and capacity.status not in GONE
        ]


RULE = ReservedCapacity()
