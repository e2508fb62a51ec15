"""Zones and offerings in the data."""

from __future__ import annotations

from typing import Any

from clusterwright.catalog import Known, Unknown, load_catalog

CATALOG = load_catalog()


def known(fact: Known[Any] | Unknown) -> Any:
    assert isinstance(fact, Known), fact
    return fact.value


def test_offerings_name_zones_of_their_region() -> None:
    for name in CATALOG.described_names:
        for region in CATALOG.regions:
            offered = CATALOG.offering(name, region)
            if isinstance(offered, Known):
                assert offered.value <= CATALOG.zone_ids(region), (name, region)


def test_collected_offerings_are_in_the_data() -> None:
    assert known(CATALOG.offering("p4d.24xlarge", "us-east-1")) == {
        "use1-az1", "use1-az2", "use1-az4", "use1-az6",
    }  # fmt: skip
    assert known(CATALOG.offering("p5en.48xlarge", "us-east-1")) == {"use1-az2", "use1-az6"}
    assert known(CATALOG.offering("trn2.48xlarge", "us-east-1")) == frozenset()
