"""Tests of services.s3.fixes.checksum_values."""

from __future__ import annotations

import base64
import binascii
from io import BytesIO
from typing import Any

import boto3
import pytest
from botocore.config import Config

from clusterwright_localaws.services.s3 import checksums
from clusterwright_localaws.services.s3.checksums import crc, joined_crc
from packages.localaws.tests.parts import REGION, client, refusal

KEY = {"Bucket": "one", "Key": "a"}
MIB = 1 << 20
BIG = bytes(6 * MIB)
WRONG = {
    "ChecksumCRC32": "AAAAAA==",
    "ChecksumCRC64NVME": "AAAAAAAAAAA=",
    "ChecksumSHA1": base64.b64encode(bytes(20)).decode(),
    "ChecksumSHA256": base64.b64encode(bytes(32)).decode(),
}


@pytest.fixture
def s3(aws: Any) -> Any:
    made = client("s3")
    made.create_bucket(Bucket="one")
    return made


@pytest.fixture(scope="module")
def big_value() -> str:
    one = crc(bytes(MIB), "CRC64NVME")
    value = one
    for _ in range(5):
        value = joined_crc(value, one, MIB, "CRC64NVME")
    return value


def upload(s3: Any, *parts: tuple[bytes, dict[str, str]], **begin: str) -> dict[str, Any]:
    """Begin an upload and send its parts; returns the request that completes it."""
    algorithm = begin.get("ChecksumAlgorithm", "CRC64NVME")
    computed = {} if algorithm == "CRC64NVME" else {"ChecksumAlgorithm": algorithm}
    # It sends no checksum of an algorithm that it chooses itself.
    sender = boto3.client(
        "s3", REGION, config=Config(request_checksum_calculation="when_required")
    )
    begun = s3.create_multipart_upload(**KEY, **begin)["UploadId"]
    sent = []
    for number, (body, given) in enumerate(parts, 1):
        part = sender.upload_part(
            **KEY, UploadId=begun, PartNumber=number, Body=body, **(given or computed)
        )
        values = {name: part[name] for name in (f"Checksum{algorithm}",) if computed}
        sent.append({"ETag": part["ETag"], "PartNumber": number, **values})
    return {**KEY, "UploadId": begun, "MultipartUpload": {"Parts": sent}}


def read_everywhere(s3: Any, expected: str | None) -> None:
    assert "ChecksumCRC64NVME" not in s3.head_object(**KEY)
    for read in (s3.head_object, s3.get_object):
        assert read(**KEY, ChecksumMode="ENABLED").get("ChecksumCRC64NVME") == expected
    body = BytesIO()
    s3.download_fileobj("one", "a", body)
    assert len(body.getvalue()) == len(BIG) + 4
    s3.copy_object(Bucket="one", Key="b", CopySource="one/a")
    copied = s3.head_object(Bucket="one", Key="b", ChecksumMode="ENABLED")
    assert copied.get("ChecksumCRC64NVME") == expected


def test_large_parts_are_joined(s3: Any, big_value: str) -> None:
    parts = ((BIG, {"ChecksumCRC64NVME": big_value}), (b"test", {}))
    done = s3.complete_multipart_upload(**upload(s3, *parts, ChecksumAlgorithm="CRC64NVME"))
    expected = joined_crc(big_value, crc(b"test", "CRC64NVME"), 4, "CRC64NVME")
    assert (done["ChecksumCRC64NVME"], done["ChecksumType"]) == (expected, "FULL_OBJECT")
    read_everywhere(s3, expected)


def test_a_large_part_without_a_value(
    s3: Any, big_value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checksums, "MOST_BYTES", len(BIG) - 1)
    parts = ((BIG, {}), (b"test", {}))
    done = s3.complete_multipart_upload(**upload(s3, *parts, ChecksumAlgorithm="CRC64NVME"))
    assert "ChecksumCRC64NVME" not in done
    read_everywhere(s3, None)
    s3.complete_multipart_upload(**upload(s3, *parts), ChecksumCRC64NVME=big_value)
    read_everywhere(s3, big_value)


@pytest.mark.parametrize("member", WRONG)
def test_wrong_values(s3: Any, member: str) -> None:
    name = member.removeprefix("Checksum")
    given = {member: WRONG[member]}
    text = "you specified did not match the calculated checksum."
    for write in (
        lambda: refusal(s3.put_object, **KEY, Body=b"test", **given),
        lambda: refusal(lambda: upload(s3, (b"test", given), ChecksumAlgorithm=name)),
    ):
        assert write() == ("BadDigest", f"The {name} {text}")
    begun = upload(s3, (b"test", {}), ChecksumAlgorithm=name)
    refused = refusal(s3.complete_multipart_upload, **begun, **given)
    assert refused == ("BadDigest", f"The {name.lower()} {text}")
    assert "Contents" not in s3.list_objects_v2(Bucket="one")
    s3.complete_multipart_upload(**begun)


def test_malformed_values(s3: Any) -> None:
    for value in ("AAAA", "?"):
        code, text = refusal(s3.put_object, **KEY, Body=b"x", ChecksumSHA256=value)
        assert code == "InvalidRequest"
        assert text == "Value for x-amz-checksum-sha256 header is invalid."


def test_right_values_are_kept(s3: Any) -> None:
    crc32 = base64.b64encode(binascii.crc32(b"test").to_bytes(4, "big")).decode()
    for given in (
        {"ChecksumCRC64NVME": crc(b"test", "CRC64NVME")},
        {"ChecksumCRC32": crc32},
        {"ChecksumCRC32C": crc(b"test", "CRC32C")},
    ):
        for read in (
            s3.put_object(**KEY, Body=b"test", **given),
            s3.head_object(**KEY, ChecksumMode="ENABLED"),
        ):
            assert given.items() <= read.items()
            assert read["ChecksumType"] == "FULL_OBJECT"


def test_a_composite_value(s3: Any) -> None:
    first = s3.complete_multipart_upload(**upload(s3, (b"test", {}), ChecksumAlgorithm="SHA256"))[
        "ChecksumSHA256"
    ]
    again = upload(s3, (b"test", {}), ChecksumAlgorithm="SHA256")
    assert s3.complete_multipart_upload(**again, ChecksumSHA256=first)["ChecksumSHA256"] == first


def test_a_copy_with_a_checksum_of_its_own(s3: Any) -> None:
    s3.put_object(**KEY, Body=b"test")
    copied = s3.copy_object(
        Bucket="one", Key="b", CopySource="one/a", ChecksumAlgorithm="CRC64NVME"
    )
    assert copied["CopyObjectResult"]["ChecksumCRC64NVME"] == crc(b"test", "CRC64NVME")


@pytest.mark.usefixtures("s3")
def test_a_wrong_trailer(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []
    own = client.__wrapped__("s3")
    own.meta.events.register_first(
        "before-send.s3.PutObject", lambda request, **_: seen.append(dict(request.headers))
    )
    monkeypatch.setattr("botocore.httpchecksum.Crc32Checksum.digest", lambda _: bytes(4))
    assert refusal(own.put_object, **KEY, Body=BytesIO(b"test"))[0] == "BadDigest"
    assert seen[0]["X-Amz-Trailer"] == b"x-amz-checksum-crc32"


def test_objects_get_a_checksum(s3: Any) -> None:
    config = Config(request_checksum_calculation="when_required")
    plain = boto3.client("s3", REGION, config=config)
    expected = {"ChecksumCRC64NVME": crc(b"test", "CRC64NVME"), "ChecksumType": "FULL_OBJECT"}
    for answer in (
        plain.put_object(**KEY, Body=b"test"),
        s3.head_object(**KEY, ChecksumMode="ENABLED"),
        s3.get_object_attributes(**KEY, ObjectAttributes=["Checksum"])["Checksum"],
    ):
        assert expected.items() <= answer.items()


@pytest.mark.parametrize("given", ["?", "MTIz", base64.b64encode(bytes(16)).decode()])
def test_wrong_md5(s3: Any, given: str) -> None:
    code = "BadDigest" if len(given) > 4 else "InvalidDigest"
    assert refusal(s3.put_object, **KEY, Body=b"test", ContentMD5=given)[0] == code


def test_one_checksum_only(s3: Any) -> None:
    two = {"ChecksumCRC32": "AAAAAA==", "ChecksumSHA1": WRONG["ChecksumSHA1"]}
    assert refusal(s3.put_object, **KEY, Body=b"", **two)[1] == (
        "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed."
    )


def test_completions_with_keys_of_kms_answer_no_default(s3: Any) -> None:
    parts = ((b"test", {}),)
    assert "ChecksumCRC64NVME" in s3.complete_multipart_upload(**upload(s3, *parts))
    kms = upload(s3, *parts, ServerSideEncryption="aws:kms")
    assert "ChecksumCRC64NVME" not in s3.complete_multipart_upload(**kms)
    named = {"Bucket": kms["Bucket"], "Key": kms["Key"]}
    assert "ChecksumCRC64NVME" in s3.head_object(**named, ChecksumMode="ENABLED")
    kms = upload(s3, *parts, ServerSideEncryption="aws:kms", ChecksumAlgorithm="CRC64NVME")
    assert "ChecksumCRC64NVME" in s3.complete_multipart_upload(**kms)
