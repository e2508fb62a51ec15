"""--auto-resume is used on HyperPod, and with srun."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class AutoResume(JobRule):
    id = "CW-J032"
    severity = "error"
    prevents = "a step that srun refuses (unrecognized option), or a job that is not resumed"
    source = (
        "SageMaker documentation, automatic node recovery and auto-resume with Slurm: an option "
        "of srun on HyperPod; sbatch 24.11.5, tried"
    )

    def check(self, job: Job) -> Results:
        hyperpod = job.cluster.on_hyperpod
        for mistake in job.file.mistakes:
            if mistake.text.startswith("--auto-resume"):
                yield Fail(
                    message="--auto-resume is an option of srun, not of sbatch",
                    at=mistake.word,
                    severity="warning" if hyperpod else None,
                    hint="srun --auto-resume=1 ..."
                    if hyperpod
                    else "`#SBATCH --requeue` instead: only HyperPod has auto-resume",
                )
        option = job.auto_resumed
        if option is not None and not hyperpod:
            yield Fail(
                message=f"srun has no --auto-resume on {job.cluster.traits.title}: "
                "it is HyperPod's",
                at=option,
                hint="`#SBATCH --requeue` instead",
            )
