"""The resource types that regions lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.platforms import resource_regions


def test_the_regions_are_those_of_the_schemas() -> None:
    cfnlint = pytest.importorskip("cfnlint")
    folder = Path(cfnlint.__file__).parent / "data" / "schemas" / "providers"
    texts = {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*-*.json")}
    for name, absent in resource_regions.ABSENT.items():
        assert absent == {region for region, text in texts.items() if f'"{name}"' not in text}
