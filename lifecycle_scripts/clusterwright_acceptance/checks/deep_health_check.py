"""HyperPod's own deep health check, as its log on the node has the last result.

HyperPod writes a line for each check, `2026-11-23T08:00:00Z  info  InstanceStress success`, and
for a bad instance `Encountered FaultyInstance. Replace the Instance. ... ERROR:TEXT`. The newest
line decides, unless it asks for a reboot that has happened since; without one there is no result.
"""

from __future__ import annotations

import calendar
import re
import time
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, skipped

ID = "deep-health-check"
LOG = "/var/log/aws/clusters/sagemaker-deep-health-check.log"
SOURCE = "HyperPod, deep health checks (Amazon SageMaker AI Developer Guide)"
_PASSED = re.compile(r"\b(Instance\w+|MultiNode\w+)\b\s+success", re.IGNORECASE)
_FAULTY = re.compile(r"Encountered FaultyInstance\.\s*(Reboot|Replace)?")
_TIME = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d")
_REASON = re.compile(r"ERROR:\s*([^\"}]+)")


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind in ("nvidia", "neuron") else "the type has no accelerators"


def look(probe: Probe, expected: Expected) -> Outcome:
    lines = (probe.read(LOG) or "").splitlines()
    results = [line for line in lines if _PASSED.search(line) or _FAULTY.search(line)]
    if not results:
        return skipped("HyperPod has reported no deep health check of this instance")
    fault = _FAULTY.search(results[-1])
    if fault is None:
        return Outcome("pass", source=SOURCE)
    action = (fault.group(1) or "replace").lower()
    if action == "reboot" and _is_before_boot(probe, results[-1]):
        return skipped("HyperPod wanted a reboot, which has happened; no check has run since")
    reason = _REASON.search(results[-1])
    text = reason.group(1).strip()[:200] if reason else "FaultyInstance"
    return failed(f"HyperPod: {text}", action, source=SOURCE)


def _is_before_boot(probe: Probe, line: str) -> bool:
    """Whether a line is older than the boot; not if one of the times is unknown."""
    booted = re.search(r"^btime (\d+)$", probe.read("/proc/stat") or "", re.MULTILINE)
    written = _TIME.search(line)
    if booted is None or written is None:
        return False
    at = calendar.timegm(time.strptime(written.group(0), "%Y-%m-%dT%H:%M:%S"))
    return at < int(booted.group(1))
