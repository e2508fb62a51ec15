"""Tests of services.s3.fixes.directory_buckets."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core import boto_clients
from packages.localaws.tests.parts import client, refusal

ACCOUNT = "123456789012"


@pytest.mark.usefixtures("aws")
class TestBuckets:
    def directory(self, name: str, zone: str = "use1-az6") -> Any:
        # As in stacks: botocore's host for directory buckets is not served.
        return boto_clients.client("s3", account=ACCOUNT, region="us-east-1").create_bucket(
            Bucket=name,
            CreateBucketConfiguration={
                "Location": {"Type": "AvailabilityZone", "Name": zone},
                "Bucket": {"Type": "Directory", "DataRedundancy": "SingleAvailabilityZone"},
            },
        )

    def test_directory_bucket_is_created(self) -> None:
        self.directory("fast--use1-az6--x-s3")
        assert [bucket["Name"] for bucket in client("s3").list_buckets()["Buckets"]] == [
            "fast--use1-az6--x-s3"
        ]

    @pytest.mark.parametrize(
        ("name", "zone"),
        [
            ("fast", "use1-az6"),
            ("fast--use1-az4--x-s3", "use1-az6"),
            ("fast--use1-az99--x-s3", "use1-az99"),
            ("fast--use2-az1--x-s3", "use2-az1"),
        ],
    )
    def test_directory_bucket_name_must_end_with_a_zone_id(self, name: str, zone: str) -> None:
        assert refusal(lambda **_: self.directory(name, zone))[0] == "InvalidBucketName"
