"""Tests of services.s3vectors.fixes.creation."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_new_buckets_and_indexes_have_an_arn_and_a_time() -> None:
    vectors = client("s3vectors")
    arn = vectors.create_vector_bucket(vectorBucketName="vectors")["vectorBucketArn"]
    assert arn.endswith(":bucket/vectors")
    assert vectors.list_vector_buckets()["vectorBuckets"][0]["creationTime"]
    index = {"indexName": "i-1", "dataType": "float32", "dimension": 2, "distanceMetric": "cosine"}
    found = vectors.create_index(vectorBucketArn=arn, **index)["indexArn"]
    assert found == f"{arn}/index/i-1"
    assert vectors.list_indexes(vectorBucketArn=arn)["indexes"][0]["creationTime"]
