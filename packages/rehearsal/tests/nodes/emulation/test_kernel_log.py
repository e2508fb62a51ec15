"""dmesg of an emulated machine."""

from __future__ import annotations

from pathlib import Path

from packages.rehearsal.tests.nodes.emulation.conftest import Tool


def test_dmesg_shows_only_messages_of_the_machine(tool: Tool, machine: Path) -> None:
    assert tool("kernel_log") == (0, "")
    (machine.parent / "kernel.log").write_text("12.5 NVRM: Xid (PCI:0000:53:00): 79, gone\n")
    assert tool("kernel_log") == (
        0,
        "[   12.500000] NVRM: Xid (PCI:0000:53:00): 79, gone\n",
    )
    assert tool("kernel_log", "--notime") == (0, "NVRM: Xid (PCI:0000:53:00): 79, gone\n")
    code, text = tool("kernel_log", "--ctime")
    assert code == 0
    assert text.endswith("] NVRM: Xid (PCI:0000:53:00): 79, gone\n")
    assert tool("kernel_log", "--follow")[0] == 1
