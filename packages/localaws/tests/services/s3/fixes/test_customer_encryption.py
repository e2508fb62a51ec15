"""Tests of services.s3.fixes.customer_encryption."""

from __future__ import annotations

from typing import Any

import boto3

from packages.localaws.tests.parts import REGION


def test_the_next_object_without_a_key_has_none(aws: Any) -> None:
    """The digest of a request's key is not kept for the request that follows."""
    s3 = boto3.client("s3", REGION)
    s3.create_bucket(Bucket="one")
    key = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": "k" * 32}
    s3.put_object(Bucket="one", Key="a", Body=b"text", **key)
    s3.put_object(Bucket="one", Key="b", Body=b"text")
    assert "SSECustomerAlgorithm" not in s3.head_object(Bucket="one", Key="b")
    found = s3.head_object(Bucket="one", Key="a", **key)
    assert found["SSECustomerAlgorithm"] == "AES256"
    assert "ServerSideEncryption" not in found
