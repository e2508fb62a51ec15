"""A run on capacity that ends has a path for checkpoints."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results, Rule, Subjects
from clusterwright.preflight.rules.compute_groups import can_have_nodes

_ENDS: Final = {
    "spot": "Spot instances are interrupted with two minutes' notice",
    "capacity-block": "instances of a capacity block are terminated before its end",
    "training-plan": "instances of a training plan are terminated before its end",
}
_RECLAIMED: Final = (
    "the owner of an interruptible reservation can reclaim it with two minutes' notice"
)


class CapacityEnd(Rule[ComputeGroup]):
    id = "CW-C018"
    severity = "warning"
    prevents = (
        "a run that starts from the beginning: its nodes end at a time that others set, and "
        "nothing is saved where the next nodes find it"
    )
    source = (
        "EC2 user guide, Spot Instance interruption notices and Capacity Blocks for ML; SageMaker "
        "developer guide, training plans; PCS user guide, Using I-ODCRs with AWS PCS"
    )

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        if context.cluster.run is None:
            return
        for path, group in context.groups(*_ENDS, "reservation"):
            if _end(group) is None:
                continue
            if group.role == "compute" and can_have_nodes(context, group):
                yield (*path, "capacity"), group

    def check(self, group: ComputeGroup, context: Context, path: Path) -> Results:
        if context.cluster.storage.checkpoint_path is not None:
            return
        run = context.cluster.run
        assert run is not None
        yield Fail(
            message=f"{_end(group)}, and the run of {run.hours:,g} hours has no "
            "path for checkpoints",
            path=path,
            requested=run.hours,
            hint="storage.checkpoint_path: a folder on Lustre with an export to a bucket",
        )


def _end(group: ComputeGroup) -> str | None:
    return _RECLAIMED if group.is_interruptible else _ENDS.get(group.capacity.kind)
