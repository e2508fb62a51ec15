"""Each instance type that is to be spot exists as spot."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Subject, Unsure, Verdict
from clusterwright.preflight.rules.group_rule import GroupRule


class SpotSupport(GroupRule):
    id = "CW-C005"
    title = "The instance type is sold as spot"
    scope = "offline"
    prevents = "spot requests for the type are refused"
    source = "EC2 DescribeInstanceTypes, SupportedUsageClasses"

    def check(
        self, subject: Subject[ComputeGroup], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        if subject.value.capacity.kind != "spot":
            return
        path = (*subject.path, "capacity", "kind")
        name = subject.value.instance_type
        instance = context.catalog.instance(name)
        if instance is None or not isinstance(instance.spot, Known):
            yield Unsure(message=f"whether {name} is sold as spot: no source says", path=path)
        elif not instance.spot.value:
            yield Fail(message=f"{name} is not sold as spot", path=path, requested=name)


RULE = SpotSupport()
