"""Neuron devices: all there, without uncorrected memory errors.

Source: AWS Neuron, "Neuron Sysfs User Guide" (`stats/hardware` of each device); HyperPod reads the
same counters ("Deep health checks", SageMaker developer guide).
"""

from __future__ import annotations

import re

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding
from clusterwright_health.probe import Probe

QUICK = True

_SYSFS = "/sys/devices/virtual/neuron_device"
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
            value = _value(probe.read(f"{_SYSFS}/{device}/stats/hardware/{counter}"))
            if value:
                found.append(Finding("neuron", f"{device}: {counter} is {value}", "replace"))
    return found


def _value(text: str | None) -> int:
    """A counter's number; 0 where the driver does not have it."""
    match = re.search(r"[0-9]+", text or "")
    return int(match.group()) if match else 0
