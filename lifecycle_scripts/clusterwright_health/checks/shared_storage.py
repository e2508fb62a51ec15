"""Lustre and the home directories: mounted and responding."""

from __future__ import annotations

from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = True

_SECONDS = 10.0


def look(probe: Probe, expected: Expected) -> list[Finding]:
    found = []
    mounted = _mounted(probe)
    for path in expected.shared_paths:
        if path not in mounted:
            found.append(Finding("storage", f"{path} is not mounted"))
            continue
        # In a separate process: a call to a server that is gone blocks in the kernel.
        answer = probe.run(["stat", "--file-system", path], timeout_seconds=_SECONDS)
        if not answer.ok:
            found.append(Finding("storage", f"{path}: {answer.summary}"))
    return found


def _mounted(probe: Probe) -> set[str]:
    lines = (probe.read("/proc/self/mounts") or "").splitlines()
    return {line.split()[1] for line in lines if len(line.split()) > 1}
