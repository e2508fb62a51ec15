"""Tests of services.s3.fixes.checksum_types."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.runtime import runtime
from packages.localaws.tests.parts import client

KEY = {"Bucket": "one", "Key": "a"}


@pytest.fixture
def s3(aws: Any) -> Any:
    made = client("s3")
    made.create_bucket(Bucket="one")
    return made


def upload(s3: Any, **more: str) -> dict[str, Any]:
    begun = s3.create_multipart_upload(**KEY, **more)["UploadId"]
    part = s3.upload_part(**KEY, UploadId=begun, PartNumber=1, Body=b"test", **more)
    names = [f"Checksum{name}" for name in more.values()]
    parts = [{"ETag": part["ETag"], "PartNumber": 1, **{name: part[name] for name in names}}]
    done: dict[str, Any] = s3.complete_multipart_upload(
        **KEY, UploadId=begun, MultipartUpload={"Parts": parts}
    )
    return done


def test_objects_in_one_piece(s3: Any) -> None:
    assert s3.put_object(**KEY, Body=b"x")["ChecksumType"] == "FULL_OBJECT"
    copied = s3.copy_object(Bucket="one", Key="b ü", CopySource="one/a")
    assert copied["CopyObjectResult"]["ChecksumType"] == "FULL_OBJECT"
    for read in (s3.get_object, s3.head_object):
        assert read(**KEY, ChecksumMode="ENABLED")["ChecksumType"] == "FULL_OBJECT"
    lists = (s3.list_objects(Bucket="one"), s3.list_objects_v2(Bucket="one"))
    versions = s3.list_object_versions(Bucket="one")
    for items in (*(found["Contents"] for found in lists), versions["Versions"]):
        assert [one["ChecksumType"] for one in items] == ["FULL_OBJECT"] * 2
        assert [one["ChecksumAlgorithm"] for one in items] == [["CRC32"]] * 2


def test_uploads_have_crc64nvme(s3: Any) -> None:
    done = upload(s3)
    assert (done["ChecksumCRC64NVME"], done["ChecksumType"]) == ("+bu+zv66sUM=", "FULL_OBJECT")
    assert "VersionId" not in done


def test_uploads_of_another_algorithm_are_composite(s3: Any) -> None:
    done = upload(s3, ChecksumAlgorithm="SHA256")
    assert done["ChecksumType"] == "COMPOSITE"
    assert done["ChecksumSHA256"].endswith("-1")
    head = s3.head_object(**KEY, ChecksumMode="ENABLED")
    assert head["ChecksumSHA256"] == done["ChecksumSHA256"]
    copied = s3.copy_object(Bucket="one", Key="b", CopySource="one/a")["CopyObjectResult"]
    assert (copied["ChecksumType"], "-" in copied["ChecksumSHA256"]) == ("FULL_OBJECT", False)


def test_moto_alone_keeps_its_types(monkeypatch: pytest.MonkeyPatch) -> None:
    from moto.s3.models import FakeKey

    # Another module's fixture may keep the local AWS active in this process.
    monkeypatch.setattr(runtime(), "active", False)
    key = FakeKey("a", b"", "123456789012", "us-east-1", checksum_value="AAAAAA==")
    assert key.checksum_type is None
