"""moto's records of events of S3 lack members, and some events are missing, or one too many.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html, and as
recorded on AWS: docs/reference/probes.md, source `localstack`. moto escapes slashes in keys, says
nothing of versions, reports a completed upload as `Put` too, and no removal of a version, of a key
that does not exist, and no delete marker. Who called, and from where, is not known here.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote_plus

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timestamps import with_milliseconds

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: events have all members, keys keep their slashes, and removals of versions, delete "
    "markers and removals of missing keys are reported; a completed upload is reported once"
)
# Kinds of events with version 2.3, whose objects have neither size nor sequencer.
_OF_SETTINGS: Final = ("ObjectTagging:", "ObjectAcl:")
_LATER: Final = "2.3"
_FIRST: Final = "2.1"
_ETAG_OF_NOTHING: Final = hashlib.md5(b"", usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class _Removed:
    """What an event says of an object, version or delete marker that was removed or made."""

    name: str
    version_id: str | None
    etag: str | None


def apply() -> None:
    from moto.s3 import notifications
    from moto.s3.models import S3Backend

    event_in_moto = notifications._get_s3_event
    send_in_moto = notifications.send_event
    delete_in_moto = S3Backend.delete_object
    names = notifications.S3NotificationEvent

    def _get_s3_event(event_name: str, bucket: Any, key: Any, notification_id: str) -> Any:
        if not runtime().active:
            return event_in_moto(event_name, bucket, key, notification_id)
        return {"Records": [_record(event_name.removeprefix("s3:"), bucket, key, notification_id)]}

    def send_event(account_id: str, event_name: Any, bucket: Any, key: Any) -> None:
        if runtime().active:
            created = event_name == names.OBJECT_CREATED_PUT_EVENT
            if created and getattr(key, "multipart", None) is not None:
                return
            if event_name == names.OBJECT_REMOVED_DELETE_EVENT and not isinstance(key, _Removed):
                return  # delete_object tells it
        send_in_moto(account_id, event_name, bucket, key)

    def delete_object(
        self: Any,
        bucket_name: str,
        key_name: str,
        version_id: str | None = None,
        bypass: bool = False,
    ) -> Any:
        answer = delete_in_moto(self, bucket_name, key_name, version_id=version_id, bypass=bypass)
        if not runtime().active:
            return answer
        bucket = self.get_bucket(bucket_name)
        done, headers = answer
        event, removed = names.OBJECT_REMOVED_DELETE_EVENT, _Removed(key_name, version_id, None)
        if version_id is None and bucket.is_versioned:
            event = names.OBJECT_REMOVED_DELETE_MARKER_CREATED_EVENT
            removed = _Removed(key_name, headers.get("version-id"), _ETAG_OF_NOTHING)
        if done or not bucket.is_versioned:
            send_in_moto(self.account_id, event, bucket, removed)
        return answer

    notifications._get_s3_event = _get_s3_event
    notifications.send_event = send_event
    S3Backend.delete_object = delete_object  # type: ignore[method-assign]


def _record(event: str, bucket: Any, key: Any, notification_id: str) -> dict[str, Any]:
    account = str(bucket.account_id)
    of_settings = event.startswith(_OF_SETTINGS)
    return {
        "eventVersion": _LATER if of_settings else _FIRST,
        "eventSource": "aws:s3",
        "awsRegion": bucket.region_name,
        "eventTime": with_milliseconds(runtime().clock.now()),
        "eventName": event,
        "userIdentity": {"principalId": f"AWS:{account}"},
        "requestParameters": {"sourceIPAddress": "127.0.0.1"},
        "responseElements": {
            "x-amz-request-id": uuid.uuid4().hex[:16].upper(),
            "x-amz-id-2": uuid.uuid4().hex,
        },
        "s3": {
            "s3SchemaVersion": "1.0",
            "configurationId": notification_id,
            "bucket": {
                "name": bucket.name,
                "ownerIdentity": {"principalId": _customer(account)},
                "arn": bucket.arn,
            },
            "object": _object(key, of_settings=of_settings),
        },
    }


def _object(key: Any, *, of_settings: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"key": quote_plus(key.name, safe="/")}
    if not of_settings and not isinstance(key, _Removed):
        found["size"] = key.size
    if key.etag is not None:
        found["eTag"] = key.etag.strip('"')
    if key.version_id not in (None, "null"):
        found["versionId"] = key.version_id
    if not of_settings:
        found["sequencer"] = f"{time.time_ns():018X}"
    return found


def _customer(account: str) -> str:
    """Return an invented Amazon customer ID of an account."""
    return "A" + hashlib.sha256(account.encode()).hexdigest()[:13].upper()
