"""The file contains no secrets."""

from __future__ import annotations

from clusterwright.jobs.job_file import secret_spans
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Word


class Secrets(JobRule):
    id = "CW-J060"
    severity = "warning"
    prevents = "a key that every user reads: in the file, in `scontrol show job`, in accounting"
    source = "sbatch(1) and slurm.conf(5), AccountingStoreFlags=job_script: scripts are stored"

    def check(self, job: Job) -> Results:
        for line, text in enumerate(job.file.lines, 1):
            for start, end in secret_spans(text)[:1]:
                name = text[:start].rstrip("=\"'").rpartition(" ")[2]
                named = f"{name} contains" if name.isidentifier() else "the line contains"
                yield Fail(
                    message=f"{named} what looks like a secret",
                    at=Word("", line, start + 1, end - start),
                    hint="read it from a file that only you can read: "
                    f"{name if name.isidentifier() else 'TOKEN'}=$(cat ~/.secrets/token)",
                )
