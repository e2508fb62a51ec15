"""HyperPod's auto-resume has not taken every slurm.conf."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects


class AutoResume(Rule[None]):
    id = "CW-L009"
    title = "Auto-resume is known to take the cluster's slurm.conf"
    severity = "warning"
    scope = "offline"
    prevents = "jobs with --auto-resume=1 that end with their node instead of being resumed"
    source = (
        "awslabs/awsome-distributed-ai #584, the agent's log of 2025-03-31: TaskPlugin other than "
        "task/none and PrologFlags are unsupported"
    )

    def subjects(self, context: Context) -> Subjects[None]:
        cluster = context.cluster
        if (
            cluster.platform == "hyperpod-slurm"
            and cluster.resilience.node_recovery == "automatic"
        ):
            yield Subject(("slurm", "configuration"), None)

    def check(self, context: Context) -> Results:
        if context.cluster.slurm.configuration != "scripted":
            return
        yield Fail(
            message="the scripted slurm.conf has TaskPlugin=task/cgroup,task/affinity and "
            "PrologFlags=Contain, under which HyperPod's agent refused to resume jobs in March "
            "2025; whether that of today does is not published",
            hint="try one job with --auto-resume=1, or configuration: managed; a job that is put "
            "back by Slurm (JobRequeue) starts again either way",
        )


RULE = AutoResume()
