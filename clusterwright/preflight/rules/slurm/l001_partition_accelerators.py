"""The nodes of a partition have accelerators of one kind."""

from __future__ import annotations

from clusterwright.cluster_spec.models.slurm import Partition
from clusterwright.platforms.accelerators import family
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class PartitionAccelerators(Rule[Partition]):
    id = "CW-L001"
    prevents = (
        "jobs that run on NVIDIA and Neuron nodes together and hang in their first collective"
    )
    source = "aws/aws-parallelcluster, InstancesAcceleratorsValidator, which compares no models"

    def subjects(self, context: Context) -> Subjects[Partition]:
        for index, partition in enumerate(context.cluster.slurm.partitions):
            yield ("slurm", "partitions", index, "groups"), partition

    def check(self, partition: Partition, context: Context) -> Results:
        types = {
            group.instance_type
            for group in context.cluster.compute
            if group.name in partition.groups and group.count
        }
        kinds = sorted({family(name, context.catalog) for name in types})
        name = partition.name
        if len(kinds) > 1:
            yield Fail(
                message=f"the partition `{name}` mixes {', '.join(sorted(types))}",
                requested=", ".join(kinds),
                hint="one partition for each kind of accelerator, under slurm.partitions",
            )
        elif len(types) > 1 and kinds != ["none"]:
            yield Fail(
                message=f"the partition `{name}` mixes {', '.join(sorted(types))}: "
                "jobs run at the speed of the slowest",
                severity="warning",
                requested=", ".join(sorted(types)),
                hint="one partition for each instance type, under slurm.partitions",
            )
