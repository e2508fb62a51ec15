"""A training plan is large enough for its groups."""

from __future__ import annotations

from clusterwright.platforms.hyperpod.instance_groups import TRAINING_PLAN_INSTANCE_COUNTS
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.compute_groups import (
    by_plan,
    largest,
    plan_name,
    ultraserver_sizes,
)

LARGEST = max(TRAINING_PLAN_INSTANCE_COUNTS)


class PlanSize(Rule[tuple[str, int]]):
    id = "CW-C008"
    prevents = (
        "a plan of that size cannot be bought: a segment has 1, 2, 4, 8, 16, 32 or 64 instances"
    )
    source = "AWS documentation, SageMaker training plans"

    def subjects(self, context: Context) -> Subjects[tuple[str, int]]:
        for arn, groups in by_plan(context).items():
            # Plans of UltraServers count UltraServers, not instances: see CW-C021.
            if any(ultraserver_sizes(context, group.instance_type) for _, group in groups):
                continue
            yield largest(groups), (arn, sum(group.count for _, group in groups))

    def check(self, plan: tuple[str, int]) -> Results:
        arn, count = plan
        if count > LARGEST:
            yield Fail(
                message=f"{count} instances from the plan {plan_name(arn)}: "
                f"a plan has at most {LARGEST} per segment",
                requested=count,
                limit=LARGEST,
                where=plan_name(arn),
                hint=f"use several groups of {LARGEST}, each with a separate plan",
            )
        elif count and count not in TRAINING_PLAN_INSTANCE_COUNTS:
            bought = min(n for n in TRAINING_PLAN_INSTANCE_COUNTS if n > count)
            yield Fail(
                message=f"{count} instances from the plan {plan_name(arn)}: "
                f"plans are sold in powers of two: {bought - count} of {bought} are paid for and "
                "idle",
                severity="warning",
                requested=count,
                where=plan_name(arn),
                hint=f"count: {bought}, or several plans",
            )
