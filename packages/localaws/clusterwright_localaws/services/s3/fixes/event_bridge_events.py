"""moto's events of S3 for EventBridge have other members, and those of removals are not sent.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html, and as recorded on AWS:
docs/reference/probes.md, source `localstack`. Who called, and from where, is not known here.
"""

from __future__ import annotations

import copy
import time
import uuid
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "S3: events for EventBridge have the members of each kind, and ids of their own; those of "
    "removals are sent, and all go to the default bus"
)
_DEFAULT_BUS: Final = "default"
# Who manages the rules of archives, for moto.
_ARCHIVES: Final = "prod.vhs.events.aws.internal"
# Detail types, and the operation where S3 names it as the reason.
_KINDS: Final = {
    "ObjectCreated:Put": ("Object Created", "PutObject"),
    "ObjectCreated:Post": ("Object Created", "POST Object"),
    "ObjectCreated:Copy": ("Object Created", "CopyObject"),
    "ObjectCreated:CompleteMultipartUpload": ("Object Created", "CompleteMultipartUpload"),
    "ObjectRemoved:Delete": ("Object Deleted", "DeleteObject"),
    "ObjectRemoved:DeleteMarkerCreated": ("Object Deleted", "DeleteObject"),
    "ObjectRestore:Post": ("Object Restore Initiated", None),
    "ObjectRestore:Completed": ("Object Restore Completed", None),
    "ObjectAcl:Put": ("Object ACL Updated", None),
    "ObjectTagging:Put": ("Object Tags Added", None),
    "ObjectTagging:Delete": ("Object Tags Deleted", None),
}
_DELETIONS: Final = {
    "ObjectRemoved:Delete": "Permanently Deleted",
    "ObjectRemoved:DeleteMarkerCreated": "Delete Marker Created",
}
_CHANGES: Final = ("ObjectCreated:", "ObjectRemoved:")
_WITH_SIZE: Final = ("ObjectCreated:", "ObjectRestore:")


def apply() -> None:
    from moto.s3 import notifications

    send_in_moto = notifications._send_event_bridge_message

    def send(account_id: str, bucket: Any, event_name: Any, key: Any) -> None:
        if not runtime().active:
            send_in_moto(account_id, bucket, event_name, key)
            return
        name = str(getattr(event_name, "value", event_name)).removeprefix("s3:")
        if name in _KINDS:
            _send(account_id, bucket, name, key)

    notifications._send_event_bridge_message = send


def _send(account: str, bucket: Any, name: str, key: Any) -> None:
    from moto.core.utils import unix_time
    from moto.events.models import events_backends

    event: Any = {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": _KINDS[name][0],
        "source": "aws.s3",
        "account": account,
        "time": unix_time(),
        "region": bucket.region_name,
        "resources": [bucket.arn],
        "detail": _detail(account, bucket, name, key),
    }
    bus = events_backends[account][bucket.region_name].event_buses[_DEFAULT_BUS]
    for rule in list(bus.rules.values()):
        if rule.state != "DISABLED":
            _deliver(rule, event)


def _deliver(rule: Any, event: Any) -> None:
    """Send an event to each target of a rule that matches it; a target that fails does so alone.

    S3 has answered by then on AWS: no failure is one of the write.
    """
    for target in list(rule.targets):
        alone = copy.copy(rule)
        alone.targets = [target]
        try:
            if rule.managed_by == _ARCHIVES:
                # The archive is named in what moto makes of the event, which has this member.
                archived = {**event, "ingestion-time": event["time"]}
                alone.send_to_targets(archived, transform_input=True)
            else:
                alone.send_to_targets(event, transform_input=False)
        except NotImplementedError:
            _warn(rule, target, "such targets are not implemented")
        except Exception as error:  # noqa: BLE001  whatever moto fails at
            _warn(rule, target, f"{type(error).__name__}: {error}")


def _warn(rule: Any, target: Any, reason: str) -> None:
    where = f"from the rule {rule.name} to {target['Arn']}"
    runtime().warn(f"EventBridge: no delivery of S3's events {where}: {reason}")


def _detail(account: str, bucket: Any, name: str, key: Any) -> dict[str, Any]:
    detail: dict[str, Any] = {
        "version": "0",
        "bucket": {"name": bucket.name},
        "object": _object(name, key),
        "request-id": uuid.uuid4().hex[:16].upper(),
        "requester": account,
    }
    if name == "ObjectRestore:Completed":
        detail["restore-expiry-time"] = key._expiry.strftime("%Y-%m-%dT%H:%M:%SZ")
    else:
        detail["source-ip-address"] = "127.0.0.1"
    if name.startswith("ObjectRestore:"):
        detail["source-storage-class"] = key.storage_class
    if (reason := _KINDS[name][1]) is not None:
        detail["reason"] = reason
    if name in _DELETIONS:
        detail["deletion-type"] = _DELETIONS[name]
    return detail


def _object(name: str, key: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"key": key.name}
    if name.startswith(_WITH_SIZE):
        found["size"] = key.size
    if key.etag is not None:
        found["etag"] = key.etag.strip('"')
    if key.version_id not in (None, "null"):
        found["version-id"] = key.version_id
    if name.startswith(_CHANGES):
        found["sequencer"] = f"{time.time_ns():018X}"
    return found
