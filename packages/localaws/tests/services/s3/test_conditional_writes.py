"""Tests of services.s3.conditional_writes and fixes.conditional_uploads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import client, refusal

KEY = {"Bucket": "one", "Key": "a"}
COPY = {"Bucket": "one", "Key": "copy", "CopySource": "one/a"}


@pytest.fixture
def s3(aws: Any) -> Any:
    made = client("s3")
    made.create_bucket(Bucket="one")
    return made


def upload(s3: Any, name: str = "a") -> dict[str, Any]:
    key = {"Bucket": "one", "Key": name}
    begun = s3.create_multipart_upload(**key)["UploadId"]
    part = s3.upload_part(**key, UploadId=begun, PartNumber=1, Body=b"x")
    parts = [{"ETag": part["ETag"], "PartNumber": 1}]
    return {**key, "UploadId": begun, "MultipartUpload": {"Parts": parts}}


def test_a_copy_looks_at_its_destination(s3: Any) -> None:
    etag = s3.put_object(**KEY, Body=b"x")["ETag"]
    assert refusal(s3.copy_object, **COPY, IfMatch=etag)[0] == "NoSuchKey"
    s3.copy_object(**COPY, IfNoneMatch="*")
    assert refusal(s3.copy_object, **COPY, IfNoneMatch="*")[0] == "PreconditionFailed"
    assert refusal(s3.copy_object, **COPY, IfMatch='"other"')[0] == "PreconditionFailed"
    s3.copy_object(**COPY, IfMatch=etag)


def test_what_is_not_implemented(s3: Any) -> None:
    for write, request in ((s3.put_object, KEY), (s3.copy_object, COPY)):
        for conditions, header in (
            ({"IfMatch": "*"}, "If-Match"),
            ({"IfNoneMatch": '"etag"'}, "If-None-Match"),
            ({"IfMatch": "etag", "IfNoneMatch": "*"}, "If-Match,If-None-Match"),
        ):
            with pytest.raises(ClientError) as caught:
                write(**request, **conditions)
            assert caught.value.response["Error"]["Code"] == "NotImplemented"
            assert caught.value.response["Error"]["Header"] == header
            assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501


def test_an_absent_key_is_named(s3: Any) -> None:
    with pytest.raises(ClientError) as caught:
        s3.put_object(**KEY, IfMatch="etag")
    assert caught.value.response["Error"]["Key"] == "a"


def test_a_write_or_deletion_overtakes_an_upload(s3: Any) -> None:
    begun = upload(s3)
    etag = s3.put_object(**KEY, Body=b"x")["ETag"]
    complete = s3.complete_multipart_upload
    assert refusal(complete, **begun, IfNoneMatch="*")[0] == "PreconditionFailed"
    assert refusal(complete, **begun, IfMatch="other")[0] == "PreconditionFailed"
    assert refusal(complete, **begun, IfMatch=etag)[0] == "ConditionalRequestConflict"
    s3.delete_object(**KEY)
    assert refusal(complete, **begun, IfNoneMatch="*")[0] == "ConditionalRequestConflict"
    assert refusal(complete, **begun, IfMatch=etag)[0] == "NoSuchKey"
    first = complete(**upload(s3), IfNoneMatch="*")["ETag"]
    complete(**upload(s3), IfMatch=first)
    complete(**begun)


def test_a_delete_marker_is_no_object(s3: Any) -> None:
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    etag = s3.put_object(**KEY, Body=b"x")["ETag"]
    s3.delete_object(**KEY)
    assert refusal(s3.put_object, **KEY, IfMatch=etag)[0] == "NoSuchKey"
    s3.put_object(**KEY, Body=b"x", IfNoneMatch="*")


def is_refused(write: Any, **request: Any) -> bool:
    try:
        write(**request)
    except ClientError as error:
        if error.response["Error"]["Code"] != "PreconditionFailed":
            raise
        return True
    return False


@pytest.mark.usefixtures("many_switches")
def test_no_update_is_lost(s3: Any) -> None:
    s3.put_object(**KEY, Body=b"0")

    def increment(_: int) -> None:
        for _ in range(20):
            refused = True
            while refused:
                read = s3.get_object(**KEY)
                body = str(int(read["Body"].read()) + 1).encode()
                refused = is_refused(s3.put_object, **KEY, Body=body, IfMatch=read["ETag"])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(increment, range(6)))
    assert s3.get_object(**KEY)["Body"].read() == b"120"


@pytest.mark.usefixtures("many_switches")
def test_one_of_several_writers_wins(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="source", Body=b"x")
    with ThreadPoolExecutor(6) as pool:
        for name in map(str, range(10)):
            key = {"Bucket": "one", "Key": name, "IfNoneMatch": "*"}
            writes = [
                pool.submit(is_refused, write, **key | more)
                for write, more in (
                    (s3.put_object, {"Body": b"x"}),
                    (s3.copy_object, {"CopySource": "one/source"}),
                    (s3.complete_multipart_upload, upload(s3, name)),
                    (s3.put_object, {"Body": b"y"}),
                )
            ]
            assert [write.result() for write in writes].count(False) == 1
