"""Jobs that share nodes do not use a fixed port."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Assignment, Fail, Job, JobRule, Results, Word


class MasterPort(JobRule):
    id = "CW-J024"
    severity = "warning"
    prevents = "a second job on the same node that ends with: address already in use"
    source = "PyTorch documentation, torchrun: stacked single-node jobs use --rdzv-endpoint=HOST:0"

    def check(self, job: Job) -> Results:
        if job.exclusive or job.whole_nodes or not job.groups:
            return
        found: list[Assignment | Word] = []
        for _, launcher in job.file.launchers:
            word = launcher.options.get("master-port") or launcher.options.get("main-process-port")
            if word is not None and re.fullmatch(r"[1-9]\d*", word.text):
                found.append(word)
            endpoint = launcher.options.get("rdzv-endpoint")
            if endpoint is not None and re.search(r":[1-9]\d*$", endpoint.text):
                found.append(endpoint)
        port = job.file.variable("MASTER_PORT")
        if port is not None and re.fullmatch(r"[1-9]\d*", port.value.text):
            found.append(port)
        for place in found[:1]:
            yield Fail(
                message="the port is fixed, and another job may run on the same node",
                at=place,
                hint="torchrun --standalone, or a port from the job's id: "
                "MASTER_PORT=$((10000 + SLURM_JOB_ID % 20000))",
            )
