"""Neuron devices: all present, without uncorrected memory errors.

Source: AWS Neuron, "Neuron Sysfs User Guide" (`stats/hardware` of each device); HyperPod reads the
same counters ("Deep health checks", SageMaker developer guide). The driver 2.31 moved several
nodes of that tree, so counters are found by their names below the device's folder.
"""

from __future__ import annotations

import re

from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = True

_SYSFS = "/sys/devices/virtual/neuron_device"
_DEEP = 5
"""Folders between a device and its counters, at most."""
_COUNTERS = ("mem_ecc_uncorrected", "sram_ecc_uncorrected")


def look(probe: Probe, expected: Expected) -> list[Finding]:
    if expected.accelerator != "neuron":
        return []
    devices = [name for name in probe.names("/dev") if re.fullmatch(r"neuron[0-9]+", name)]
    found = []
    if len(devices) < expected.accelerator_count:
        found.append(
            Finding("neuron", f"{len(devices)} of {expected.accelerator_count} devices", "replace")
        )
    for device in devices:
        for counter in _COUNTERS:
            value = _counter(probe, f"{_SYSFS}/{device}", counter)
            if value:
                found.append(Finding("neuron", f"{device}: {counter} is {value}", "replace"))
    return found


def _counter(probe: Probe, folder: str, name: str, deep: int = _DEEP) -> int:
    """The value of a counter, a file or a folder with `total`; 0 if the driver has none."""
    for entry in probe.names(folder):
        path = f"{folder}/{entry}"
        if entry == name:
            text = probe.read(f"{path}/total") or probe.read(path)
            match = re.search(r"[0-9]+", text or "")
            return int(match.group()) if match else 0
        # `subsystem` and others are links in a cycle.
        if deep and probe.path(path).is_dir() and not probe.path(path).is_symlink():
            found = _counter(probe, path, name, deep - 1)
            if found:
                return found
    return 0
