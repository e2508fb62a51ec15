"""Buckets: created once, with valid names."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import buckets
from tests.support.rich_specs import EXISTING
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(buckets.problems) == {}
    assert found(buckets.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"storage.buckets.0.directory": True, "storage.buckets.0.create": True},
            "storage.buckets[0].mount_path",
            "mounting a directory bucket is not supported on nodes with Slurm",
        ),
        (
            {"storage.buckets": [{"name": "b" * 48, "directory": True}]},
            "storage.buckets[0].name",
            "--use1-az6--x-s3 has 64 characters; S3 allows at most",
        ),
        (
            {"storage.buckets.2.expire_noncurrent_days": 5},
            "storage.buckets[2].expire_noncurrent_days",
            "general purpose bucket",
        ),
        (
            {"storage.buckets.0.expire_noncurrent_days": 5},
            "storage.buckets[0].expire_noncurrent_days",
            "requires a general purpose bucket with create: true",
        ),
        (
            {"storage.buckets.0.name": "acme-rich-checkpoints"},
            "storage.lustre[0].repositories[1].create",
            "has different values of `create`",
        ),
        (
            {"storage.buckets.2.name": "acme.rich"},
            "storage.buckets[2].name",
            "the name of a directory bucket must not contain dots",
        ),
        (
            {"storage.buckets.0.name": "10.0.0.1"},
            "storage.buckets[0].name",
            "10.0.0.1 is not a valid S3 bucket name",
        ),
        (
            {"storage.buckets.0.name": "a..b"},
            "storage.buckets[0].name",
            "is not a valid S3 bucket name",
        ),
        (
            {"storage.buckets.2.name": "acme--use1-az6--x-s3"},
            "storage.buckets[2].name",
            "the zone id and --x-s3 are appended to the name of a directory bucket automatically",
        ),
        (
            {"storage.lustre.0.repositories.0.s3": "s3://acme--use1-az6--x-s3/x"},
            "storage.lustre[0].repositories[0].s3",
            "FSx for Lustre does not support directory buckets as data repositories",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(buckets.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_file_systems_can_share_a_bucket() -> None:
    changes = {"storage.buckets.0.name": "acme-corpus"}
    assert found(buckets.problems, changes) == {}
