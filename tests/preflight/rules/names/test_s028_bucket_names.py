"""Tests of CW-S028."""

from __future__ import annotations

from clusterwright.aws.s3 import Bucket
from clusterwright.platforms.derived_names import lifecycle_bucket
from clusterwright.preflight.facts import storage
from tests.preflight.harness import Harness
from tests.preflight.rules.support.names import HERE, stacks
from tests.support import specs


def test_existing_bucket_names_are_reported(rule: Harness) -> None:
    changes = {"storage.buckets": [{"name": "acme-results", "create": True}]}
    cluster = specs.load(rule.folder).cluster
    scripts = storage.Bucket(lifecycle_bucket(cluster))
    results = storage.Bucket("acme-results")
    there = Bucket("acme-results", "us-east-1")
    facts = {scripts: None, results: there, **stacks()}
    finding = rule.fails(
        "CW-S028",
        changes,
        facts,
        path="storage.buckets[0].name",
        message="the bucket acme-results already exists",
    )
    assert finding.hint == "create: false uses the existing bucket; otherwise use another name"
    rule.passes("CW-S028", changes, {**facts, results: None})
    own = stacks(("AWS::S3::Bucket", "acme-results"))
    rule.passes("CW-S028", changes, {**facts, **own})
    rule.fails("CW-S028", {}, {**facts, scripts: there}, path=HERE, message="already exists")


def test_directory_bucket_names_are_checked_with_their_suffix(rule: Harness) -> None:
    changes = {"storage.buckets": [{"name": "fast", "create": True, "directory": True}]}
    cluster = specs.load(rule.folder).cluster
    facts = {storage.Bucket(lifecycle_bucket(cluster)): None, **stacks()}
    whole = "fast--use1-az6--x-s3"
    facts[storage.Bucket(whole)] = Bucket(whole, "us-east-1")
    path = "storage.buckets[0].name"
    rule.fails("CW-S028", changes, facts, path=path, message=whole)
    rule.passes(
        "CW-S028", changes, {**facts, **stacks(("AWS::S3Express::DirectoryBucket", whole))}
    )
