"""Tests of neuron."""

from __future__ import annotations

import pytest

from tests.nodes.health.fake_node import Machine


@pytest.mark.parametrize("moved", [False, True])
def test_neuron_devices_are_checked(machine: Machine, moved: bool) -> None:
    machine.expect(accelerator="neuron", accelerator_count=16)
    for number in range(16):
        machine.write(f"/dev/neuron{number}", "")
    machine.gpus("", exit_code=9)
    assert machine.findings() == []
    folder = "/sys/devices/virtual/neuron_device/neuron3/stats/hardware"
    if moved:  # another layout of the driver: another path, and a folder
        folder = folder.replace("stats/hardware", "errors")
        (machine.root / folder.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (machine.root / folder.lstrip("/")).parent.joinpath("subsystem").symlink_to("..")
        machine.write(f"{folder}/mem_ecc_uncorrected/total", "0\n")
        machine.write(f"{folder}/sram_ecc_uncorrected/total", "2\n")
    else:
        machine.write(f"{folder}/mem_ecc_uncorrected", "0\n")
        machine.write(f"{folder}/sram_ecc_uncorrected", "2\n")
    (machine.root / "dev/neuron15").unlink()
    assert machine.findings() == [
        "neuron: 15 of 16 devices (replace)",
        "neuron: neuron3: sram_ecc_uncorrected is 2 (replace)",
    ]
