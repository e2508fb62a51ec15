"""Fixtures of the tests in this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nodes.health.fake_node import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
