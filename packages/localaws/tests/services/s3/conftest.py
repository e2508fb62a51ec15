"""Fixtures of the tests of S3."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Threads that take turns often, so that races show."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)
