"""Locations of a user's prices."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.pricing import price_files


def test_file_beside_the_spec_precedes_the_one_in_configs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = tmp_path / "elsewhere" / "spec.yaml"
    spec.parent.mkdir()
    assert price_files.find(spec) is None
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "prices.yaml").write_text("rates: []\n")
    assert price_files.find(spec) == Path("configs/prices.yaml")
    (spec.parent / "prices.yaml").write_text("rates: []\n")
    assert price_files.find(spec) == spec.parent / "prices.yaml"
