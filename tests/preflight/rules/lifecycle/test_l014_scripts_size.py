"""Tests of CW-L014."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.lifecycle_scripts import HERE


def test_too_large_folder_is_reported(
    rule: Harness, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = folder / "model.bin"
    with large.open("wb") as file:
        file.truncate(300 * 1024**2)  # sparse
    finding = rule.fails("CW-L014", path=HERE, message="uploading it takes twice as much")
    assert finding.where == "lifecycle_scripts/model.bin"
    large.unlink()
    rule.passes("CW-L014")
