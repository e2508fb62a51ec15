"""A partition's nodes come from one kind of capacity."""

from __future__ import annotations

from clusterwright.cluster_spec.models.slurm import Partition
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects
from clusterwright.preflight.rules.group_rule import listed


class CapacityMix(Rule[Partition]):
    id = "CW-C023"
    title = "A partition does not mix spot with capacity that stays"
    severity = "warning"
    scope = "offline"
    prevents = (
        "a job over both kinds that dies as a whole when AWS takes its spot nodes back: the "
        "capacity that stays, and is paid for, then waits"
    )
    source = "AWS documentation, EC2 Spot interruptions; SageMaker HyperPod Spot instance groups"

    def subjects(self, context: Context) -> Subjects[Partition]:
        for index, partition in enumerate(context.cluster.slurm.partitions):
            yield Subject(("slurm", "partitions", index, "groups"), partition)

    def check(self, partition: Partition, context: Context) -> Results:
        groups = [
            group
            for group in context.cluster.compute
            if group.name in partition.groups and group.count
        ]
        spot = [group.name for group in groups if group.capacity.kind == "spot"]
        stays = [group.name for group in groups if group.capacity.kind != "spot"]
        if spot and stays:
            yield Fail(
                message=f"the partition `{partition.name}` mixes spot ({listed(spot)}) with "
                f"capacity that stays ({listed(stays)})",
                requested=", ".join(sorted({group.capacity.kind for group in groups})),
                hint="one partition for spot and one for the rest, under slurm.partitions",
            )


RULE = CapacityMix()
