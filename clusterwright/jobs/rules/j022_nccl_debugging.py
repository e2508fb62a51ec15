"""Training jobs do not pin NCCL's choices, nor keep settings for debugging."""

from __future__ import annotations

from clusterwright.jobs.rule import Assignment, Fail, Job, JobRule, Results

_PINNED = {
    "NCCL_PROTO": "NCCL and the EFA plug-in's tuner choose the protocol by size; LL128 where the "
    "platform does not support it corrupts data",
    "NCCL_ALGO": "NCCL and the EFA plug-in's tuner choose the algorithm by size and node count",
    "NCCL_NTHREADS": "NCCL chooses the number of threads",
}
_SET = {
    ("NCCL_P2P_DISABLE", "1"): "it disables NVLink between GPUs",
    ("NCCL_SHM_DISABLE", "1"): "it disables shared memory between processes of a node",
    ("CUDA_LAUNCH_BLOCKING", "1"): "every kernel waits for the one before",
    ("TORCH_DISTRIBUTED_DEBUG", "DETAIL"): "every collective is compared between the ranks first",
}


class NcclDebugging(JobRule):
    id = "CW-J022"
    severity = "warning"
    containers = True
    prevents = "collectives that are slower than NCCL's choice, hang, or corrupt data"
    source = (
        "NVIDIA NCCL user guide, Environment Variables, Debugging: not for production, nor to be "
        "kept in scripts; NCCL 2.18.1 release notes for LL128; PyTorch documentation, CUDA "
        "semantics (asynchronous execution) and torch.distributed (debugging)"
    )

    def check(self, job: Job) -> Results:
        if not job.trains or job.only_tests or "nvidia" not in job.families:
            return
        for assignment in job.file.environment:
            reason = _reason(assignment)
            if reason is not None:
                yield Fail(
                    message=f"{assignment.name}={assignment.value.text}: {reason}",
                    at=assignment,
                    hint="remove it; keep it only while a problem is examined",
                )


def _reason(assignment: Assignment) -> str | None:
    value = assignment.value.text.strip()
    found = _SET.get((assignment.name, value.upper()))
    if found is not None:
        return found
    return _PINNED.get(assignment.name) if value else None
