"""Tests of CW-S011."""

from __future__ import annotations

from clusterwright.aws.s3 import Bucket
from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import WITH_BUCKET, bucket


def test_buckets_in_another_region_are_reported(rule: Harness) -> None:
    path = "storage.lustre[0].repositories[0].s3"
    rule.fails(
        "CW-S011",
        WITH_BUCKET,
        bucket(Bucket("acme-corpus", "eu-west-1")),
        path=path,
        message="acme-corpus is in eu-west-1, the cluster is in us-east-1",
    )
    rule.passes("CW-S011", WITH_BUCKET, bucket(Bucket("acme-corpus", "us-east-1")))
    rule.passes("CW-S011", WITH_BUCKET, bucket(None))
    rule.unsure(
        "CW-S011",
        WITH_BUCKET,
        bucket(Bucket("acme-corpus", None)),
        path=path,
        message="does not report the region",
    )
