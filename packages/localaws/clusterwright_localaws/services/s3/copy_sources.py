"""What S3 refuses of the source of a copy, and moto accepts: its range and its conditions.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html
Messages recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qs, unquote_plus, urlparse

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.refusals import invalid_source
from clusterwright_localaws.services.s3.world_buckets import find_bucket, find_version

_RANGE: Final = re.compile(r"bytes=(\d+)-(\d+)")
_RANGE_HEADER: Final = "x-amz-copy-source-range"


@operation("s3", "UploadPartCopy")
def upload_part_copy(call: Call) -> Mapping[str, Any]:
    source = check_source(call.parameters, refuses_missing=True)
    given = call.parameters.get("CopySourceRange")
    if given is not None:
        first, last = _range(given)
        if source is not None:
            _check_range(given, first, last, source.size)
    raise ForwardToMoto


def check_source(request: Mapping[str, Any], *, refuses_missing: bool = False) -> Any:
    """Return the source of a copy, or `None` where moto refuses it.

    Parameters
    ----------
    refuses_missing:
        Whether to refuse a source that does not exist; moto does for whole objects.

    Raises
    ------
    AwsError
        InvalidArgument, NoSuchKey, PreconditionFailed
    """
    parsed = urlparse(request["CopySource"])
    bucket_name, _, key = unquote_plus(parsed.path).lstrip("/").partition("/")
    if not bucket_name or not key:
        raise invalid_source()
    bucket = find_bucket(bucket_name)
    if bucket is None:
        return None
    version = parse_qs(parsed.query).get("versionId", [None])[0]
    source = find_version(bucket, key, version)
    if not hasattr(source, "etag"):  # a delete marker has none
        if version is None and refuses_missing:
            raise AwsError("NoSuchKey", "The specified key does not exist.", 404, Key=key)
        return None
    _check_conditions(source, request)
    return source


def _check_conditions(source: Any, request: Mapping[str, Any]) -> None:
    etag = _plain(source.etag)
    changed = source.last_modified.replace(microsecond=0, tzinfo=UTC)
    match, none_match = request.get("CopySourceIfMatch"), request.get("CopySourceIfNoneMatch")
    until = request.get("CopySourceIfUnmodifiedSince")
    since = request.get("CopySourceIfModifiedSince")
    failed = None
    if match is not None:
        failed = "If-Match" if _plain(match) not in (etag, "*") else None
    elif until is not None and changed > _aware(until):
        failed = "If-Unmodified-Since"
    if failed is None and none_match is not None:
        failed = "If-None-Match" if _plain(none_match) in (etag, "*") else None
    elif failed is None and since is not None and changed <= _aware(since) <= datetime.now(UTC):
        failed = "If-Modified-Since"
    if failed is not None:
        raise AwsError(
            "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            412,
            Condition=f"x-amz-copy-source-{failed}",
        )


def _range(given: str) -> tuple[int, int]:
    found = _RANGE.fullmatch(given)
    first, last = map(int, found.groups()) if found else (1, 0)
    if first > last:
        raise _invalid_range(
            f"The {_RANGE_HEADER} value must be of the form bytes=first-last where first and last "
            "are the zero-based offsets of the first and last bytes to copy",
            given,
        )
    return first, last


def _check_range(given: str, first: int, last: int, size: int) -> None:
    if first >= size:
        text = "The specified copy range is invalid for the source object size"
        raise AwsError("InvalidRequest", text, 400)
    if last >= size:
        text = f"Range specified is not valid for source object of size: {size}"
        raise _invalid_range(text, given)


def _invalid_range(message: str, given: str) -> AwsError:
    return AwsError(
        "InvalidArgument", message, 400, ArgumentName=_RANGE_HEADER, ArgumentValue=given
    )


def _plain(etag: str) -> str:
    return etag.replace('"', "")


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
