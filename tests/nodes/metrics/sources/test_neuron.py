"""Tests of neuron."""

from __future__ import annotations

import pytest
from clusterwright_metrics.sources import neuron

from tests.nodes.metrics.fake_node import (
    Machine,
    at,
)


@pytest.mark.parametrize("moved", [False, True])
def test_neuron_devices_by_sysfs(machine: Machine, moved: bool) -> None:
    folder = "/sys/devices/virtual/neuron_device/neuron1"
    machine.file("/dev/neuron0", "")
    machine.file("/dev/neuron1", "")
    if moved:
        machine.file(f"{folder}/hardware/errors/mem_ecc_uncorrected/total", "3\n")
    else:
        machine.file(f"{folder}/stats/hardware/mem_ecc_uncorrected", "3\n")
    (machine.root / folder.lstrip("/") / "subsystem").symlink_to(machine.root / "sys")
    machine.file(f"{folder}/stats/power/utilization", "POWER_STATUS_VALID,17000,1.0,90.0,45.5\n")
    core = f"{folder}/neuron_core0/stats"
    machine.file(f"{core}/status/success/total", "12\n")
    machine.file(f"{core}/memory_usage/device_mem/total", "4096\n")
    machine.file(f"{core}/other_info/flop_count", "77\n")
    found = machine.samples(neuron)
    assert at(found, "neuron_device_count") == 2
    assert at(found, "neuron_mem_ecc_uncorrected_total", device="1") == 3
    assert at(found, "neuron_power_utilization_ratio", device="1") == pytest.approx(0.455)
    assert at(found, "neuron_calls_total", device="1", core="0", status="success") == 12
    assert at(found, "neuron_device_memory_used_bytes", device="1", core="0") == 4096
    assert at(found, "neuron_flops_total", device="1", core="0") == 77
