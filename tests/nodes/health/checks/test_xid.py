"""Tests of xid."""

from __future__ import annotations

import json

from clusterwright_health.checks.xid import RECORD

from tests.nodes.health.fake_node import Machine

OFF_THE_BUS = "NVRM: Xid (PCI:0000:83:00): 79, pid=77, GPU has fallen off the bus."


def log(machine: Machine, *lines: str) -> None:
    machine.command("dmesg", "\n".join(f'echo "{line}"' for line in lines) or "true")
    machine.command("journalctl", "true")


def record(machine: Machine) -> dict[str, object]:
    found: dict[str, object] = json.loads((machine.root / RECORD.lstrip("/")).read_text())
    return found


def test_hardware_xid_messages_are_counted_once(machine: Machine) -> None:
    log(
        machine,
        f"[12.3] {OFF_THE_BUS}",
        "[13.0] NVRM: Xid (PCI:0000:53:00): 13, Graphics Exception",
        "[13.1] NVRM: Xid (PCI:0000:53:00): 999, unheard of",
    )
    machine.command("journalctl", f"echo '[12.3] ip-10-1-0-21 kernel: {OFF_THE_BUS}'")
    text = "xid: 79 on 0000:83:00: GPU has fallen off the bus (replace)"
    assert machine.findings() == [text]
    assert machine.findings(quick=True) == []


def test_verdicts_that_do_not_drain_are_recorded(machine: Machine) -> None:
    log(machine, "[13.0] NVRM: Xid (PCI:0000:53:00): 13, Graphics Exception")
    assert machine.findings() == []
    found = record(machine)
    assert found["yield_to_node_recovery_seconds"] == 900
    (verdict,) = found["verdicts"]  # type: ignore[misc]
    assert (verdict["code"], verdict["bucket"], verdict["count"]) == (13, "restart_application", 1)


def test_record_keeps_its_time_while_nothing_changes(machine: Machine) -> None:
    assert machine.findings() == []
    assert not (machine.root / RECORD.lstrip("/")).exists()
    log(machine, f"[12.3] {OFF_THE_BUS}")
    machine.findings()
    path = machine.root / RECORD.lstrip("/")
    before = path.stat().st_mtime_ns
    machine.findings()
    assert path.stat().st_mtime_ns == before


def test_lost_gpu_without_a_number_and_fatal_switch_error(machine: Machine) -> None:
    log(
        machine,
        "[1.0] NVRM: GPU 0000:53:00.0: GPU has fallen off the bus.",
        "[2.0] nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 23001, Fatal, Link 12 Always Fatal",
    )
    assert machine.findings() == [
        "xid: on 0000:53:00: GPU has fallen off the bus (replace)",
        "xid: SXid 23001 on 0000:c3:00: fatal NVSwitch error (replace)",
    ]


def test_second_reboot_in_a_week_is_a_replacement(machine: Machine) -> None:
    machine.write("/proc/sys/kernel/random/boot_id", "one\n")
    log(machine, "[1.0] NVRM: Xid (PCI:0000:53:00): 95, Uncontained")
    text = "xid: 95 on 0000:53:00: uncontained memory error"
    assert machine.findings() == [f"{text} (reboot)"]
    machine.write("/proc/sys/kernel/random/boot_id", "two\n")
    again = f"{text}; again within 7 days, a reboot did not help (replace)"
    assert machine.findings() == [again]


def test_unified_memory_in_use_is_read(machine: Machine) -> None:
    log(machine, "[1.0] NVRM: Xid (PCI:0000:53:00): 159, UVM")
    machine.write("/proc/modules", "nvidia_uvm 4935680 0 - Live 0x0\n")
    assert machine.findings() == []
    machine.write("/proc/modules", "nvidia_uvm 4935680 8 - Live 0x0\n")
    assert [found[:21] for found in machine.findings()] == ["xid: 159 on 0000:53:0"]


def test_unknown_recovery_action_drains_without_a_remedy(machine: Machine) -> None:
    log(
        machine,
        "[1.0] NVRM: Xid (PCI:0000:53:00): 154, GPU recovery action changed from 0x0 (None) to"
        " 0x9 (Something New)",
    )
    assert machine.findings() == [
        "xid: 154 on 0000:53:00: unknown recovery action 'Something New'"
    ]
