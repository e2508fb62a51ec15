"""X11 forwarding is used only where slurm.conf has it."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_OPTION = "x11"


class X11(JobRule):
    id = "CW-J101"
    severity = "warning"
    prevents = "srun: error: X11 forwarding not available"
    source = (
        "srun(1), --x11, and slurm.conf(5), PrologFlags=X11; the slurm.conf that the node program "
        "writes and the settings for ParallelCluster and PCS, which do not have it; "
        "aws/aws-parallelcluster#3033"
    )

    def check(self, job: Job) -> Results:
        slurm, pcs = job.cluster.slurm, job.cluster.pcs
        if job.cluster.on_hyperpod and slurm.configuration != "scripted":
            return  # HyperPod's own slurm.conf
        settings = pcs.slurm_settings or {}
        if any("x11" in str(value).lower() for value in settings.values()):
            return
        for step in job.file.steps:
            option = step.options.get(_OPTION)
            if option is not None:
                yield Fail(
                    message="--x11 needs PrologFlags=X11, which the cluster's slurm.conf does not "
                    "have",
                    at=option,
                    hint="ssh -L for a port of the program, or omit it",
                )
