"""moto's records of events of S3 lack members, and some events are missing, or one too many.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html, and as
recorded on AWS: docs/reference/probes.md, source `localstack`. moto escapes slashes in keys, says
nothing of versions, reports a completed upload as `Put` too, and no removal of a version, of a key
that does not exist, and no delete marker. Who called, and from where, is not known here.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote_plus

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.timestamps import with_milliseconds

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: events have all members, keys keep their slashes, and removals of versions, delete "
    "markers and removals of missing keys are reported; a completed upload is reported once, "
    "and tags of new objects are not; messages to topics have a subject"
)
# Kinds of events with version 2.3, whose objects have neither size nor sequencer.
_OF_SETTINGS: Final = ("ObjectTagging:", "ObjectAcl:")
_RESTORED: Final = "ObjectRestore:Completed"
_SUBJECT: Final = "Amazon S3 Notification"
_LATER: Final = "2.3"
_FIRST: Final = "2.1"
_tags_are_put: ContextVar[bool] = ContextVar("_tags_are_put", default=False)
_ETAG_OF_NOTHING: Final = hashlib.md5(b"", usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class _Removed:
    """What an event says of an object, version or delete marker that was removed or made."""

    name: str
    version_id: str | None
    etag: str | None


def apply() -> None:
    _mend_events()
    _mend_messages()
    _mend_removals()


def _mend_events() -> None:
    from moto.s3 import notifications
    from moto.s3.responses import S3Response

    event_in_moto = notifications._get_s3_event
    send_in_moto = notifications.send_event
    put_tags = S3Response.put_object_tagging
    names = notifications.S3NotificationEvent

    def _get_s3_event(event_name: str, bucket: Any, key: Any, notification_id: str) -> Any:
        if not runtime().active:
            return event_in_moto(event_name, bucket, key, notification_id)
        return {"Records": [_record(event_name.removeprefix("s3:"), bucket, key, notification_id)]}

    def send_event(account_id: str, event_name: Any, bucket: Any, key: Any) -> None:
        created = event_name == names.OBJECT_CREATED_PUT_EVENT
        is_part = created and getattr(key, "multipart", None) is not None
        # delete_object tells it.
        removed = event_name == names.OBJECT_REMOVED_DELETE_EVENT and not isinstance(key, _Removed)
        # moto sets tags of every new object.
        is_new = event_name == names.OBJECT_TAGGING_PUT_EVENT and not _tags_are_put.get()
        if not runtime().active or not (is_part or removed or is_new):
            send_in_moto(account_id, event_name, bucket, key)

    def put_object_tagging(self: Any) -> Any:
        token = _tags_are_put.set(True)
        try:
            return put_tags(self)
        finally:
            _tags_are_put.reset(token)

    notifications._get_s3_event = _get_s3_event
    notifications.send_event = send_event
    S3Response.put_object_tagging = put_object_tagging  # type: ignore[method-assign]


def _mend_messages() -> None:
    from moto.s3 import notifications

    send_in_moto = notifications._send_sns_message

    def send_message(account_id: str, event_body: Any, topic_arn: str, region_name: str) -> None:
        if not runtime().active:
            send_in_moto(account_id, event_body, topic_arn, region_name)
            return
        topics = moto_state.existing("sns", account_id, region_name)
        if topics is not None and topic_arn in topics.topics:
            topics.publish(arn=topic_arn, message=json.dumps(event_body), subject=_SUBJECT)

    notifications._send_sns_message = send_message


def _mend_removals() -> None:
    from moto.s3 import notifications
    from moto.s3.models import S3Backend

    delete_in_moto = S3Backend.delete_object
    names = notifications.S3NotificationEvent

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
            notifications.send_event(self.account_id, event, bucket, removed)
        return answer

    S3Backend.delete_object = delete_object  # type: ignore[method-assign]


def _record(event: str, bucket: Any, key: Any, notification_id: str) -> dict[str, Any]:
    account = str(bucket.account_id)
    of_settings = event.startswith(_OF_SETTINGS)
    found: dict[str, Any] = {
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
    if event == _RESTORED:
        # S3 itself does this, for the owner of the bucket.
        found["userIdentity"] = {"principalId": f"AmazonCustomer:{_customer(account)}"}
        found["glacierEventData"] = {
            "restoreEventData": {
                "lifecycleRestorationExpiryTime": with_milliseconds(key._expiry),
                "lifecycleRestoreStorageClass": key.storage_class,
            }
        }
    return found


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
