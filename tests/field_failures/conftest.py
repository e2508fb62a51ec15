"""Fake nodes for these tests, and the stacks of the specs that they write."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.synthesis import Assembly

# The node program is not part of the package: it is found where it is shipped from.
sys.path.insert(0, str(Path(__file__).parents[2] / "lifecycle_scripts"))

from tests.nodes.world import MEMORY, World, make_world

MakeNode = Callable[..., World]
Build = Callable[[dict[str, Any]], Assembly]


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeNode]:
    """`node("workers-1", "scripted", **state)`: a fake node before its first run."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        made = 0

        def make(name: str = "workers-1", configuration: str = "managed", **state: Any) -> World:
            nonlocal made
            made += 1
            return make_world(Path(folder) / f"node-{made}", name, configuration, **state)

        yield make


@pytest.fixture(scope="session")
def build(
    tmp_path_factory: pytest.TempPathFactory, synth: Callable[[str | Path], Assembly]
) -> Build:
    """`build(spec)`: the assembly of a spec given as data, made once per run."""
    folder = tmp_path_factory.mktemp("field-failures")
    paths: dict[str, Path] = {}

    def call(spec: dict[str, Any]) -> Assembly:
        text = json.dumps(spec, indent=2)
        if text not in paths:
            paths[text] = folder / f"spec-{len(paths)}.yaml"
            paths[text].write_text(text, encoding="utf-8")
        return synth(paths[text])

    return call
