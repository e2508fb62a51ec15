"""A partition does not mix capacity that is interrupted with other capacity."""

from __future__ import annotations

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.slurm import Partition
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.group_rule import listed


class CapacityMix(Rule[Partition]):
    id = "CW-C023"
    severity = "warning"
    prevents = (
        "a job on both kinds that ends when AWS interrupts its Spot nodes, or the owner of an "
        "interruptible reservation reclaims them: the other capacity, which is paid for, is "
        "then idle"
    )
    source = (
        "AWS documentation, EC2 Spot interruptions; SageMaker HyperPod Spot instance groups; PCS "
        "user guide, Using I-ODCRs with AWS PCS"
    )

    def subjects(self, context: Context) -> Subjects[Partition]:
        for index, partition in enumerate(context.cluster.slurm.partitions):
            yield ("slurm", "partitions", index, "groups"), partition

    def check(self, partition: Partition, context: Context) -> Results:
        groups = [
            group
            for group in context.cluster.compute
            if group.name in partition.groups and group.count
        ]
        ending = [group.name for group in groups if _interrupted(group)]
        others = [group.name for group in groups if not _interrupted(group)]
        if ending and others:
            yield Fail(
                message=f"the partition `{partition.name}` mixes capacity that is interrupted "
                f"({listed(ending)}) with other capacity ({listed(others)})",
                requested=", ".join(sorted({group.capacity.kind for group in groups})),
                hint="one partition for what is interrupted and one for the rest, under "
                "slurm.partitions",
            )


def _interrupted(group: ComputeGroup) -> bool:
    return group.capacity.kind == "spot" or group.is_interruptible
