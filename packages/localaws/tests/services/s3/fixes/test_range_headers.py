"""Tests of services.s3.fixes.range_headers."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_a_range_without_a_unit_is_ignored() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_object(Bucket="one", Key="a", Body=b"0123")
    found = s3.get_object(Bucket="one", Key="a", Range="0-1")
    assert found["Body"].read() == b"0123"
    found = s3.get_object(Bucket="one", Key="a", Range="bytes=0-1")
    assert found["Body"].read() == b"01"
    for ranged in ("bytes = 0-1", "Bytes=0-1"):
        found = s3.get_object(Bucket="one", Key="a", Range=ranged)
        assert found["Body"].read() == b"01"
    found = s3.get_object(Bucket="one", Key="a", Range="bytes=0=1")
    assert found["Body"].read() == b"0123"
