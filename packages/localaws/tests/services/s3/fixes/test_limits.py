"""Tests of services.s3.fixes.limits."""

from __future__ import annotations

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal


def test_buckets_of_the_world_are_outside_the_quota() -> None:
    with local_aws("generous", quotas={"s3/L-DC2B2D3D": 1}):
        s3 = client("s3")
        s3.create_bucket(Bucket="first")
        assert refusal(s3.create_bucket, Bucket="second")[0] == "TooManyBuckets"
        s3.delete_bucket(Bucket="first")
        s3.create_bucket(Bucket="second")
