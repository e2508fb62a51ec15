"""Memory: that of the type, less what the kernel keeps; huge pages and NUMA nodes as facts.

The kernel reports less than EC2 states: our rule allows 7 % less. On types whose accelerators'
memory is part of the machine's (Grace), more than EC2's figure is no fault.
"""

from __future__ import annotations

import re
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, unknown

ID = "memory"
LOWEST_RATIO = 0.93
SOURCE = "EC2's instance types, catalogue; 0.93 is our margin for what the kernel keeps"

_NODES = "/sys/devices/system/node"


def applies(expected: Expected) -> Optional[str]:
    return None


def look(probe: Probe, expected: Expected) -> Outcome:
    text = running.output(probe, [running.program(probe, expected, "free"), "--bytes"], 10.0)
    match = re.search(r"^Mem:\s+(\d+)", text, re.MULTILINE)
    if match is None:
        raise running.Unreadable("the output of free has an unknown form")
    gib = int(match.group(1)) / 2**30
    facts = {"hugepages": _hugepages(probe), "numa_nodes": len(_numa_nodes(probe))}
    wanted = expected.type.memory_gib
    if wanted is None:
        text = "no source states how much memory this type has"
        return unknown(text, value=gib, unit="GiB", facts=facts)
    floor = wanted * LOWEST_RATIO
    shown = {"value": gib, "floor": floor, "unit": "GiB", "source": SOURCE, "facts": facts}
    if gib < floor:
        return failed(
            f"{gib:.0f} GiB, {expected.instance_type} has {wanted:g}", "replace", **shown
        )
    if gib > wanted * 1.001 and expected.type.architecture != "arm64":
        text = f"{gib:.0f} GiB, more than the {wanted:g} of {expected.instance_type}"
        return failed(text, "report", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]


def _hugepages(probe: Probe) -> Optional[int]:
    match = re.search(r"^HugePages_Total:\s+(\d+)", probe.read("/proc/meminfo") or "", re.M)
    return int(match.group(1)) if match else None


def _numa_nodes(probe: Probe) -> list[str]:
    return [name for name in probe.names(_NODES) if re.fullmatch(r"node\d+", name)]
