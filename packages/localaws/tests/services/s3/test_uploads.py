"""Tests of services.s3.uploads and of reads of parts (services.s3.fixes.object_parts)."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import REGION, client

KEY = {"Bucket": "one", "Key": "a"}
MIB = 1 << 20
FIRST, LAST = bytes(5 * MIB), b"last"


@pytest.fixture
def s3(aws: Any) -> Any:
    made = client("s3")
    made.create_bucket(Bucket="one")
    return made


def crc32(data: bytes) -> str:
    return base64.b64encode(binascii.crc32(data).to_bytes(4, "big")).decode()


def error(operation: Any, **request: Any) -> dict[str, Any]:
    with pytest.raises(ClientError) as refused:
        operation(**request)
    return dict(refused.value.response["Error"])


def send(s3: Any, *bodies: bytes, **begin: str) -> dict[str, Any]:
    """Begin an upload and send its parts; returns the request that completes it."""
    begun = s3.create_multipart_upload(**KEY, **begin)["UploadId"]
    sent = []
    for number, body in enumerate(bodies, 1):
        part = s3.upload_part(**KEY, UploadId=begun, PartNumber=number, Body=body)
        sent.append({"ETag": part["ETag"], "PartNumber": number})
    return {**KEY, "UploadId": begun, "MultipartUpload": {"Parts": sent}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ChecksumAlgorithm": "TEST"}, "Checksum algorithm provided is unsupported. Please try "),
        ({"ChecksumType": "COMPOSITE"}, "The x-amz-checksum-type header can only be used with "),
        (
            {"ChecksumAlgorithm": "SHA1", "ChecksumType": "FULL_OBJECT"},
            "The FULL_OBJECT checksum type cannot be used with the sha1 checksum algorithm.",
        ),
        (
            {"ChecksumAlgorithm": "CRC64NVME", "ChecksumType": "COMPOSITE"},
            "The COMPOSITE checksum type cannot be used with the crc64nvme checksum algorithm.",
        ),
    ],
)
def test_checksums_that_an_upload_cannot_have(
    s3: Any, given: dict[str, str], message: str
) -> None:
    found = error(s3.create_multipart_upload, **KEY, **given)
    assert found["Code"] == "InvalidRequest"
    assert found["Message"].startswith(message)


def test_a_new_upload_has_the_type_of_its_checksum(s3: Any) -> None:
    for algorithm, kind in (("CRC32", "COMPOSITE"), ("CRC64NVME", "FULL_OBJECT")):
        begun = s3.create_multipart_upload(**KEY, ChecksumAlgorithm=algorithm)
        assert (begun["ChecksumAlgorithm"], begun["ChecksumType"]) == (algorithm, kind)
    assert "ChecksumType" not in s3.create_multipart_upload(**KEY)


def test_parts_that_are_refused(s3: Any) -> None:
    begun = {**KEY, "UploadId": s3.create_multipart_upload(**KEY)["UploadId"], "Body": b""}
    found = error(s3.upload_part, **begun, PartNumber=-1)
    assert (found["ArgumentName"], found["ArgumentValue"]) == ("partNumber", "-1")
    sha = s3.create_multipart_upload(**KEY, ChecksumAlgorithm="SHA256")["UploadId"]
    found = error(s3.upload_part, **KEY, UploadId=sha, PartNumber=1, Body=b"")
    assert found["Message"] == (
        "Checksum Type mismatch occurred, expected checksum Type: sha256, actual checksum Type: "
        "crc32"
    )


def test_completions_that_are_refused(s3: Any) -> None:
    done = send(s3, b"1", b"2")
    one, two = done["MultipartUpload"]["Parts"]

    def refused(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        listed = {"MultipartUpload": {"Parts": list(parts)}}
        return error(s3.complete_multipart_upload, **{**done, **listed}, **more)

    assert refused()["Message"] == "You must specify at least one part"
    found = refused(two, one)
    assert (found["Code"], found["UploadId"]) == ("InvalidPartOrder", done["UploadId"])
    found = refused(one, two)
    assert found["Code"] == "EntityTooSmall"
    assert (found["PartNumber"], found["ProposedSize"]) == ("1", "1")
    assert found["MinSizeAllowed"] == str(5 * MIB)
    for wrong in ({**one, "PartNumber": 3}, {**one, "ETag": two["ETag"]}):
        found = refused(wrong)
        assert (found["Code"], found["UploadId"]) == ("InvalidPart", done["UploadId"])
        assert found["PartNumber"] == str(wrong["PartNumber"])
        assert found["ETag"] == wrong["ETag"].strip('"')
    assert refused({**one, "ChecksumCRC32": crc32(b"1")})["Code"] == "InvalidPart"
    assert "using the null checksum mode" in refused(one, ChecksumType="COMPOSITE")["Message"]
    assert refused(one, MpuObjectSize=5)["Message"] == (
        "The provided 'x-amz-mp-object-size' header value 5 does not match what was computed: 1"
    )


def test_checksums_of_parts_of_a_completion(s3: Any) -> None:
    done = send(s3, b"1", ChecksumAlgorithm="CRC32")
    (one,) = done["MultipartUpload"]["Parts"]

    def refused(**more: Any) -> tuple[str, str]:
        listed = {"MultipartUpload": {"Parts": [{**one, **more}]}}
        found = error(s3.complete_multipart_upload, **{**done, **listed})
        return found["Code"], found["Message"]

    assert refused() == (
        "InvalidRequest",
        "The upload was created using a crc32 checksum. The complete request must include the "
        "checksum for each part. It was missing for part 1 in the request.",
    )
    assert refused(ChecksumCRC32=crc32(b"2"))[0] == "InvalidPart"
    assert refused(ChecksumSHA1=base64.b64encode(bytes(20)).decode()) == (
        "BadDigest",
        "The sha1 you specified for part 1 did not match what we received.",
    )


def test_parts_are_listed(s3: Any) -> None:
    done = send(s3, b"1", b"22", b"333", ChecksumAlgorithm="CRC32")
    asked = {**KEY, "UploadId": done["UploadId"]}
    found = s3.list_parts(**asked, MaxParts=2)
    assert [one["ChecksumCRC32"] for one in found["Parts"]] == [crc32(b"1"), crc32(b"22")]
    assert (found["IsTruncated"], found["NextPartNumberMarker"]) == (True, 2)
    assert (found["ChecksumAlgorithm"], found["ChecksumType"]) == ("CRC32", "COMPOSITE")
    found = s3.list_parts(**asked, PartNumberMarker=2)
    assert [one["Size"] for one in found["Parts"]] == [3]
    found = s3.list_parts(**asked, PartNumberMarker=10)
    assert found["NextPartNumberMarker"] == 0
    assert "Parts" not in found
    assert error(s3.list_parts, **{**asked, "UploadId": "none"})["Code"] == "NoSuchUpload"
    plain = boto3.client("s3", REGION, config=Config(parameter_validation=False))
    for empty in ({"PartNumberMarker": ""}, {"MaxParts": ""}):
        found = plain.list_parts(**asked, **empty)
        assert (found["PartNumberMarker"], found["MaxParts"]) == (0, 1000)


def test_parts_of_an_object(s3: Any) -> None:
    done = send(s3, FIRST, LAST, ChecksumAlgorithm="CRC32")
    for part, body in zip(done["MultipartUpload"]["Parts"], (FIRST, LAST), strict=True):
        part["ChecksumCRC32"] = crc32(body)
    etag = s3.complete_multipart_upload(**done)["ETag"]
    size = len(FIRST) + len(LAST)
    for read in (s3.get_object, s3.head_object):
        found = read(**KEY, PartNumber=2, ChecksumMode="ENABLED")
        assert found["ContentRange"] == f"bytes {len(FIRST)}-{size - 1}/{size}"
        assert (found["ContentLength"], found["PartsCount"]) == (len(LAST), 2)
        assert (found["ETag"], found["ChecksumCRC32"]) == (etag, crc32(LAST))
    assert "ChecksumCRC32" not in s3.head_object(**KEY, PartNumber=2)
    assert s3.get_object(**KEY, PartNumber=2)["Body"].read() == LAST
    found = error(s3.get_object, **KEY, PartNumber=10)
    assert (found["ActualPartCount"], found["PartNumberRequested"]) == ("2", "10")
    found = error(s3.get_object, **KEY, PartNumber=1, Range="bytes=0-8")
    assert found["Message"] == "Cannot specify both Range header and partNumber query parameter"
    parts = s3.get_object_attributes(**KEY, ObjectAttributes=["ObjectParts"], MaxParts=1)[
        "ObjectParts"
    ]
    assert (parts["TotalPartsCount"], parts["IsTruncated"]) == (2, True)
    assert [one["ChecksumCRC32"] for one in parts["Parts"]] == [crc32(FIRST)]
    parts = s3.get_object_attributes(
        **KEY, ObjectAttributes=["ObjectParts"], PartNumberMarker=parts["NextPartNumberMarker"]
    )["ObjectParts"]
    assert [one["PartNumber"] for one in parts["Parts"]] == [2]


def test_roots_of_answers(s3: Any) -> None:
    seen: list[str] = []
    own = client.__wrapped__("s3")
    own.meta.events.register(
        "before-parse.s3", lambda response_dict, **_: seen.append(response_dict["body"].decode())
    )
    done = send(s3, b"1")
    own.list_parts(**KEY, UploadId=done["UploadId"])
    s3.complete_multipart_upload(**done)
    own.get_object_attributes(**KEY, ObjectAttributes=["ObjectParts"])
    roots = [re.findall(r"<(\w+) xmlns", text)[0] for text in seen]
    assert roots == ["ListPartsResult", "GetObjectAttributesResponse"]


def test_a_copied_part_has_a_checksum(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="source", Body=b"part")
    begun = s3.create_multipart_upload(**KEY, ChecksumAlgorithm="CRC32")["UploadId"]
    copied = s3.upload_part_copy(**KEY, UploadId=begun, PartNumber=1, CopySource="one/source")[
        "CopyPartResult"
    ]
    assert copied["ChecksumCRC32"] == crc32(b"part")
    (listed,) = s3.list_parts(**KEY, UploadId=begun)["Parts"]
    assert listed["ChecksumCRC32"] == crc32(b"part")


def test_a_checksum_of_the_full_object_is_named_as_one(s3: Any) -> None:
    begin = {"ChecksumAlgorithm": "CRC32", "ChecksumType": "FULL_OBJECT"}
    done = send(s3, b"text", **begin)
    given = {"ChecksumCRC32": crc32(b"text")}
    assert error(s3.complete_multipart_upload, **done, **given)["Code"] == "BadDigest"
    answer = s3.complete_multipart_upload(**done, **given, ChecksumType="FULL_OBJECT")
    assert answer["ChecksumCRC32"] == crc32(b"text")
