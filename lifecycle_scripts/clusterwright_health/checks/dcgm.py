"""The overall health of DCGM, if it is installed and has watches.

Source: NVIDIA DCGM user guide, "Health and Diagnostics": `dcgmi health --check` reports Healthy,
Warning or Failure overall. A warning is not a finding.
"""

from __future__ import annotations

import json

from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = False


def look(probe: Probe, expected: Expected) -> list[Finding]:
    if expected.accelerator != "nvidia" or not probe.has("dcgmi"):
        return []
    answer = probe.run(["dcgmi", "health", "--group", "0", "--check", "--json"])
    # Without watches or its daemon it has no result; the other checks do not depend on it.
    if not answer.ok:
        return []
    try:
        overall = json.loads(answer.stdout)["body"]["Overall Health"]["value"]
    except (ValueError, KeyError, TypeError):
        return []
    return [Finding("dcgm", "overall health: Failure", "reboot")] if overall == "Failure" else []
