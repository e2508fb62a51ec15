"""Tests of CW-S010."""

from __future__ import annotations

from clusterwright.aws.s3 import Bucket
from clusterwright.preflight.facts import storage
from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import REPOSITORY, WITH_BUCKET, bucket, lustre


def test_missing_buckets_are_reported(rule: Harness) -> None:
    path = "storage.lustre[0].repositories[0].s3"
    message = "the bucket acme-corpus"
    rule.fails("CW-S010", WITH_BUCKET, bucket(None), path=path, message=message)
    here = bucket(Bucket("acme-corpus", "us-east-1"))
    rule.passes("CW-S010", WITH_BUCKET, here)
    rule.passes("CW-S010", lustre(repositories=[{**REPOSITORY, "create": True}]), tested=False)


def test_directory_bucket_names_contain_the_zone(rule: Harness) -> None:
    name = "fast--use1-az6--x-s3"
    rule.fails(
        "CW-S010",
        {"storage.buckets": [{"name": "fast", "directory": True}]},
        {storage.Bucket(name): None},
        path="storage.buckets[0].name",
        message=f"the bucket {name} does not exist",
    )
