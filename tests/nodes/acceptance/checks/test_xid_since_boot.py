"""Xid messages since the machine started."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running

from tests.nodes.acceptance.fake_node import Node


def test_clean_log_passes(node: Node) -> None:
    assert node.look("xid").verdict == "pass"


def test_xid_that_drains_fails_with_its_action(node: Node) -> None:
    node.prints("dmesg", "[ 1.0] NVRM: Xid (PCI:0000:53:00): 95, pid=1, Uncontained")
    found = node.look("xid")
    assert (found.verdict, found.action) == ("fail", "reboot")
    assert found.reason == "95 on 0000:53:00: uncontained memory error"


def test_other_xid_is_shown(node: Node) -> None:
    node.prints("dmesg", "[ 1.0] NVRM: Xid (PCI:0000:53:00): 78, pid=1, vGPU")
    found = node.look("xid")
    assert found.verdict == "pass"
    assert "driver and software do not match" in found.reason


def test_log_that_cannot_be_read_is_no_pass(node: Node) -> None:
    node.command("dmesg", "echo 'Operation not permitted' >&2; exit 1")
    node.command("journalctl", "exit 1")
    with pytest.raises(running.Unreadable):
        node.look("xid")
