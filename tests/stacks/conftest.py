"""Builds specs that are written in the tests themselves, each once per run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.synthesis import Assembly

Build = Callable[[dict[str, Any]], Assembly]


@pytest.fixture(scope="session")
def build(
    tmp_path_factory: pytest.TempPathFactory, synth: Callable[[str | Path], Assembly]
) -> Build:
    """`build(spec)`: the assembly of a spec given as data."""
    folder = tmp_path_factory.mktemp("specs")
    paths: dict[str, Path] = {}

    def call(spec: dict[str, Any]) -> Assembly:
        # JSON is YAML.
        text = json.dumps(spec, indent=2)
        if text not in paths:
            paths[text] = folder / f"spec-{len(paths)}.yaml"
            paths[text].write_text(text, encoding="utf-8")
        return synth(paths[text])

    return call
