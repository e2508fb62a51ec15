"""The partition exists."""

from __future__ import annotations

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.jobs.values import dynamic


class KnownPartition(JobRule):
    id = "CW-J010"
    severity = "error"
    prevents = "a submission that Slurm refuses: invalid partition specified"
    source = "sbatch(1), --partition; the partitions are those of slurm.partitions in the spec"

    def check(self, job: Job) -> Results:
        option = job.file.option("partition")
        known = [partition.name for partition in job.cluster.slurm.partitions]
        if option is None or not known or dynamic(option.value):
            return
        for name in option.value.split(","):
            if name not in known:
                yield Fail(
                    message=f"the cluster has no partition {name}",
                    at=option,
                    hint=did_you_mean(name, known) or f"it has {', '.join(known)}",
                )
