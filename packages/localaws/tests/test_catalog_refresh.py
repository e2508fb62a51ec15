"""`clusterwright catalog refresh` reads the local AWS as it reads AWS."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clusterwright.aws.priced_items import PRICED_ITEMS
from clusterwright.catalog import Fact, Known, load_catalog
from clusterwright.catalog.model import Price
from clusterwright.cli.main import main
from clusterwright_localaws.core.runtime import Runtime

REGION = "us-east-1"


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
    catalog = load_catalog(directory=target)
    read = {
        (item.service, item.name)
        for item in PRICED_ITEMS
        if "Pricing GetProducts" in _source(catalog.service_price(item.service, item.name, REGION))
    }
    # The catalogue, which the local AWS's Price List has its prices from, lacks those of the rest.
    priced = {
        (item.service, item.name)
        for item in PRICED_ITEMS
        if isinstance(load_catalog().service_price(item.service, item.name, REGION), Known)
    }
    assert read == priced
    assert len(read) >= 8
    lustre = catalog.service_price("fsx_lustre", "SCRATCH_2 SSD", REGION)
    assert isinstance(lustre, Known)
    assert "Pricing GetProducts" not in lustre.source


def _source(fact: Fact[Price]) -> str:
    return fact.source if isinstance(fact, Known) else ""
