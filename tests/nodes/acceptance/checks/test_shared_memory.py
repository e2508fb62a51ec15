"""Shared memory."""

from __future__ import annotations

import pytest
from clusterwright_acceptance import running
from clusterwright_acceptance.checks import shared_memory
from clusterwright_common.probe import Probe, Space

from tests.nodes.acceptance.fake_node import Node


@pytest.mark.parametrize(
    ("size", "free", "reason"),
    [
        (1007, 1006, ""),
        (0.0625, 0.06, "/dev/shm has 0.1 GiB"),
        (1007, 700, "30% of /dev/shm is in use before any job"),
    ],
)
def test_size_and_use(
    node: Node, monkeypatch: pytest.MonkeyPatch, size: float, free: float, reason: str
) -> None:
    monkeypatch.setattr(shared_memory, "FLOOR_GIB", 8.0)
    monkeypatch.setattr(shared_memory, "LARGEST_USED", 0.1)
    space = Space(size * 2**30, free * 2**30, 1, 1)
    monkeypatch.setattr(Probe, "space", lambda self, path, *, is_remote: space)
    found = node.look("shared-memory")
    assert (found.verdict, found.reason) == ("fail" if reason else "pass", reason)


def test_unreadable_folder_is_no_pass(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Probe, "space", lambda self, path, *, is_remote: None)
    with pytest.raises(running.Unreadable):
        node.look("shared-memory")
