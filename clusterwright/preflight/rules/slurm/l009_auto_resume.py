"""Auto-resume is known to support the cluster's slurm.conf."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class AutoResume(Rule[None]):
    id = "CW-L009"
    severity = "warning"
    prevents = "jobs with --auto-resume=1 that fail with their node instead of being resumed"
    source = (
        "awslabs/awsome-distributed-ai #584, the agent's log of 2025-03-31: TaskPlugin other than "
        "task/none and PrologFlags are unsupported"
    )

    def subjects(self, context: Context) -> Subjects[None]:
        cluster = context.cluster
        if (
            context.on_hyperpod
            and cluster.uses_slurm
            and cluster.resilience.node_recovery == "automatic"
        ):
            yield ("slurm", "configuration"), None

    def check(self, context: Context) -> Results:
        if context.cluster.slurm.configuration != "scripted":
            return
        yield Fail(
            message="the scripted slurm.conf has TaskPlugin=task/cgroup,task/affinity and "
            "PrologFlags=Contain, with which HyperPod's agent refused to resume jobs in March "
            "2025; whether it still does is not documented",
            hint="test a job with --auto-resume=1, or use configuration: managed; a job that "
            "Slurm requeues (JobRequeue) starts again either way",
        )
