"""The environment leaves EFA enabled."""

from __future__ import annotations

from clusterwright.jobs.rule import Assignment, Fail, Job, JobRule, Results

_NO = ("0", "false", "no", "off")


class EfaProvider(JobRule):
    id = "CW-J021"
    severity = "warning"
    containers = True
    prevents = "collectives over TCP: the job runs, at a fraction of the speed"
    source = (
        "aws/aws-ofi-nccl documentation; awslabs/awsome-distributed-ai #386 and "
        "NVIDIA/exemplar-performance #39: TCP without a message; Amazon EC2 user guide, EFA: "
        "locked memory is unlimited"
    )

    def check(self, job: Job) -> Results:
        if not job.has_efa or job.nodes == 1:
            return
        for assignment in job.file.environment:
            if assignment.value.dynamic:
                continue
            reason = _reason(assignment)
            if reason is not None:
                yield Fail(
                    message=f"{assignment.name}={assignment.value.text}: {reason}",
                    at=assignment,
                    hint="FI_PROVIDER=efa" if assignment.name == "FI_PROVIDER" else "remove it",
                )
        for command in job.file.commands:
            texts = [word.text for word in command.words]
            if command.name != "ulimit" or "-l" not in texts[1:-1]:
                continue
            limit = texts[texts.index("-l") + 1]
            if limit.isdigit():
                yield Fail(
                    message=f"ulimit -l {limit}: EFA registers more memory than {limit} KiB",
                    at=command,
                    hint="ulimit -l unlimited",
                )


def _reason(assignment: Assignment) -> str | None:
    name, value = assignment.name, assignment.value.text.strip().lower()
    if name == "FI_PROVIDER" and value:
        names = value.lstrip("^").replace(";", ",").split(",")
        if value.startswith("^"):
            return "it excludes EFA" if "efa" in names else None
        return None if "efa" in names else "libfabric does not use EFA"
    if name == "NCCL_NET" and value in ("socket", "ib"):
        return "NCCL does not use the EFA plug-in"
    if name == "NCCL_NET_PLUGIN" and value == "none":
        return "NCCL loads no network plug-in, so it uses TCP"
    if name == "FI_EFA_USE_DEVICE_RDMA" and value in _NO:
        return "GPUs exchange data through host memory"
    if name == "OFI_NCCL_DISABLE_GDR_REQUIRED_CHECK" and value == "1":
        return "the plug-in starts without GPUDirect RDMA"
    return None
