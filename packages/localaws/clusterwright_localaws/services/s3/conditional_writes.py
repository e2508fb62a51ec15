"""Writes that depend on what a key holds: If-Match and If-None-Match.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
Which of several refusals comes first, and the members of the errors: as recorded on AWS by others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

_MATCH: Final = "If-Match"
_NONE_MATCH: Final = "If-None-Match"
_ANY: Final = "*"
_MARK: Final = "overtaken"


def check_conditions(bucket: Any, request: Mapping[str, Any]) -> None:
    """Refuse a write of an object whose conditions do not hold.

    Raises
    ------
    AwsError
        NotImplemented, NoSuchKey, PreconditionFailed, ConditionalRequestConflict
    """
    match, none_match = request.get("IfMatch"), request.get("IfNoneMatch")
    if not match and not none_match:
        return
    if match and none_match:
        raise _not_implemented(
            f"{_MATCH},{_NONE_MATCH}",
            "Multiple conditional request headers present in the request",
        )
    header, value = (_MATCH, match) if match else (_NONE_MATCH, none_match)
    if (value == _ANY) == (header == _MATCH):
        raise _not_implemented(
            header, f"We don't accept the provided value of {header} header for this API"
        )
    current = bucket.keys.get(request["Key"])
    exists = hasattr(current, "etag")  # a delete marker has none
    if header == _MATCH and not exists:
        raise AwsError("NoSuchKey", "The specified key does not exist.", 404, Key=request["Key"])
    if exists and (header == _NONE_MATCH or _plain(current.etag) != _plain(str(value))):
        raise AwsError(
            "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            412,
            Condition=header,
        )
    upload = bucket.multiparts.get(request.get("UploadId"))
    if upload is not None and hasattr(upload, _MARK):
        raise AwsError(
            "ConditionalRequestConflict",
            "The conditional request cannot succeed due to a conflicting operation against this "
            "resource.",
            409,
            Condition=header,
            Key=request["Key"],
        )


def overtake(bucket: Any, key_name: str) -> None:
    """Note that a key was written or deleted: uploads that began before conflict with it."""
    for upload in list(bucket.multiparts.values()):
        if upload.key_name == key_name:
            setattr(upload, _MARK, True)


def _plain(etag: str) -> str:
    return etag.replace('"', "")


def _not_implemented(header: str, text: str) -> AwsError:
    return AwsError(
        "NotImplemented",
        "A header you provided implies functionality that is not implemented",
        501,
        Header=header,
        additionalMessage=text,
    )
