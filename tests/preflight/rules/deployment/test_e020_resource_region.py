"""Tests of CW-E020."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms import resource_regions
from clusterwright.preflight.rules.deployment import e020_resource_region
from tests.preflight.harness import Harness

WEST: dict[str, Any] = {"region": "ca-west-1", "network": {"availability_zone_id": "caw1-az1"}}


EXPRESS = {"buckets": [{"name": "acme", "create": True, "directory": True}]}


@pytest.mark.parametrize(
    ("changes", "path", "name"),
    [
        (WEST, "platform", "AWS::SageMaker::Cluster"),
        (
            {**WEST, "storage": EXPRESS},
            "storage.buckets[0]",
            "AWS::S3Express::DirectoryBucket",
        ),
    ],
)
def test_a_type_that_the_region_lacks(
    rule: Harness, changes: dict[str, Any], path: str, name: str
) -> None:
    found = {f.path: f for f in rule.run("CW-E020", changes).findings}
    assert found[path].severity == "warning"
    assert found[path].message == (
        f"CloudFormation is not known to have {name} in {changes['region']}"
    )
    rule.fails("CW-E020", WEST, path="platform", message="AWS::SageMaker::Cluster")


def test_regions_with_every_type(rule: Harness) -> None:
    rule.passes("CW-E020", {})


def test_every_type_has_a_hint() -> None:
    assert e020_resource_region._HINTS.keys() == resource_regions.ABSENT.keys()
