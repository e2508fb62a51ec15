"""Tests of services.s3.copy_sources."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.copy_sources import check_source
from packages.localaws.tests.parts import REGION, client, refusal

DAY = timedelta(days=1)


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    found.put_object(Bucket="one", Key="source", Body=b"0123456789")
    return found


def _part(s3: Any, **more: Any) -> dict[str, Any]:
    upload = s3.create_multipart_upload(Bucket="one", Key="a")["UploadId"]
    named = {"Bucket": "one", "Key": "a", "UploadId": upload, "PartNumber": 1}
    return {**named, "CopySource": "one/source", **more}


@pytest.mark.parametrize(
    "given", ["0-8", "bytes=1-0", "bytes=0-1,3-4", "bytes=-", "bytes=1-", "bytes=-2"]
)
def test_malformed_ranges(s3: Any, given: str) -> None:
    with pytest.raises(ClientError) as refused:
        s3.upload_part_copy(**_part(s3, CopySourceRange=given))
    error: Any = refused.value.response["Error"]
    assert error["Code"] == "InvalidArgument"
    assert error["ArgumentValue"] == given
    assert "must be of the form bytes=first-last" in error["Message"]


def test_ranges_beyond_the_source(s3: Any) -> None:
    assert refusal(s3.upload_part_copy, **_part(s3, CopySourceRange="bytes=0-10")) == (
        "InvalidArgument",
        "Range specified is not valid for source object of size: 10",
    )
    assert refusal(s3.upload_part_copy, **_part(s3, CopySourceRange="bytes=10-11")) == (
        "InvalidRequest",
        "The specified copy range is invalid for the source object size",
    )
    part = _part(s3, CopySourceRange="bytes=8-9")
    s3.upload_part_copy(**part)
    (found,) = s3.list_parts(Bucket="one", Key="a", UploadId=part["UploadId"])["Parts"]
    assert found["Size"] == 2


def test_sources_that_do_not_exist(s3: Any) -> None:
    missing = {"CopySource": "one/none"}
    assert refusal(s3.upload_part_copy, **_part(s3, **missing))[0] == "NoSuchKey"
    assert refusal(s3.copy_object, Bucket="one", Key="a", **missing)[0] == "NoSuchKey"


@pytest.mark.parametrize(
    ("conditions", "failed"),
    [
        ({"IfMatch": "other"}, "If-Match"),
        ({"IfMatch": "781e5e245d69b566979b86e28d23f2c7", "IfUnmodifiedSince": -DAY}, None),
        ({"IfNoneMatch": "781e5e245d69b566979b86e28d23f2c7"}, "If-None-Match"),
        ({"IfNoneMatch": "other"}, None),
        ({"IfUnmodifiedSince": -DAY}, "If-Unmodified-Since"),
        ({"IfNoneMatch": "other", "IfUnmodifiedSince": -DAY}, "If-Unmodified-Since"),
        ({"IfUnmodifiedSince": DAY}, None),
        ({"IfModifiedSince": -DAY}, None),
        ({"IfModifiedSince": DAY}, None),
        ({"IfModifiedSince": timedelta()}, "If-Modified-Since"),
    ],
)
def test_conditions(s3: Any, conditions: dict[str, Any], failed: str | None) -> None:
    changed = s3.head_object(Bucket="one", Key="source")["LastModified"].astimezone(UTC)
    given = {
        f"CopySource{name}": changed + value if isinstance(value, timedelta) else value
        for name, value in conditions.items()
    }
    assert changed <= datetime.now(UTC)
    copy = {"Bucket": "one", "Key": "a", "CopySource": "one/source"}
    for operation, request in ((s3.upload_part_copy, _part(s3)), (s3.copy_object, copy)):
        if failed is None:
            operation(**request, **given)
            continue
        with pytest.raises(ClientError) as refused:
            operation(**request, **given)
        error: Any = refused.value.response["Error"]
        assert error["Code"] == "PreconditionFailed"
        assert error["Condition"] == f"x-amz-copy-source-{failed}"


def test_a_plus_sign_is_a_space(aws: Any) -> None:
    s3 = boto3.client("s3", REGION, aws_access_key_id="a", aws_secret_access_key="b")
    s3.create_bucket(Bucket="spaces")
    s3.put_object(Bucket="spaces", Key="a b+c", Body=b"text")

    def write(request: Any, **_: Any) -> None:
        request.headers["x-amz-copy-source"] = "spaces/a+b%2Bc"

    for name in ("CopyObject", "UploadPartCopy"):
        s3.meta.events.register(f"before-sign.s3.{name}", write)
    copy = {"Bucket": "spaces", "Key": "copy", "CopySource": "any/any"}
    s3.copy_object(**copy)
    assert s3.get_object(Bucket="spaces", Key="copy")["Body"].read() == b"text"
    upload = s3.create_multipart_upload(Bucket="spaces", Key="copy")["UploadId"]
    assert s3.upload_part_copy(**copy, UploadId=upload, PartNumber=1)["CopyPartResult"]["ETag"]


@pytest.mark.parametrize("source", ["one", "one%2F", "/", "%2F%2F"])
def test_sources_without_a_key(source: str) -> None:
    with pytest.raises(AwsError) as refused:
        check_source({"CopySource": source})
    assert refused.value.message == "Invalid copy source object key"
