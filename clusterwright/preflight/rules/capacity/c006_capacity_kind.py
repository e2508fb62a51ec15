"""The platform can use the kind of capacity."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.capabilities import who_can
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.preflight.rules.group_rule import GroupRule


class CapacityKind(GroupRule):
    id = "CW-C006"
    title = "The platform takes the kind of capacity"
    scope = "offline"
    prevents = "capacity that is paid for and cannot be used by the cluster"
    source = "SageMaker CreateCluster; AWS documentation, Capacity Blocks for ML"

    def check(
        self, subject: Subject[ComputeGroup], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        kind = subject.value.capacity.kind
        if kind in context.platform.capacity_kinds:
            return
        taken = ", ".join(sorted(context.platform.capacity_kinds))
        yield Fail(
            message=f"{context.platform.name} takes no {kind}: "
            f"{context.platform.refused_capacity[kind]}",
            path=(*subject.path, "capacity", "kind"),
            requested=kind,
            hint=f"it takes {taken}; for {kind}: {who_can(f'capacity.{kind}')}",
        )


RULE = CapacityKind()
