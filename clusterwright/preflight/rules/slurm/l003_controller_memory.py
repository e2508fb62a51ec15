"""The controller has enough memory for its nodes."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown

LARGEST_NEED_GIB = 16


class ControllerMemory(Rule[ComputeGroup]):
    id = "CW-L003"
    severity = "warning"
    prevents = "slurmctld is killed when the controller runs out of memory"
    source = "aws/aws-parallelcluster, HeadNodeMemorySize: nodes / 25 + 0.6 GiB, at most 16"

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        for path, group in context.groups():
            if group.role == "controller":
                yield (*path, "instance_type"), group

    def check(self, group: ComputeGroup, context: Context) -> Results:
        name = group.instance_type
        nodes = sum(g.count for g in context.cluster.compute if g.role == "compute")
        needed_gib = min(nodes / 25 + 0.6, LARGEST_NEED_GIB)
        instance = context.catalog.instance(name)
        if instance is None or not isinstance(instance.memory_gib, Known):
            yield Unknown(message=f"no source states the memory of {name}")
        elif instance.memory_gib.value < needed_gib:
            yield Fail(
                message=f"{name} has {instance.memory_gib.value:g} GiB, a controller of {nodes} "
                f"nodes needs {needed_gib:.1f}",
                requested=round(needed_gib, 1),
                limit=instance.memory_gib.value,
                hint="a larger instance_type for the controller",
            )
