"""Tests of dcgm."""

from __future__ import annotations

import json

from tests.nodes.health.fake_node import Machine


def test_dcgm_health_is_read_if_watches_exist(machine: Machine) -> None:
    def answer(value: str) -> None:
        body = json.dumps({"body": {"Overall Health": {"value": value}}})
        machine.command("dcgmi", f"echo '{body}'")

    answer("Warning")
    assert machine.findings() == []
    answer("Failure")
    assert machine.findings() == ["dcgm: overall health: Failure (reboot)"]
    machine.command("dcgmi", "echo 'Error: no watches'; exit 1")
    assert machine.findings() == []
