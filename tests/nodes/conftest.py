"""Fixtures of the node program, and simulated nodes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.nodes.world import MEMORY, World, make_world

LIFECYCLE = Path(__file__).parents[2] / "lifecycle_scripts"


@pytest.fixture
def lifecycle() -> Path:
    """The folder that is uploaded for the nodes."""
    return LIFECYCLE


@pytest.fixture(autouse=True)
def _no_waiting_for_disks(monkeypatch: pytest.MonkeyPatch) -> None:
    """fsync protects against a loss of power, which is not tested; SIGKILL needs none."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """A folder in memory if there is one: many small machines are created and deleted."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def world(memory_path: Path) -> Callable[..., World]:
    """Creates worlds: one simulated node each, with its input files."""
    made = 0

    def make(node: str = "workers-1", configuration: str = "managed", **changes: object) -> World:
        nonlocal made
        made += 1
        return make_world(memory_path / f"world-{made}", node, configuration, **changes)

    return make
