"""A partition does not mix Spot with other capacity."""

from __future__ import annotations

from clusterwright.cluster_spec.models.slurm import Partition
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.group_rule import listed


class CapacityMix(Rule[Partition]):
    id = "CW-C023"
    severity = "warning"
    prevents = (
        "a job on both kinds that ends when AWS interrupts its Spot nodes: the other "
        "capacity, which is paid for, is then idle"
    )
    source = "AWS documentation, EC2 Spot interruptions; SageMaker HyperPod Spot instance groups"

    def subjects(self, context: Context) -> Subjects[Partition]:
        for index, partition in enumerate(context.cluster.slurm.partitions):
            yield ("slurm", "partitions", index, "groups"), partition

    def check(self, partition: Partition, context: Context) -> Results:
        groups = [
            group
            for group in context.cluster.compute
            if group.name in partition.groups and group.count
        ]
        spot = [group.name for group in groups if group.capacity.kind == "spot"]
        others = [group.name for group in groups if group.capacity.kind != "spot"]
        if spot and others:
            yield Fail(
                message=f"the partition `{partition.name}` mixes Spot ({listed(spot)}) with "
                f"other capacity ({listed(others)})",
                requested=", ".join(sorted({group.capacity.kind for group in groups})),
                hint="one partition for Spot and one for the rest, under slurm.partitions",
            )
