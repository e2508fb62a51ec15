"""Every #SBATCH line is read by Slurm."""

from __future__ import annotations

from clusterwright.jobs.job_file import DIRECTIVE
from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class DirectivesRead(JobRule):
    id = "CW-J003"
    severity = "warning"
    prevents = "a job with other limits than the file seems to state"
    source = "sbatch(1): no #SBATCH line after the first command is processed; 24.11.5, tried"

    def check(self, job: Job) -> Results:
        for word in job.file.not_directives:
            if word.text.startswith(DIRECTIVE):
                yield Fail(
                    message="Slurm ignores this line: it follows the first command",
                    at=word,
                    hint=f"move it above line {job.file.script.first_line}",
                )
            else:
                spaced = word.text.lstrip().startswith("# ")
                yield Fail(
                    message="Slurm ignores this line: it does not begin with `#SBATCH`",
                    at=word,
                    hint="remove the space, or write `##SBATCH` for an option that is off on "
                    "purpose"
                    if spaced
                    else "write `#SBATCH` in capitals in the first column",
                    severity="info" if spaced else None,
                )
