"""Neuron devices, by the driver's files in sysfs.

Source: AWS Neuron, "Neuron Sysfs User Guide": per core `stats/status/<status>/total`,
`stats/memory_usage/device_mem/total`, `stats/other_info/flop_count`; per device ECC counters and
`stats/power/utilization`. The driver 2.31 moved some of these, so counters are found by their
names below the device's folder. neuron-monitor is not used: it would have to run all the time, and
its values come from the same driver.
"""

from __future__ import annotations

import re

from clusterwright_common.probe import Probe

from clusterwright_metrics.text import Metrics, number, sanitised

ROLES = ("compute", "login")

FOLDER = "/sys/devices/virtual/neuron_device"
_ECC = ("mem_ecc_uncorrected", "mem_ecc_repairable_uncorrected", "sram_ecc_uncorrected")
_DEEP = 5
"""Folders between a device and its counters, at most."""


def collect(probe: Probe, metrics: Metrics) -> None:
    devices = [name for name in probe.names(FOLDER) if re.fullmatch(r"neuron\d+", name)]
    listed = [name for name in probe.names("/dev") if re.fullmatch(r"neuron\d+", name)]
    if not devices and not listed:
        return
    metrics.add("neuron_device_count", "gauge", "Devices in /dev.", float(len(listed)))
    for device in devices:
        _device(probe, metrics, f"{FOLDER}/{device}", {"device": device.replace("neuron", "")})


def _device(probe: Probe, metrics: Metrics, folder: str, labels: dict[str, str]) -> None:
    for name in _ECC:
        metrics.add(
            f"neuron_{name}_total",
            "counter",
            f"{name} of the driver.",
            counter_below(probe, folder, name),
            labels,
        )
    power = (probe.read(f"{folder}/stats/power/utilization") or "").strip().split(",")
    if len(power) == 5 and power[0] == "POWER_STATUS_VALID":
        value = number(power[4])
        metrics.add(
            "neuron_power_utilization_ratio",
            "gauge",
            "Average power in the last minute, of the most.",
            None if value is None else value / 100,
            labels,
        )
    for core in probe.names(folder):
        match = re.fullmatch(r"neuron_core(\d+)", core)
        if match is not None:
            _core(probe, metrics, f"{folder}/{core}/stats", {**labels, "core": match.group(1)})


def _core(probe: Probe, metrics: Metrics, stats: str, labels: dict[str, str]) -> None:
    for status in probe.names(f"{stats}/status"):
        metrics.add(
            "neuron_calls_total",
            "counter",
            "Calls of the runtime, by the status that they returned.",
            number(probe.read(f"{stats}/status/{status}/total")),
            {**labels, "status": sanitised(status)},
        )
    metrics.add(
        "neuron_device_memory_used_bytes",
        "gauge",
        "Device memory in use by this core.",
        number(probe.read(f"{stats}/memory_usage/device_mem/total")),
        labels,
    )
    metrics.add(
        "neuron_flops_total",
        "counter",
        "Floating point operations.",
        number(probe.read(f"{stats}/other_info/flop_count")),
        labels,
    )


def counter_below(probe: Probe, folder: str, name: str, deep: int = _DEEP) -> float | None:
    """The value of a counter anywhere in the folder: a file, or a folder with `total`."""
    for entry in probe.names(folder):
        path = f"{folder}/{entry}"
        if entry == name:
            text = probe.read(f"{path}/total") if probe.is_folder(path) else probe.read(path)
            match = re.search(r"\d+", text or "")
            return float(match.group()) if match else None
        # `subsystem`, `device` and others are links in a cycle.
        if deep and probe.is_folder(path) and not probe.path(path).is_symlink():
            found = counter_below(probe, path, name, deep - 1)
            if found is not None:
                return found
    return None
