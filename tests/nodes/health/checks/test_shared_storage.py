"""Tests of shared storage."""

from __future__ import annotations

import time

from clusterwright_health import program
from clusterwright_health.expected import read_expected

from tests.nodes.health.fake_node import Machine


def test_missing_or_hanging_file_system_is_found(machine: Machine) -> None:
    machine.mounts("/home")
    assert machine.findings() == ["storage: /fsx is not mounted"]
    machine.mounts("/fsx", "/home")
    machine.command("stat", '[ "$2" = /home ] && { echo "stale" >&2; exit 1; }; exit 0')
    assert machine.findings() == ["storage: /home: stale"]


def test_hanging_mount_is_limited_by_the_remaining_time(machine: Machine) -> None:
    machine.command("stat", "exec sleep 60")
    probe = machine.probe(seconds=1.0)
    began = time.monotonic()
    found = program.findings_of(probe, read_expected(probe), quick=True)
    assert time.monotonic() - began < 30
    assert "storage: /fsx: no response in time" in [finding.text for finding in found]
