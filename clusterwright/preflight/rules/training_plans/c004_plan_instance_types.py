"""Training plans are sold for the instance type."""

from __future__ import annotations

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.rule import Context, Fail, Path, Results
from clusterwright.preflight.rules.group_rule import GroupRule


class PlanInstanceTypes(GroupRule):
    id = "CW-C004"
    prevents = "no such plan can be bought: the type is not in ReservedCapacityInstanceType"
    source = "botocore, SageMaker training plans"

    def check(self, group: ComputeGroup, path: Path, context: Context) -> Results:
        name = group.instance_type
        if group.capacity.kind != "training-plan":
            return
        if name not in context.catalog.training_plan_names:
            held = sorted(context.catalog.training_plan_names)
            yield Fail(
                message=f"no training plan is sold for {ml_name(name)}",
                path=(*path, "capacity", "kind"),
                requested=name,
                hint=f"plans are sold for {', '.join(held)}",
            )
