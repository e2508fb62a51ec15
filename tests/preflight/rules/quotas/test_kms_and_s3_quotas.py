"""Tests of the kms and s3 quotas."""

from __future__ import annotations

from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.preflight.facts import counts
from tests.preflight.harness import Harness, quota
from tests.support import specs


def test_kms_key_quota(rule: Harness) -> None:
    keys = counts.KeyCount("alias/test")
    limit = quota("kms", "L-C2F1777E", 7)
    rule.fails(
        "CW-Q080",
        None,
        {keys: (7, False), **limit},
        path="identity",
        message="the cluster's key needs 1",
        numbers=(1, 7, 7),
    )
    rule.passes("CW-Q080", None, {keys: (7, True), **limit})
    key = f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/1"
    rule.passes("CW-Q080", {"identity.kms_key_arn": key}, tested=False)


def test_bucket_quota(rule: Harness) -> None:
    built = {"storage.buckets": [{"name": "acme-new", "create": True}, {"name": "acme-old"}]}
    limit = quota("s3", "L-DC2B2D3D", 2)
    rule.fails(
        "CW-Q081",
        built,
        {counts.BucketNames(): ("acme-old",), **limit},
        path="storage",
        message="2 new buckets need 2",
        numbers=(2, 1, 2),
    )
    own = lifecycle_bucket(specs.load(rule.folder, built).cluster)
    rule.passes("CW-Q081", built, {counts.BucketNames(): (own, "acme-new"), **limit})
