"""Tests of efa."""

from __future__ import annotations

from tests.nodes.health.fake_node import Machine


def test_efa_devices_and_ports_are_checked(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    machine.efa(2, "1: DOWN")
    assert machine.findings() == ["efa: rdmap1s0 and 1 more not active"]
    machine.expect(efa_count=32)
    assert "efa: 4 of 32 devices (reboot)" in machine.findings()
    machine.expect(efa_count=0)
    assert machine.findings() == []
