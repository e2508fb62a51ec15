"""The shell syntax of the file can be read."""

from __future__ import annotations

from clusterwright.jobs.rule import Job, JobRule, Results, Unknown


class Readable(JobRule):
    id = "CW-J005"
    severity = "warning"
    prevents = "a script that ends with a syntax error after it waited in the queue"
    source = "GNU Bash manual, Quoting and Here Documents"

    def check(self, job: Job) -> Results:
        for unread in job.file.unread:
            yield Unknown(
                message=f"{unread.reason}: what follows was not checked",
                at=unread,
                hint=f"see what the shell says: `bash -n {job.file.name}`",
            )
        for command in job.file.submitted:
            yield Unknown(
                message="the batch script is the here-document of this line: it was not checked",
                at=command,
                hint="write it to a file of its own, and check that",
            )
