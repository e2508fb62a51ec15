"""Long training jobs on several nodes are requeued."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class Requeue(JobRule):
    id = "CW-J031"
    severity = "warning"
    prevents = "a job that ends with the first node that fails, and does not go on"
    source = (
        "sbatch(1), --requeue; Llama 3, arXiv 2407.21783: one interruption in 264 node-days; "
        "SageMaker documentation, auto-resume"
    )

    def check(self, job: Job) -> Results:
        resumes = job.auto_resumed is not None and job.cluster.on_hyperpod
        if not (job.trains and job.long and job.file.many_nodes) or resumes:
            return
        option = job.file.option("requeue", "no-requeue")
        if option is not None and option.name == "requeue":
            return
        yield Fail(
            message="the job runs long on several nodes and states no --requeue"
            if option is None
            else "--no-requeue: the job ends with the first node that fails",
            at=option or job.file.option("nodes"),
            hint="add `#SBATCH --requeue` and `#SBATCH --open-mode=append`, and resume from the "
            "newest checkpoint",
        )
