"""EFA: as many devices as at the first start, every port active."""

from __future__ import annotations

from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = True

INFINIBAND = "/sys/class/infiniband"
_AMAZON = "0x1d0f"


def devices(probe: Probe) -> list[str]:
    """The names of the EFA devices of the machine."""
    return [
        name
        for name in probe.names(INFINIBAND)
        if (probe.read(f"{INFINIBAND}/{name}/device/vendor") or "").strip() == _AMAZON
    ]


def look(probe: Probe, expected: Expected) -> list[Finding]:
    if not expected.efa_count:
        return []
    names = devices(probe)
    found = []
    if len(names) < expected.efa_count:
        found.append(Finding("efa", f"{len(names)} of {expected.efa_count} devices", "reboot"))
    down = [
        name
        for name in names
        if "ACTIVE" not in (probe.read(f"{INFINIBAND}/{name}/ports/1/state") or "")
    ]
    if down:
        more = f" and {len(down) - 1} more" if len(down) > 1 else ""
        found.append(Finding("efa", f"{down[0]}{more} not active"))
    return found
