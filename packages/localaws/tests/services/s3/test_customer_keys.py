"""Tests of services.s3.customer_keys and services.s3.fixes.customer_encryption."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import REGION

KEY = {"Bucket": "one", "Key": "a"}


def customer(letter: bytes, prefix: str = "") -> dict[str, str]:
    """The parameters for a key of one letter, as they are sent."""
    key = letter * 32
    digest = hashlib.md5(key, usedforsecurity=False).digest()
    return {
        f"{prefix}SSECustomerAlgorithm": "AES256",
        f"{prefix}SSECustomerKey": base64.b64encode(key).decode(),
        f"{prefix}SSECustomerKeyMD5": base64.b64encode(digest).decode(),
    }


@pytest.fixture
def s3(aws: Any) -> Any:
    """A client that sends what it is given."""
    made = boto3.client("s3", REGION, config=Config(parameter_validation=False))
    for name in ("PutObject", "GetObject", "HeadObject", "CopyObject", "UploadPart"):
        made.meta.events.unregister(f"before-parameter-build.s3.{name}")
    made.create_bucket(Bucket="one")
    return made


def error(operation: Any, **request: Any) -> dict[str, Any]:
    with pytest.raises(ClientError) as refused:
        operation(**request)
    return dict(refused.value.response["Error"])


def test_an_encrypted_object(s3: Any) -> None:
    given = customer(b"k")
    for answer in (
        s3.put_object(**KEY, Body=b"text", **given),
        s3.head_object(**KEY, **given),
        s3.get_object(**KEY, **given),
    ):
        assert answer["SSECustomerAlgorithm"] == "AES256"
        assert answer["SSECustomerKeyMD5"] == given["SSECustomerKeyMD5"]
        assert "ServerSideEncryption" not in answer
    assert error(s3.get_object, **KEY)["Code"] == "InvalidRequest"
    assert error(s3.head_object, **KEY)["Code"] == "400"
    assert error(s3.get_object, **KEY, **customer(b"o"))["Code"] == "AccessDenied"
    assert error(s3.head_object, **KEY, **customer(b"o"))["Code"] == "403"
    short = {**given, "SSECustomerKey": "AAAA"}
    assert error(s3.get_object, **KEY, **short)["Code"] == "AccessDenied"
    s3.put_object(**KEY, Body=b"text")
    assert s3.get_object(**KEY)["ServerSideEncryption"] == "AES256"


@pytest.mark.parametrize(
    ("changed", "code", "begins"),
    [
        ({"SSECustomerAlgorithm": "KMS"}, "InvalidEncryptionAlgorithmError", "The Encryption "),
        ({"ServerSideEncryption": "AES256"}, "InvalidArgument", "Server Side Encryption with C"),
        ({"SSECustomerKeyMD5": "AAAA"}, "InvalidArgument", "The calculated MD5 hash of the key"),
        ({"SSECustomerKey": "AAAA"}, "InvalidArgument", "The secret key was invalid for the "),
    ],
)
def test_keys_that_are_refused(s3: Any, changed: dict[str, str], code: str, begins: str) -> None:
    found = error(s3.put_object, **{**KEY, **customer(b"k"), **changed})
    assert found["Code"] == code
    assert found["Message"].startswith(begins)
    assert found["ArgumentName"] == "x-amz-server-side-encryption"


def test_copies(s3: Any) -> None:
    s3.put_object(**KEY, Body=b"text", **customer(b"k"))
    copied = {"Bucket": "one", "Key": "b", "CopySource": "one/a"}
    assert error(s3.copy_object, **copied)["Code"] == "InvalidRequest"
    source = customer(b"k", "CopySource")
    assert s3.copy_object(**copied, **source)["ServerSideEncryption"] == "AES256"
    answer = s3.copy_object(**copied, **source, **customer(b"o"))
    assert answer["SSECustomerKeyMD5"] == customer(b"o")["SSECustomerKeyMD5"]
    s3.get_object(Bucket="one", Key="b", **customer(b"o"))


def test_uploads(s3: Any) -> None:
    given = customer(b"k")
    begun = s3.create_multipart_upload(**KEY, **given)
    assert begun["SSECustomerKeyMD5"] == given["SSECustomerKeyMD5"]
    assert "ServerSideEncryption" not in begun
    asked = {**KEY, "UploadId": begun["UploadId"], "PartNumber": 1, "Body": b"text"}
    assert "initiate requested encryption" in error(s3.upload_part, **asked)["Message"]
    found = error(s3.upload_part, **asked, **customer(b"o"))
    assert found["Message"].startswith("The provided encryption parameters did not match")
    part = s3.upload_part(**asked, **given)
    assert part["SSECustomerAlgorithm"] == "AES256"
    parts = {"Parts": [{"ETag": part["ETag"], "PartNumber": 1}]}
    done = s3.complete_multipart_upload(**KEY, UploadId=begun["UploadId"], MultipartUpload=parts)
    assert "ServerSideEncryption" not in done
    assert error(s3.get_object, **KEY)["Code"] == "InvalidRequest"
    assert s3.get_object(**KEY, **given)["Body"].read() == b"text"
