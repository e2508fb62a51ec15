"""The node program is not part of the package: it is found where it is shipped from."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

LIFECYCLE = Path(__file__).parents[2] / "lifecycle_scripts"
sys.path.insert(0, str(LIFECYCLE))

from tests.nodes.world import MEMORY, World, make_world  # noqa: E402 - needs the path above


@pytest.fixture
def lifecycle() -> Path:
    """The folder that is uploaded for the nodes."""
    return LIFECYCLE


@pytest.fixture(autouse=True)
def _no_waiting_for_disks(monkeypatch: pytest.MonkeyPatch) -> None:
    """fsync protects against a loss of power, which no test here has; SIGKILL needs none."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """A folder in memory where there is one: many small machines are made and thrown away."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def world(memory_path: Path) -> Callable[..., World]:
    """Makes worlds: one fake node each, with its input files."""
    made = 0

    def make(node: str = "workers-1", configuration: str = "managed", **changes: object) -> World:
        nonlocal made
        made += 1
        return make_world(memory_path / f"world-{made}", node, configuration, **changes)

    return make
