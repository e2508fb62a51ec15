"""The quality of service exists."""

from __future__ import annotations

from clusterwright.cluster_spec.suggest import did_you_mean
from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.jobs.values import dynamic


class KnownQos(JobRule):
    id = "CW-J012"
    severity = "warning"
    prevents = "a submission that Slurm refuses: invalid qos specification"
    source = "sbatch(1), --qos; sacctmgr(1): a new database has the QOS normal"

    def check(self, job: Job) -> Results:
        option = job.file.option("qos")
        slurm = job.cluster.slurm
        if option is None or dynamic(option.value):
            return
        if slurm.accounting.kind == "none":
            return
        known = ["normal", *(qos.name for qos in slurm.qos)]
        if option.value not in known:
            yield Fail(
                message=f"the spec has no QOS {option.value}",
                at=option,
                severity="error" if slurm.configuration == "scripted" else None,
                hint=did_you_mean(option.value, known) or f"it has {', '.join(known)}",
            )
