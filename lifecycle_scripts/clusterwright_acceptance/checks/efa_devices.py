"""EFA: exactly as many devices as the type has, every port active, all with the same rate.

Some types show their devices late (p5en, awsome-distributed-ai): three tries, five seconds apart.
Other RDMA devices, such as those of the NVLink fabric on p6-b200, are not EFA and not counted.
"""

from __future__ import annotations

import time
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, unknown

ID = "efa-devices"
TRIES = 3
PAUSE_SECONDS = 5.0
INFINIBAND = "/sys/class/infiniband"
COUNTERS = ("tx_bytes", "rdma_write_bytes", "rdma_read_bytes")
"""Counters of a device of which at least one grows when it sends."""

_AMAZON = "0x1d0f"
_SOURCE = "EC2's instance types, catalogue"


def applies(expected: Expected) -> Optional[str]:
    if not expected.efa:
        return "the group has no EFA interfaces"
    return "the type has no EFA" if expected.type.efa_interfaces == 0 else None


def look(probe: Probe, expected: Expected) -> Outcome:
    wanted = expected.type.efa_interfaces
    names, down = devices(probe), []
    for attempt in range(TRIES):
        names = devices(probe)
        down = [name for name in names if "ACTIVE" not in _port(probe, name, "state")]
        if (wanted is None or len(names) >= wanted) and not down and names:
            break
        if attempt < TRIES - 1:
            time.sleep(PAUSE_SECONDS)
    rates = sorted({_port(probe, name, "rate") for name in names})
    facts = {"efa_rate": ", ".join(rates), "efa_devices": len(names)}
    shown = {"value": float(len(names)), "unit": "devices", "source": _SOURCE, "facts": facts}
    if down:
        more = f"; {len(down) - 1} more" if len(down) > 1 else ""
        return failed(f"{down[0]} is not active{more}", "reboot", **shown)
    if wanted is None:
        return unknown("no source states how many EFA interfaces this type has", **shown)
    shown["floor"] = float(wanted)
    if len(names) != wanted:
        text = f"{len(names)} EFA devices, {expected.instance_type} has {wanted}"
        return failed(text, "reboot" if len(names) < wanted else "report", **shown)
    if len(rates) > 1:
        return failed(f"ports with different rates: {', '.join(rates)}", "replace", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]


def devices(probe: Probe) -> list[str]:
    """The names of the EFA devices of the machine."""
    return [
        name
        for name in probe.names(INFINIBAND)
        if (probe.read(f"{INFINIBAND}/{name}/device/vendor") or "").strip() == _AMAZON
    ]


def traffic(probe: Probe) -> dict[str, dict[str, int]]:
    """The traffic counters of every EFA device; a counter that cannot be read is left out."""
    found: dict[str, dict[str, int]] = {}
    for name in devices(probe):
        found[name] = {}
        for counter in COUNTERS:
            text = (probe.read(f"{INFINIBAND}/{name}/ports/1/hw_counters/{counter}") or "").strip()
            if text.isdigit():
                found[name][counter] = int(text)
    return found


def idle_devices(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> list[str]:
    """Devices that sent nothing in between."""
    return [
        name
        for name, counters in after.items()
        if not any(value > before.get(name, {}).get(key, 0) for key, value in counters.items())
    ]


def _port(probe: Probe, name: str, file: str) -> str:
    return (probe.read(f"{INFINIBAND}/{name}/ports/1/{file}") or "").strip()
