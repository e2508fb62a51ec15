"""Fixtures: simulated nodes, and the stacks of specs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.nodes.world import MEMORY, World, make_world

MakeNode = Callable[..., World]


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeNode]:
    """`node("workers-1", "scripted", **state)`: a simulated node before its first run."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        made = 0

        def make(name: str = "workers-1", configuration: str = "managed", **state: Any) -> World:
            nonlocal made
            made += 1
            return make_world(Path(folder) / f"node-{made}", name, configuration, **state)

        yield make
