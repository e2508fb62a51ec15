"""Tests of platforms.pcs.regions."""

from __future__ import annotations

import re

from clusterwright.catalog import load_catalog
from clusterwright.platforms.pcs.regions import REGIONS


def test_regions_have_names_of_regions() -> None:
    assert all(re.fullmatch(r"[a-z]{2}(-gov)?-[a-z]+-\d", region) for region in REGIONS)


def test_regions_with_a_price_of_the_controller_have_an_endpoint() -> None:
    rows = load_catalog().store.document("prices")["service_prices"]
    priced = {region for service, _, region, *_ in rows if service == "pcs"}
    assert "us-east-1" in priced
    assert priced <= REGIONS
