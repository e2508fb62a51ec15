"""Variables of the environment have values that the programs accept."""

from __future__ import annotations

from clusterwright.jobs.environment_values import mistake
from clusterwright.jobs.rule import Fail, Job, JobRule, Results


class EnvironmentValues(JobRule):
    id = "CW-J067"
    severity = "warning"
    containers = True
    prevents = "processes that end when they read the value, or a setting that has no effect"
    source = (
        "pytorch/pytorch, c10/core/AllocatorConfig.h and c10/cuda/CUDAAllocatorConfig.cpp; "
        "NVIDIA/nccl 5067397c, src/debug.cc; PyTorch documentation, torch.distributed; "
        "facebookincubator/gloo, transport/tcp/device.cc"
    )

    def check(self, job: Job) -> Results:
        for assignment in job.file.environment:
            if assignment.value.dynamic:
                continue
            found = mistake(assignment.name, assignment.value.text.strip())
            if found is not None:
                yield Fail(
                    message=f"{assignment.name}: {found.message}",
                    at=assignment,
                    severity="error" if found.ends else None,
                    hint=found.hint,
                )
