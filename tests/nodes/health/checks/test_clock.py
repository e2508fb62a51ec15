"""Tests of clock."""

from __future__ import annotations

from tests.nodes.health.fake_node import Machine


def test_unsynchronised_clock_is_found(machine: Machine) -> None:
    machine.command("chronyc", "echo 'Leap status     : Normal'")
    assert machine.findings() == []
    machine.command("chronyc", "echo 'Leap status     : Not synchronised'")
    assert machine.findings() == ["clock: not synchronised"]
