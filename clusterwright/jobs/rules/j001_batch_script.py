"""The file is a batch script that sbatch accepts."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class BatchScript(JobRule):
    id = "CW-J001"
    severity = "error"
    prevents = "a submission that sbatch refuses"
    source = "sbatch 24.11.5 (Debian trixie), tried with such files on 2026-11-23"

    def check(self, job: Job) -> Results:
        text = job.file.text
        if not text.strip():
            yield Fail(message="the file is empty", hint="begin with `#!/bin/bash`")
        elif not text.startswith("#!"):
            yield Fail(
                message="the first line does not name an interpreter",
                hint="begin the file with `#!/bin/bash`",
            )
        if "\0" in text:
            line = text[: text.index("\0")].count("\n") + 1
            yield Fail(message=f"line {line} contains a null character")
        if "\r\n" in text:
            yield Fail(
                message="the lines end as in DOS (carriage return and line feed)",
                hint="convert the file: `sed -i 's/\\r$//' FILE`",
            )
