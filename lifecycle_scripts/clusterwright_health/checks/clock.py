"""The clock: munge refuses credentials of a node whose clock is wrong."""

from __future__ import annotations

from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = False


def look(probe: Probe, expected: Expected) -> list[Finding]:
    if not probe.has("chronyc"):
        return []
    answer = probe.run(["chronyc", "-n", "tracking"])
    if not answer.ok:
        return [Finding("clock", f"chronyc: {answer.summary}")]
    for line in answer.stdout.splitlines():
        name, _, word = line.partition(":")
        if name.strip() == "Leap status" and word.strip() == "Not synchronised":
            return [Finding("clock", "not synchronised")]
    return []
