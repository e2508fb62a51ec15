"""moto's answers about buckets lack members, and have others that S3 does not answer.

Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.s3.fixes.expirations import kept_rules

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: the refusal to delete a bucket says that it has versions, that of an object that it is "
    "locked; a quiet DeleteObjects lists errors only; PutBucketPolicy has no "
    "content, and a lifecycle configuration the default smallest size; a rule for locks has the "
    "days or the years of its request"
)
_SMALLEST: Final = "x-amz-transition-default-minimum-object-size"
_QUIET: Final = re.compile(r"<Quiet>\s*true\s*</Quiet>", re.IGNORECASE)


def apply() -> None:
    from moto.s3.exceptions import AccessDeniedByLock, BucketNotEmpty
    from moto.s3.responses import S3Response

    initialise = AccessDeniedByLock.__init__

    serialized = S3Response.serialized
    put_bucket = S3Response._bucket_response_put

    def _serialized(self: Any, action_result: Any) -> Any:
        result: Any = action_result.result
        refused = runtime().active and isinstance(result, BucketNotEmpty)
        if refused and self.backend.get_bucket(self.bucket_name).versioning_status:
            result.message += ". You must delete all versions in the bucket."
        if runtime().active and isinstance(result, dict):
            _drop_zeros(result.get("ObjectLockConfiguration") or {})
            if self.data.get("Action") == "DeleteObjects" and _is_quiet(self.body):
                result.pop("Deleted", None)
        return serialized(self, action_result)

    def _put_bucket(self: Any, request: Any, bucket_name: str, query: Any) -> Any:
        answer = put_bucket(self, request, bucket_name, query)
        if runtime().active and "policy" in query and answer == "True":
            return 204, {}, ""
        if runtime().active and "lifecycle" in query and answer == "":
            kept = kept_rules(self.backend.get_bucket(bucket_name))
            return answer if kept is None else (200, {_SMALLEST: kept[1]}, "")
        return answer

    def __init__(self: Any) -> None:  # noqa: N807
        initialise(self)
        if runtime().active:
            self.message = "Access Denied because object protected by object lock."

    AccessDeniedByLock.__init__ = __init__  # type: ignore[method-assign]
    S3Response.serialized = _serialized  # type: ignore[method-assign]
    S3Response._bucket_response_put = _put_bucket  # type: ignore[assignment, method-assign]


def _is_quiet(body: Any) -> bool:
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body or "")
    return _QUIET.search(text) is not None


def _drop_zeros(configuration: dict[str, Any]) -> None:
    rule = configuration.get("Rule") or {}
    retention = rule.get("DefaultRetention") or {}
    for unit in ("Days", "Years"):
        if not retention.get(unit):
            retention.pop(unit, None)
