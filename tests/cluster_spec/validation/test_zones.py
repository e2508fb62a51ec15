"""Zones: of the region, by id."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import zones
from tests.support.rich_specs import EXISTING
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(zones.problems) == {}
    assert found(zones.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"network.availability_zone_id": "usw2-az1"},
            "network.availability_zone_id",
            "not a zone of us-east-1",
        ),
        (
            {"network.availability_zone_id": "us-east-1a"},
            "network.availability_zone_id",
            "is a zone name; names refer to different zones in different accounts",
        ),
        (
            {"network.second_availability_zone_id": "use2-az1"},
            "network.second_availability_zone_id",
            "not a zone of us-east-1",
        ),
        (
            {"network.second_availability_zone_id": "use1-az6"},
            "network.second_availability_zone_id",
            "the second zone must differ from the first",
        ),
        ({"partition": "aws-cn"}, "partition", "us-east-1 is in the partition aws, not aws-cn"),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(zones.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


@pytest.mark.parametrize(
    ("region", "prefix"),
    [
        ("us-east-1", "use1"),
        ("us-gov-west-1", "usgw1"),
        ("ap-northeast-1", "apne1"),
        ("ap-southeast-4", "apse4"),
        ("eu-central-2", "euc2"),
        ("ca-west-1", "caw1"),
        ("cn-northwest-1", "cnnw1"),
        ("il-central-1", "ilc1"),
        ("me-south-1", "mes1"),
        ("af-south-1", "afs1"),
        ("mx-central-1", "mxc1"),
        ("sa-east-1", "sae1"),
    ],
)
def test_prefixes_are_those_of_ec2(region: str, prefix: str) -> None:
    assert zones.zone_prefix(region) == prefix


def test_every_zone_of_the_catalogue_is_in_one_region() -> None:
    from clusterwright.catalog import load_catalog

    catalog = load_catalog()
    for region in catalog.regions:
        for zone in catalog.zone_ids(region):
            assert [r for r in catalog.regions if zones.belongs(zone, r)] == [region]
