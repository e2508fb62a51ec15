"""Tests of services.s3.metadata and of metadata as they are answered (fixes.metadata_values)."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.s3.metadata import decoded, encoded, for_headers
from packages.localaws.tests.parts import client, refusal


# As recorded on AWS.
@pytest.mark.parametrize(
    ("value", "answered"),
    [
        ("abc = 1?\t_", "abc = 1?\t_"),
        ("ÄMÄZÕÑ S3", "=?UTF-8?Q?=C3=84M=C3=84Z=C3=95=C3=91_S3?="),
        ("test_—_2?.pdf", "=?UTF-8?Q?test=5F=E2=80=94=5F2=3F.pdf?="),
        ("\x00\x01\x02\x03", "=?UTF-8?B?AAECAw==?="),
        ("é", "=?UTF-8?B?w6k=?="),
    ],
)
def test_values(value: str, answered: str) -> None:
    assert encoded(value) == answered
    assert decoded(answered) == value


@pytest.mark.parametrize("value", ["=?UTF-8?B?=GGG?=", "=?none?Q?a?=", "=?", "a=?b"])
def test_values_that_cannot_be_decoded(value: str) -> None:
    assert decoded(value) == value


def test_characters_beyond_latin_1() -> None:
    assert for_headers("—é") == " é"


def test_objects(aws: Any) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    given = {"a": "=?UTF-8?B?YWJj?=", "b": "=?UTF-8?B?w6liYw==?="}
    s3.put_object(Bucket="one", Key="a", Metadata=given)
    answered = {"a": "abc", "b": "=?UTF-8?Q?=C3=A9bc?="}
    assert s3.head_object(Bucket="one", Key="a")["Metadata"] == answered
    found = refusal(s3.get_object, Bucket="one", Key="a", ResponseCacheControl="—")
    assert found == ("InvalidArgument", "Header value cannot be represented using ISO-8859-1.")


def test_locations_of_uploads(aws: Any) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    named: dict[str, Any] = {"Bucket": "one", "Key": "a —"}
    named["UploadId"] = s3.create_multipart_upload(**named)["UploadId"]
    etag = s3.upload_part(**named, PartNumber=1, Body=b"a")["ETag"]
    parts = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
    done = s3.complete_multipart_upload(**named, MultipartUpload=parts)
    assert done["Location"].endswith("/a%20%E2%80%94")
