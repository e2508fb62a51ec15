"""Processes on several nodes meet at an address that all of them reach."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_LOCAL = re.compile(r"(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|::1|\[::1\])(?::\d+)?")
_HINT = 'the first node: MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)'


class MasterAddress(JobRule):
    id = "CW-J023"
    severity = "error"
    prevents = "a job that hangs until its timeout: each node waits for the others at itself"
    source = "PyTorch documentation, torch.distributed and torchrun (rendezvous)"

    def check(self, job: Job) -> Results:
        if job.nodes is None or job.nodes < 2:
            return
        stated = False
        for step, launcher in job.file.launchers:
            own = step.options.get("nodes")
            if step.runner == "" or (own is not None and own.value == "1"):
                stated = True  # CW-J051, or a step on one node
                continue
            for name in ("rdzv-endpoint", "master-addr", "main-process-ip"):
                word = launcher.options.get(name)
                stated = stated or word is not None
                if word is not None and _LOCAL.fullmatch(word.text):
                    yield Fail(
                        message=f"--{name}={word.text} on {job.nodes} nodes: each node is its own "
                        "master",
                        at=word,
                        hint=_HINT,
                    )
        address = job.file.variable("MASTER_ADDR")
        if not stated and address is not None and _LOCAL.fullmatch(address.value.text):
            yield Fail(
                message=f"MASTER_ADDR={address.value.text} on {job.nodes} nodes: each node is its "
                "own master",
                at=address,
                hint=_HINT,
            )
