"""Training plans hold each instance type that is to come from one."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.preflight.rules.group_rule import GroupRule


class PlanTakesType(GroupRule):
    id = "CW-C004"
    title = "Training plans hold the instance type"
    scope = "offline"
    prevents = "there is no such plan to buy: the type is not in ReservedCapacityInstanceType"
    source = "botocore, SageMaker training plans"

    def check(
        self, subject: Subject[ComputeGroup], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        name = subject.value.instance_type
        if subject.value.capacity.kind != "training-plan":
            return
        if name not in context.catalog.training_plan_names:
            held = sorted(context.catalog.training_plan_names)
            yield Fail(
                message=f"no training plan holds {ml_name(name)}",
                path=(*subject.path, "capacity", "kind"),
                requested=name,
                hint=f"plans hold {', '.join(held)}",
            )


RULE = PlanTakesType()
