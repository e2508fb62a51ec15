"""The harness of rules as a fixture."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.preflight.harness import Harness


@pytest.fixture
def rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Harness:
    """Runs one rule on a small spec: `rule.fails("CW-Q001", changes, facts, ...)`."""
    return Harness(tmp_path, monkeypatch)
