"""Buckets are emptied before they are deleted."""

from __future__ import annotations

from tests.support.rich_specs import FULL, changed
from tests.support.synthesis import Build

RETAIN = changed(FULL, protection="retain")

DESTROY = changed(FULL, protection="destroy")


def test_retain_empties_no_data_bucket(build: Build) -> None:
    emptied = build(RETAIN).resources("Custom::S3AutoDeleteObjects")
    assert {name.split("/")[0] for name in emptied} == {"test-lifecycle"}


def test_destroy_empties_every_bucket_first(build: Build) -> None:
    assembly = build(DESTROY)
    buckets = assembly.resources("AWS::S3::Bucket")
    assert len(assembly.resources("Custom::S3AutoDeleteObjects")) == len(buckets) == 3
