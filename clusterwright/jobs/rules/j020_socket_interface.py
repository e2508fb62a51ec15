"""NCCL_SOCKET_IFNAME excludes interfaces instead of naming one."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_GOOD = "^docker,lo,veth"
_OWN = ("eth", "en", "ens", "enp", "eno")
_ANY = {"e", "en"}
"""Prefixes of every Ethernet interface that is named by its place: NCCL compares prefixes."""


class SocketInterface(JobRule):
    id = "CW-J020"
    severity = "warning"
    prevents = "a job that ends with: no socket interface found, on types with several interfaces"
    source = (
        "awslabs/awsome-distributed-ai #519: a fixed interface breaks P5 and P6; `eth` excluded, "
        "too, leaves none in some images"
    )

    def check(self, job: Job) -> Results:
        if not job.has_efa:
            return
        for assignment in job.file.environment:
            value = assignment.value.text.strip()
            if assignment.name != "NCCL_SOCKET_IFNAME" or assignment.value.dynamic or not value:
                continue
            if value.startswith("^"):
                names = [name.lstrip("=") for name in value[1:].split(",")]
                excluded = [name for name in names if name in _OWN]
                if excluded:
                    yield Fail(
                        message=f"NCCL_SOCKET_IFNAME excludes {', '.join(excluded)}: in some "
                        "images no interface is left",
                        at=assignment,
                        hint=f"NCCL_SOCKET_IFNAME={_GOOD}",
                    )
            elif not _ANY & set(value.split(",")) and (value != "lo" or job.file.many_nodes):
                yield Fail(
                    message=f"NCCL_SOCKET_IFNAME={value} names one interface; its name differs "
                    "between types and images",
                    at=assignment,
                    hint=f"leave it unset, or NCCL_SOCKET_IFNAME={_GOOD}",
                )
