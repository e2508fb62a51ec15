"""Tests of services.s3.object_checks."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    return found


def test_an_object_in_one_piece_has_one_part(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="a", Body=b"text")
    assert s3.head_object(Bucket="one", Key="a", PartNumber=1)["ContentLength"] == 4
    assert refusal(s3.head_object, Bucket="one", Key="a", PartNumber=2)[0] == "416"
    assert refusal(s3.get_object, Bucket="one", Key="a", PartNumber=2) == (
        "InvalidPartNumber",
        "The requested partnumber is not satisfiable",
    )
    assert refusal(s3.head_object, Bucket="one", Key="none", PartNumber=2)[0] == "404"


def test_an_object_of_two_parts(s3: Any) -> None:
    upload = s3.create_multipart_upload(Bucket="one", Key="a")["UploadId"]
    parts = []
    for number, body in ((1, b"x" * 5 * 2**20), (2, b"y")):
        tag = s3.upload_part(Bucket="one", Key="a", UploadId=upload, PartNumber=number, Body=body)[
            "ETag"
        ]
        parts.append({"PartNumber": number, "ETag": tag})
    s3.complete_multipart_upload(
        Bucket="one", Key="a", UploadId=upload, MultipartUpload={"Parts": parts}
    )
    assert s3.head_object(Bucket="one", Key="a", PartNumber=2)["PartsCount"] == 2
    assert refusal(s3.head_object, Bucket="one", Key="a", PartNumber=3)[0] == "416"
