"""Tests of services.s3.fixes.object_posts."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_a_post_that_is_no_operation() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    begun = {"Bucket": "one", "Key": "a"}
    begun["UploadId"] = s3.create_multipart_upload(**begun)["UploadId"]

    def without_upload(request: Any, **_: Any) -> None:
        request.url = request.url.split("?")[0]

    s3.meta.events.register("request-created.s3.CompleteMultipartUpload", without_upload)
    try:
        code = refusal(s3.complete_multipart_upload, **begun)[0]
    finally:
        s3.meta.events.unregister("request-created.s3.CompleteMultipartUpload", without_upload)
    assert code == "MethodNotAllowed"
