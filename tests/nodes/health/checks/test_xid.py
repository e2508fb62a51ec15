"""Tests of xid."""

from __future__ import annotations

from tests.nodes.health.fake_node import Machine


def test_hardware_xid_messages_are_counted_once(machine: Machine) -> None:
    off_the_bus = "NVRM: Xid (PCI:0000:83:00): 79, pid=77, GPU has fallen off the bus."
    machine.command(
        "dmesg",
        f"echo '[12.3] {off_the_bus}'\n"
        "echo '[13.0] NVRM: Xid (PCI:0000:53:00): 13, Graphics Exception'\n"
        "echo '[13.1] NVRM: Xid (PCI:0000:53:00): 999, unheard of'",
    )
    machine.command("journalctl", f"echo '{off_the_bus}'")
    text = "xid: 79 on 0000:83:00: GPU has fallen off the bus (replace)"
    assert machine.findings() == [text]
    assert machine.findings(quick=True) == []
