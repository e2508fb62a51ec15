"""Tests of services.s3.fixes.concurrent_reads."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.s3.world_buckets import find_bucket
from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_a_replaced_object_is_read_to_its_end() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_object(Bucket="one", Key="a", Body=b"old")
    bucket = find_bucket("one")
    assert bucket is not None
    read = bucket.keys["a"]
    s3.put_object(Bucket="one", Key="a", Body=b"new")
    assert read.value == b"old"
    read = bucket.keys["a"]
    s3.delete_object(Bucket="one", Key="a")
    assert read.value == b"new"
