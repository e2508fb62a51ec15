"""Tests of services.s3.fixes.bucket_headers."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_headers_of_buckets() -> None:
    s3 = client("s3")
    assert s3.create_bucket(Bucket="one")["Location"] == "/one"
    given = {"CreateBucketConfiguration": {"LocationConstraint": "us-west-2"}}
    assert s3.create_bucket(Bucket="two", **given)["Location"] == "http://two.s3.amazonaws.com/"
    found = s3.head_bucket(Bucket="two")
    assert (found["BucketArn"], found["BucketRegion"]) == ("arn:aws:s3:::two", "us-west-2")
    headers = s3.list_objects_v2(Bucket="two")["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-amz-bucket-region"] == "us-west-2"
