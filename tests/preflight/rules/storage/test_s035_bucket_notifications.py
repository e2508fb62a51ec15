"""Tests of CW-S035."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.s3 import BucketNotification
from clusterwright.preflight.facts.buckets import BucketNotifications
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import LINK, LINKED, PLACE
from tests.support import specs

QUEUE = "arn:aws:sqs:us-east-1:111122223333:ingest"
CREATED = "s3:ObjectCreated:*"
REMOVED = "s3:ObjectRemoved:Delete"


def notified(*events: str, prefix: str = "", name: str = "ingest") -> dict[Any, Any]:
    return {BucketNotifications("acme-corpus"): (BucketNotification(name, QUEUE, events, prefix),)}


@pytest.mark.parametrize("prefix", ["", "tokens", "tokens/2026", "tok"])
def test_notification_of_the_same_events_is_reported(rule: Harness, prefix: str) -> None:
    finding = rule.fails(
        "CW-S035",
        LINKED,
        notified(CREATED, prefix=prefix),
        path=PLACE,
        message=f"the notification ingest of acme-corpus covers {CREATED} under `{prefix}`, and "
        "FSx needs these events under `tokens`",
        severity="error",
    )
    assert finding.hint is not None
    assert "EventBridge" in finding.hint


def test_other_events_and_prefixes_pass(rule: Harness) -> None:
    rule.passes("CW-S035", LINKED, {BucketNotifications("acme-corpus"): ()})
    rule.passes("CW-S035", LINKED, notified(REMOVED))
    rule.passes("CW-S035", LINKED, notified(CREATED, prefix="images/"))
    rule.passes("CW-S035", LINKED, notified(CREATED, name="FSx-import"))


def test_deleted_objects_are_events_too(rule: Harness) -> None:
    link = {**LINK, "import": ["NEW", "DELETED"]}
    changes = {"storage.lustre": [{**specs.LUSTRE, "repositories": [link]}]}
    rule.fails("CW-S035", changes, notified(REMOVED), path=PLACE, message=f"covers {REMOVED}")


def test_repository_without_import_needs_no_notification(rule: Harness) -> None:
    link = {"s3": LINK["s3"], "path": "/data", "export": ["NEW"]}
    changes = {"storage.lustre": [{**specs.LUSTRE, "repositories": [link]}]}
    rule.passes("CW-S035", changes, tested=False)
