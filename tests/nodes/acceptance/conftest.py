"""Fixtures of the tests in this folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusterwright_acceptance.checks import efa_devices, shared_memory

from tests.nodes.acceptance.fake_node import Node


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr(efa_devices, "PAUSE_SECONDS", 0.0)
    # The machine's own: a folder of a test is not a file system.
    monkeypatch.setattr(shared_memory, "FLOOR_GIB", 0.0)
    monkeypatch.setattr(shared_memory, "LARGEST_USED", 1.0)
    return Node(tmp_path)
