"""The GPUs' own memory: a copy within each GPU, with NVIDIA's nvbandwidth.

No floor was found; the nodes of the cluster are compared with each other.
"""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import floors
from clusterwright_acceptance.checks.host_copy import slowest_gpu
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, against_floor

ID = "hbm-copy"
TESTS = ("device_local_copy",)
SECONDS = 110.0


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    slowest, where = slowest_gpu(probe, expected, TESTS, SECONDS)
    mine = floors.own(expected, ID)
    floor, source = (mine.value, mine.source) if mine else (None, "no measurement was found")
    return against_floor(slowest, "GB/s", floor, source, action="replace", what=where)
