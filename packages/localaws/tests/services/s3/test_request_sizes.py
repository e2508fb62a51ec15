"""Tests of services.s3.request_sizes."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def _filled(storage_class: str = "STANDARD") -> Any:
    s3 = client("s3")
    s3.create_bucket(Bucket="bucket")
    s3.put_object(Bucket="bucket", Key="k", Body=b"x", StorageClass=storage_class)
    return s3


@pytest.mark.parametrize("operation", ["list_objects", "list_objects_v2", "list_object_versions"])
def test_pages_of_negative_length_are_refused(operation: str) -> None:
    call = getattr(_filled(), operation)
    assert refusal(call, Bucket="bucket", MaxKeys=-1) == (
        "InvalidArgument",
        "Argument maxKeys must be an integer between 0 and 2147483647",
    )
    assert "Contents" not in call(Bucket="bucket", MaxKeys=0)
    assert call(Bucket="bucket", MaxKeys=5)["MaxKeys"] == 5


def test_restoring_needs_a_body() -> None:
    s3 = _filled("GLACIER")
    found = refusal(s3.restore_object, Bucket="bucket", Key="k")
    assert found == ("MissingRequestBodyError", "Request Body is empty")
    assert s3.restore_object(Bucket="bucket", Key="k", RestoreRequest={"Days": 1})
