"""EFA interfaces: their state, and every counter of the kernel's driver.

Source: Linux, Documentation/ABI/stable/sysfs-class-infiniband (state, hw_counters). Names of
counters are the driver's; new ones appear by themselves.
"""

from __future__ import annotations

from clusterwright_common.probe import Probe

from clusterwright_metrics.text import Metrics, number, sanitised

ROLES = ("controller", "login", "compute")

FOLDER = "/sys/class/infiniband"
_AMAZON = "0x1d0f"
_NO_COUNTERS = ("lifespan",)
"""The interval at which the driver reads the device, in milliseconds."""


def collect(probe: Probe, metrics: Metrics) -> None:
    devices = [
        name
        for name in probe.names(FOLDER)
        if (probe.read(f"{FOLDER}/{name}/device/vendor") or "").strip() == _AMAZON
    ]
    if not devices:
        return
    metrics.add("efa_device_count", "gauge", "EFA interfaces.", float(len(devices)))
    for device in devices:
        for port in probe.names(f"{FOLDER}/{device}/ports"):
            folder = f"{FOLDER}/{device}/ports/{port}"
            labels = {"device": device, "port": port}
            state = probe.read(f"{folder}/state")
            metrics.add(
                "efa_port_active",
                "gauge",
                "Whether the port is ACTIVE.",
                None if state is None else float("ACTIVE" in state),
                labels,
            )
            for name in probe.names(f"{folder}/hw_counters"):
                if name not in _NO_COUNTERS:
                    metrics.add(
                        f"efa_{sanitised(name)}_total",
                        "counter",
                        f"{name} of the EFA driver.",
                        number(probe.read(f"{folder}/hw_counters/{name}")),
                        labels,
                    )
