"""Copies between the host and each GPU, with NVIDIA's nvbandwidth.

It prints `Running host_to_device_memcpy_ce.`, a table of one row of bandwidths in GB/s by GPU, and
`SUM host_to_device_memcpy_ce 445.1`.
"""

from __future__ import annotations

import re
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import floors, running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, against_floor

ID = "host-copy"
TESTS = ("host_to_device_memcpy_ce", "device_to_host_memcpy_ce")
SECONDS = 110.0

_CELLS = re.compile(r"^\s*0((?:\s+[0-9]+\.[0-9]+)+)\s*$", re.MULTILINE)


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    slowest, where = slowest_gpu(probe, expected, TESTS, SECONDS)
    floor = floors.host_copy(expected)
    return against_floor(slowest, "GB/s", floor.value, floor.source, action="reboot", what=where)


def slowest_gpu(
    probe: Probe, expected: Expected, tests: tuple[str, ...], seconds: float
) -> tuple[float, str]:
    """The least bandwidth in GB/s, and the GPU and test that has it.

    Raises
    ------
    Missing, Hung, Unreadable
        As in `running`; also if a GPU is not in the output.
    """
    program = running.program(probe, expected, "nvbandwidth")
    found: list[tuple[float, str]] = []
    for test in tests:
        text = running.output(probe, [program, "--testcase", test], seconds)
        match = _CELLS.search(text)
        values = [float(cell) for cell in match.group(1).split()] if match else []
        wanted = expected.type.accelerator_count
        if not values or (wanted is not None and len(values) != wanted):
            raise running.Unreadable(f"nvbandwidth shows {len(values)} GPUs in {test}")
        found += [(value, f"GPU {index}, {test}") for index, value in enumerate(values)]
    return min(found)
