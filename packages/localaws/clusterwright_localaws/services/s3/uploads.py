"""Uploads in parts: what S3 refuses of them, and lists of their parts.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
Texts, members and their order recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3 import checksums
from clusterwright_localaws.services.s3.fixes.listed_names import OWNER
from clusterwright_localaws.services.s3.part_checksums import checksum_of, is_kept
from clusterwright_localaws.services.s3.world_buckets import find_bucket

ALGORITHM: Final = "x-amz-checksum-algorithm"
TYPE: Final = "x-amz-checksum-type"
_MOST_PARTS: Final = 10_000
_PAGE: Final = 1000


def check_new_upload(request: Mapping[str, Any]) -> None:
    """Check the checksum that a new upload names.

    Raises
    ------
    AwsError
        InvalidRequest
    """
    algorithm, kind = request.get("ChecksumAlgorithm"), request.get("ChecksumType")
    if kind and not algorithm:
        raise _invalid_request(f"The {TYPE} header can only be used with the {ALGORITHM} header.")
    if kind and algorithm in checksums.LENGTHS and kind not in checksums.types(algorithm):
        raise _invalid_request(
            f"The {kind} checksum type cannot be used with the {algorithm.lower()} checksum "
            "algorithm."
        )


@operation("s3", "UploadPart")
def upload_part(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    number = request["PartNumber"]
    if not 1 <= number <= _MOST_PARTS:
        text = f"Part number must be an integer between 1 and {_MOST_PARTS}, inclusive"
        raise AwsError(
            "InvalidArgument", text, 400, ArgumentName="partNumber", ArgumentValue=number
        )
    upload = _upload(request)
    algorithm = upload.metadata.get(ALGORITHM) if upload is not None else None
    given = next(iter(_values(request)), request.get("ChecksumAlgorithm"))
    if algorithm and given and given != algorithm:
        raise _invalid_request(
            f"Checksum Type mismatch occurred, expected checksum Type: {algorithm.lower()}, "
            f"actual checksum Type: {given.lower()}"
        )
    raise ForwardToMoto


@operation("s3", "CompleteMultipartUpload")
def complete(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    upload = _upload(request)
    listed = (request.get("MultipartUpload") or {}).get("Parts")
    if upload is not None:
        if not listed:
            raise _invalid_request("You must specify at least one part")
        _check_order(listed, upload)
        _check_type(request, upload)
        for part in listed:
            _check_part(part, upload)
        _check_sizes(request, listed, upload)
        _check_full_object(request, upload)
    raise ForwardToMoto


@operation("s3", "ListParts")
def list_parts(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    if find_bucket(request["Bucket"]) is None:
        raise ForwardToMoto
    upload = _upload(request)
    if upload is None or upload.key_name != request["Key"]:
        raise AwsError(
            "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the upload may "
            "have been aborted or completed.",
            404,
            UploadId=request["UploadId"],
        )
    limit = min(_size(request, "MaxParts", "max-parts", _PAGE), _PAGE)
    marker = _size(request, "PartNumberMarker", "part-number-marker", 0)
    numbers = [number for number in sorted(upload.parts) if number > marker]
    algorithm = upload.metadata.get(ALGORITHM)
    answer: dict[str, Any] = {
        "Bucket": request["Bucket"],
        "Key": request["Key"],
        "UploadId": upload.id,
        "PartNumberMarker": marker,
        "NextPartNumberMarker": (numbers[:limit] or [0])[-1],
        "MaxParts": limit,
        "IsTruncated": len(numbers) > limit,
        "Initiator": {"ID": f"arn:aws:iam::{call.account}:root", "DisplayName": "root"},
        "Owner": {"ID": OWNER},
        "StorageClass": upload.storage or "STANDARD",
        "Parts": [_listed(number, upload.parts[number], algorithm) for number in numbers[:limit]],
    }
    if algorithm:
        kind = upload.metadata.get(TYPE) or checksums.default_type(algorithm)
        answer.update(ChecksumAlgorithm=algorithm, ChecksumType=kind)
    return answer


def _listed(number: int, part: Any, algorithm: str | None) -> dict[str, Any]:
    found = {
        "PartNumber": number,
        "LastModified": part.last_modified,
        "ETag": part.etag,
        "Size": part.size,
    }
    if algorithm and is_kept(part, algorithm):
        found[f"Checksum{algorithm}"] = checksum_of(part, algorithm)
    return found


def _size(request: Mapping[str, Any], member: str, name: str, default: int) -> int:
    number = int(request.get(member, default))
    most = (1 << 31) - 1
    if number > most:
        text = f"Provided {name} not an integer or within integer range"
        raise AwsError("InvalidArgument", text, 400, ArgumentName=name, ArgumentValue=number)
    if number < 0:
        text = f"Argument {name} must be an integer between 0 and {most}"
        raise AwsError("InvalidArgument", text, 400, ArgumentName=name, ArgumentValue=number)
    return number


def _upload(request: Mapping[str, Any]) -> Any | None:
    bucket = find_bucket(request["Bucket"])
    return None if bucket is None else bucket.multiparts.get(request["UploadId"])


def _values(request: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of checksums that a request or one of its parts has, by algorithm."""
    found = {name: request.get(f"Checksum{name}") for name in checksums.LENGTHS}
    return {name: value for name, value in found.items() if value}


def _check_order(listed: list[Mapping[str, Any]], upload: Any) -> None:
    numbers = [part["PartNumber"] for part in listed if "PartNumber" in part]
    if any(first >= second for first, second in pairwise(numbers)):
        raise AwsError(
            "InvalidPartOrder",
            "The list of parts was not in ascending order. Parts must be ordered by part number.",
            400,
            UploadId=upload.id,
        )


def _check_type(request: Mapping[str, Any], upload: Any) -> None:
    given, kind = request.get("ChecksumType"), upload.metadata.get(TYPE)
    if given and given != kind:
        raise _invalid_request(
            f"The upload was created using the {kind or 'null'} checksum mode. The complete "
            "request must use the same checksum mode."
        )


def _check_full_object(request: Mapping[str, Any], upload: Any) -> None:
    """Refuse a checksum of the full object that is not named as one: it counts as composite."""
    algorithm, given = upload.metadata.get(ALGORITHM), _values(request)
    is_full = upload.metadata.get(TYPE) == checksums.FULL_OBJECT
    if not given or not is_full or algorithm not in checksums.WITH_BOTH_TYPES:
        return
    if not request.get("ChecksumType") or algorithm not in given:
        text = f"The {algorithm.lower()} you specified did not match the calculated checksum."
        raise AwsError("BadDigest", text, 400)


def _check_part(part: Mapping[str, Any], upload: Any) -> None:
    number = part.get("PartNumber")
    etag = str(part.get("ETag") or "").replace('"', "")
    found = upload.parts.get(number)
    algorithm = upload.metadata.get(ALGORITHM)
    given = _values(part)
    if found is None or found.etag.replace('"', "") != etag or (given and not algorithm):
        raise _invalid_part(number, etag, upload)
    for other in given:
        if other != algorithm:
            text = f"The {other.lower()} you specified for part {number} did not match what we "
            raise AwsError("BadDigest", f"{text}received.", 400)
    if algorithm in given:
        if checksum_of(found, algorithm) not in (None, given[algorithm]):
            raise _invalid_part(number, etag, upload)
    elif algorithm and upload.metadata.get(TYPE) == checksums.COMPOSITE:
        raise _invalid_request(
            f"The upload was created using a {algorithm.lower()} checksum. The complete request "
            f"must include the checksum for each part. It was missing for part {number} in the "
            "request."
        )


def _check_sizes(request: Mapping[str, Any], listed: list[Mapping[str, Any]], upload: Any) -> None:
    from moto.s3.models import S3_UPLOAD_PART_MIN_SIZE

    for part in listed[:-1]:
        found = upload.parts[part["PartNumber"]]
        if found.size < S3_UPLOAD_PART_MIN_SIZE:
            raise AwsError(
                "EntityTooSmall",
                "Your proposed upload is smaller than the minimum allowed size",
                400,
                ETag=found.etag.replace('"', ""),
                MinSizeAllowed=S3_UPLOAD_PART_MIN_SIZE,
                PartNumber=part["PartNumber"],
                ProposedSize=found.size,
            )
    size, given = sum(upload.parts[one["PartNumber"]].size for one in listed), "MpuObjectSize"
    if request.get(given) is not None and int(request[given]) != size:
        raise _invalid_request(
            f"The provided 'x-amz-mp-object-size' header value {request[given]} does not match "
            f"what was computed: {size}"
        )


def _invalid_part(number: Any, etag: str, upload: Any) -> AwsError:
    return AwsError(
        "InvalidPart",
        "One or more of the specified parts could not be found.  The part may not have been "
        "uploaded, or the specified entity tag may not match the part's entity tag.",
        400,
        UploadId=upload.id,
        PartNumber=number,
        ETag=etag,
    )


def _invalid_request(message: str) -> AwsError:
    return AwsError("InvalidRequest", message, 400)
