"""Instance type offerings, with the changes of a world."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

P5 = "p5.48xlarge"


def offered(kind: str, name: str = P5, **more: Any) -> list[str]:
    pages = client("ec2").get_paginator("describe_instance_type_offerings")
    filters = [{"Name": "instance-type", "Values": [name]}, *more.pop("filters", [])]
    return [
        entry["Location"]
        for page in pages.paginate(LocationType=kind, Filters=filters, **more)
        for entry in page["InstanceTypeOfferings"]
    ]


def test_a_type_is_offered_by_zone_by_id_and_by_region() -> None:
    with local_aws():
        assert offered("region") == ["us-east-1"]
        ids = offered("availability-zone-id")
        assert "use1-az6" in ids
        assert len(offered("availability-zone")) == len(ids)
        names = offered("availability-zone")
        assert all(name.startswith("us-east-1") for name in names)


def test_what_the_world_removes_from_a_zone_is_not_offered_there() -> None:
    with local_aws():
        before = offered("availability-zone-id")
    with local_aws(not_offered={P5: [before[0]]}):
        assert offered("availability-zone-id") == before[1:]
    with local_aws(not_offered={P5: before}):
        assert offered("region") == []


def test_patterns_and_locations_are_filters() -> None:
    with local_aws():
        zones = [{"Name": "location", "Values": ["use1-az6"]}]
        assert offered("availability-zone-id", "p5*", filters=zones)
        found = client("ec2").describe_instance_type_offerings(
            Filters=[{"Name": "instance-type", "Values": ["p5.48*", "p4d.*"]}]
        )["InstanceTypeOfferings"]
        assert {entry["InstanceType"] for entry in found} == {P5, "p4d.24xlarge"}


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"Filters": [{"Name": "colour", "Values": ["x"]}]}, "InvalidParameterValue"),
        ({"Filters": [{"Values": ["x"]}]}, "MissingParameter"),
        ({"LocationType": "outpost"}, "InvalidParameterValue"),
        ({"DryRun": True}, "DryRunOperation"),
    ],
)
def test_refused(request_: dict[str, Any], code: str) -> None:
    with local_aws():
        assert refusal(client("ec2").describe_instance_type_offerings, **request_)[0] == code
