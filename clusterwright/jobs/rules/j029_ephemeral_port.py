"""The port at which processes meet is none that the kernel gives to other connections."""

from __future__ import annotations

import re
from typing import Final

from clusterwright.jobs.rule import Assignment, Fail, Job, JobRule, Results, Word

_FIRST: Final = 32768
_LAST: Final = 60999
"""net.ipv4.ip_local_port_range, unless an image sets another one."""
_NUMBER: Final = re.compile(r"[1-9]\d{0,4}")
_ENDPOINT: Final = re.compile(r".*:([1-9]\d{0,4})")
_REMAINDER: Final = re.compile(
    # A remainder and a base: `x % 16384 + 49152`, `49152 + x % 16384`, with or without brackets.
    r"\$\(\(\s*(?:(?P<before>\d+)\s*\+\s*)?\(?\s*[^()+%]*%\s*(?P<size>\d+)\s*\)?\s*"
    r"(?:\+\s*(?P<after>\d+)\s*)?\)\)"
)


class EphemeralPort(JobRule):
    id = "CW-J029"
    severity = "warning"
    prevents = "a job that ends at its start, now and then, with: address already in use"
    source = (
        "Linux kernel documentation, ip-sysctl, ip_local_port_range (32768 to 60999); "
        "NVIDIA/enroot#243"
    )

    def check(self, job: Job) -> Results:
        found: list[tuple[Assignment | Word, tuple[int, int]]] = []
        own = [launcher for _, launcher in job.file.launchers]
        # With --standalone torchrun takes a free port.
        waiting = [launcher for launcher in own if "standalone" not in launcher.options]
        for launcher in waiting:
            for name in ("master-port", "main-process-port", "rdzv-endpoint"):
                word = launcher.options.get(name)
                ports = _ports(word.text, endpoint=name == "rdzv-endpoint") if word else None
                if word is not None and ports is not None:
                    found.append((word, ports))
        variable = job.file.variable("MASTER_PORT") if waiting or not own else None
        ports = _ports(variable.value.text) if variable is not None else None
        if variable is not None and ports is not None:
            found.append((variable, ports))
        for place, (first, last) in found:
            if last < _FIRST or first > _LAST:
                continue
            span = f"the port {first} is" if first == last else f"the ports {first} to {last} are"
            if first < _FIRST or last > _LAST:
                among = f"the ports {first} to {last} include some of those"
            else:
                among = f"{span} among those"
            yield Fail(
                message=f"{among} that the kernel gives to outgoing connections ({_FIRST} to "
                f"{_LAST}): one may have it already",
                at=place,
                hint="a port below: MASTER_PORT=$((10000 + SLURM_JOB_ID % 20000))",
            )
            return


def _ports(text: str, *, endpoint: bool = False) -> tuple[int, int] | None:
    """The ports that a text can be; None if it does not say, and for 0, which is any free one."""
    if endpoint:
        match = _ENDPOINT.fullmatch(text)
        text = match[1] if match is not None else ""
    if _NUMBER.fullmatch(text):
        return int(text), int(text)
    match = _REMAINDER.fullmatch(text)
    if match is None or not int(match["size"]):
        return None
    base = int(match["before"] or 0) + int(match["after"] or 0)
    return base, base + int(match["size"]) - 1
