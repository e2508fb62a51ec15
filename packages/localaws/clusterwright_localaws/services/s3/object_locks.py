"""Locks of objects: retention and legal holds; moto answers and checks few of them.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
Texts, members and their order recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.s3.object_versions import existing_version
from clusterwright_localaws.services.s3.refusals import malformed
from clusterwright_localaws.services.s3.world_buckets import find_bucket

_GOVERNANCE: Final = "GOVERNANCE"
_MODES: Final = frozenset({_GOVERNANCE, "COMPLIANCE"})
_MODE: Final = "x-amz-object-lock-mode"
_UNTIL: Final = "x-amz-object-lock-retain-until-date"
# The zone of the time in a message, and its form.
_PACIFIC: Final = ZoneInfo("America/Los_Angeles")
_JAVA_TIME: Final = "%a %b %d %H:%M:%S %Z %Y"


def check_new_lock(request: Mapping[str, Any]) -> None:
    """Check the lock that the headers of a write ask for.

    Raises
    ------
    AwsError
        InvalidArgument
    """
    mode, until = request.get("ObjectLockMode"), request.get("ObjectLockRetainUntilDate")
    if bool(mode) != bool(until):
        text = f"{_UNTIL} and {_MODE} must both be supplied"
        raise AwsError("InvalidArgument", text, 400, ArgumentName=_UNTIL if mode else _MODE)
    if mode and mode not in _MODES:
        text = "Unknown wormMode directive."
        raise AwsError("InvalidArgument", text, 400, ArgumentName=_MODE, ArgumentValue=mode)


@operation("s3", "GetObjectRetention")
def get_retention(call: Call) -> Mapping[str, Any]:
    found = _version(call, "GET")
    if not found.lock_mode:
        raise _not_locked()
    until = _moment(found.lock_until)
    return {"Retention": {"Mode": found.lock_mode, "RetainUntilDate": until}}


@operation("s3", "PutObjectRetention")
def put_retention(call: Call) -> Mapping[str, Any]:
    found = _version(call, "PUT")
    given = call.parameters.get("Retention") or {}
    mode, until = given.get("Mode"), given.get("RetainUntilDate")
    if bool(mode) != bool(until):
        raise malformed()
    if until is not None:
        until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
        if until <= call.now:
            raise AwsError(
                "InvalidArgument",
                "The retain until date must be in the future!",
                400,
                ArgumentName="RetainUntilDate",
                ArgumentValue=until.astimezone(_PACIFIC).strftime(_JAVA_TIME),
            )
    if found.lock_mode and found.lock_until:
        _check_change(call, found, mode, until)
    if until is not None:
        raise ForwardToMoto
    found.lock_mode = found.lock_until = None
    return {}


@operation("s3", "GetObjectLegalHold")
def get_legal_hold(call: Call) -> Mapping[str, Any]:
    found = _version(call, "GET")
    if not found.lock_legal_status:
        raise _not_locked()
    return {"LegalHold": {"Status": found.lock_legal_status}}


@operation("s3", "PutObjectLegalHold")
def put_legal_hold(call: Call) -> Mapping[str, Any]:
    if not (call.parameters.get("LegalHold") or {}).get("Status"):
        raise malformed()
    _version(call, "PUT")
    raise ForwardToMoto


def _check_change(call: Call, found: Any, mode: str | None, until: datetime | None) -> None:
    """Refuse to weaken a retention; that for governance can be bypassed."""
    before = _moment(found.lock_until)
    if before <= call.now:
        return
    weaker = until is None or until < before or (mode == _GOVERNANCE != found.lock_mode)
    bypassed = found.lock_mode == _GOVERNANCE and call.parameters.get("BypassGovernanceRetention")
    if weaker and not bypassed:
        text = "Access Denied because object protected by object lock."
        raise AwsError("AccessDenied", text, 403)


def _version(call: Call, method: str) -> Any:
    """Return the version that a request names, in a bucket with locks."""
    bucket = find_bucket(call.parameters["Bucket"])
    if bucket is None:
        raise ForwardToMoto
    if not bucket.object_lock_enabled:
        raise AwsError("InvalidRequest", "Bucket is missing Object Lock Configuration", 400)
    return existing_version(bucket, call.parameters, method)


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _not_locked() -> AwsError:
    text = "The specified object does not have a ObjectLock configuration"
    return AwsError("NoSuchObjectLockConfiguration", text, 404)
