"""Tests of buckets."""

from __future__ import annotations

from tests.stacks.storage.queries import data_buckets
from tests.stacks.templates import only, properties
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Build


def test_buckets_are_created_only_with_create(build: Build) -> None:
    assert {p["BucketName"] for p in data_buckets(build(FULL))} == {
        "test-checkpoints",
        "test-results",
    }
    directory = only(build(FULL), "AWS::S3Express::DirectoryBucket")
    assert directory["BucketName"] == "test-shuffle--use1-az6--x-s3"
    assert directory["LocationName"] == "use1-az6"


def test_buckets_are_private_versioned_and_tls_only(build: Build) -> None:
    assembly = build(FULL)
    for bucket in properties(assembly, "AWS::S3::Bucket"):
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    for bucket in data_buckets(assembly):
        assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    policies = properties(assembly, "AWS::S3::BucketPolicy")
    assert len(policies) == len(properties(assembly, "AWS::S3::Bucket"))
    for policy in policies:
        denials = [s for s in policy["PolicyDocument"]["Statement"] if s["Effect"] == "Deny"]
        assert {"Bool": {"aws:SecureTransport": "false"}} in [d["Condition"] for d in denials]


def test_noncurrent_versions_expire(build: Build) -> None:
    expiry = {
        p["BucketName"]: p["LifecycleConfiguration"]["Rules"][0]
        .get("NoncurrentVersionExpiration", {})
        .get("NoncurrentDays")
        for p in data_buckets(build(FULL))
    }
    assert expiry == {"test-checkpoints": None, "test-results": 30}


def test_shared_bucket_is_created_once(build: Build) -> None:
    repositories = [
        {"s3": "s3://test-shared/a", "path": "/a", "create": True},
        {"s3": "s3://test-shared/b", "path": "/b", "create": True},
    ]
    file_system = {
        "capacity_gib": 2400,
        "throughput_mbps_per_tib": 250,
        "repositories": repositories,
    }
    assembly = build(changed(MINIMAL, storage={"lustre": [file_system]}))
    assert [p["BucketName"] for p in data_buckets(assembly)] == ["test-shared"]
