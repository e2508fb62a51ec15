"""The clock."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running

from tests.nodes.acceptance.fake_node import Node, tracking


def test_synchronised_clock_passes(node: Node) -> None:
    found = node.look("clock")
    assert (found.verdict, found.value, found.unit) == ("pass", 0.000012345, "s")


def test_wrong_and_unsynchronised_clocks_fail(node: Node) -> None:
    node.command("chronyc", tracking("0.250000000"))
    assert node.look("clock").reason == "the clock is off by 0.250 s"
    node.command("chronyc", tracking("0.0", "Not synchronised"))
    assert node.look("clock").reason == "the clock is not synchronised"


def test_failing_chronyc_is_no_pass(node: Node) -> None:
    for body in ("echo 506 Cannot talk to daemon >&2; exit 1", "echo something"):
        node.command("chronyc", body)
        with pytest.raises(running.Unreadable):
            node.look("clock")


def test_systemd_is_asked_without_chrony(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.without("chronyc")
    probe = node.probe()
    monkeypatch.setattr(type(probe), "has", lambda self, name: name == "timedatectl")
    node.command("timedatectl", "echo yes")
    assert node.look("clock").verdict == "pass"
    node.command("timedatectl", "echo no")
    assert node.look("clock").verdict == "fail"
