"""A step ends on all nodes when it fails on one."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class KillOnBadExit(JobRule):
    id = "CW-J034"
    severity = "warning"
    prevents = "a job whose other nodes wait for the failed one until a timeout, at full cost"
    source = "srun(1), --kill-on-bad-exit; slurm.conf(5), KillOnBadExit=0 is the default"

    def check(self, job: Job) -> Results:
        variable = job.file.variable("SLURM_KILL_BAD_EXIT")
        if not job.trains or not job.file.many_nodes or (variable and variable.value.text != "0"):
            return
        for step in job.file.steps:
            nodes = step.options.get("nodes")
            if step.runner != "srun" or (nodes is not None and nodes.value == "1"):
                continue
            tasks = step.options.get("ntasks")
            if tasks is not None and tasks.value == "1":
                continue
            option = step.options.get("kill-on-bad-exit")
            if option is None or option.value == "0":
                yield Fail(
                    message="if the step fails on one node, the other nodes go on waiting",
                    at=option or step,
                    hint="srun --kill-on-bad-exit=1",
                )
