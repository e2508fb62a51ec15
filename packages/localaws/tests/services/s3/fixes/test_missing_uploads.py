"""Tests of services.s3.fixes.missing_uploads."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_an_upload_that_does_not_exist() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_object(Bucket="one", Key="source", Body=b"x")
    named = {"Bucket": "one", "Key": "a", "UploadId": "none"}
    parts = {"Parts": [{"PartNumber": 1, "ETag": "x"}]}
    for operation, request in (
        (s3.complete_multipart_upload, {"MultipartUpload": parts}),
        (s3.upload_part, {"PartNumber": 1, "Body": b"x"}),
        (s3.upload_part_copy, {"PartNumber": 1, "CopySource": "one/source"}),
    ):
        assert refusal(operation, **named, **request)[0] == "NoSuchUpload"
