"""Tests of the bootstrap."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.rules.deployment.bootstrap import qualifier
from tests.preflight.harness import TODAY
from tests.support import specs


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ('{"context": {"@aws-cdk/core:bootstrapQualifier": "team"}}', "team"),
        ('{"context": {}}', "hnb659fds"),
        ("[]", "hnb659fds"),
        ("{", "hnb659fds"),
    ],
)
def test_qualifier_of_the_app_is_used(tmp_path: Path, written: str, found: str) -> None:
    (tmp_path / "cdk.json").write_text(written, encoding="utf-8")
    (tmp_path / "configs").mkdir()
    loaded = specs.load(tmp_path / "configs")
    assert qualifier(Context(loaded, load_catalog(), TODAY)) == found
