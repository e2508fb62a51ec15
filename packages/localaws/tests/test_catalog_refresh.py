"""`clusterwright catalog refresh` reads the local AWS as it reads AWS."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clusterwright.catalog import Known, load_catalog
from clusterwright.cli.main import main
from clusterwright_localaws.core.runtime import Runtime


def test_every_catalogue_source_is_answered(
    aws: Runtime, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "facts"
    arguments = ["catalog", "refresh", "--region", "us-east-1", "--output", str(target)]
    assert main([*arguments, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["confirmed"] > 5000
    # The local AWS uses this catalogue: its answers may contain more, and nothing different.
    added = {"added", "changed"}
    assert {change["kind"] for change in answer["changes"]} <= added
    assert not [change for change in answer["changes"] if change["data_set"] == "prices"]
    price = load_catalog(directory=target).instance_price(
        "p5.48xlarge", "us-east-1", "hyperpod-on-demand"
    )
    assert isinstance(price, Known)
    assert "Pricing GetProducts" in price.source
