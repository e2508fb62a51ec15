"""Tests of CW-S036."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.s3 import LifecycleRule
from clusterwright.preflight.facts.buckets import LifecycleRules
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import LINKED, PLACE
from tests.support import specs

MONTH: dict[str, Any] = {"run": {"hours": 720, "start": "2026-12-01"}}
EXPORT = {"s3": "s3://acme-corpus/checkpoints", "path": "/checkpoints", "export": ["NEW"]}
EXPORTED = {"storage.lustre": [{**specs.LUSTRE, "repositories": [EXPORT]}]}


def rules(
    expires: int | str | None = None, archives: int | str | None = None, prefix: str = ""
) -> dict[Any, Any]:
    return {LifecycleRules("acme-corpus"): (LifecycleRule("tidy", prefix, expires, archives),)}


@pytest.mark.parametrize(
    ("expires", "when"),
    [(7, "7 days after their creation"), ("2026-12-24", "on 2026-12-24")],
)
def test_checkpoints_deleted_during_the_run_are_an_error(
    rule: Harness, expires: int | str, when: str
) -> None:
    rule.fails(
        "CW-S036",
        {**EXPORTED, **MONTH},
        rules(expires),
        path=PLACE,
        message="the lifecycle rule tidy of acme-corpus deletes exported files, checkpoints "
        f"included, under `` {when}, before the run ends",
        severity="error",
    )


def test_later_deletion_is_a_warning(rule: Harness) -> None:
    rule.fails("CW-S036", {**EXPORTED, **MONTH}, rules(60), path=PLACE,
               message="60 days after", severity="warning")  # fmt: skip
    rule.fails("CW-S036", LINKED, rules("2027-06-01"), path=PLACE,
               message="deletes objects under", severity="warning")  # fmt: skip


def test_archived_objects_are_not_readable(rule: Harness) -> None:
    message = "archives objects under `tok` 30 days after their creation: neither FSx nor"
    rule.fails("CW-S036", LINKED, rules(archives=30, prefix="tok"), path=PLACE,
               message=message, severity="warning")  # fmt: skip
    mounted = {"storage.buckets": [{"name": "acme-corpus", "mount_path": "/s3/corpus"}]}
    rule.fails("CW-S036", {**mounted, **MONTH}, rules(archives=1), path="storage.buckets[0].name",
               message="neither FSx nor Mountpoint reads them", severity="error")  # fmt: skip


def test_rules_of_other_prefixes_pass(rule: Harness) -> None:
    rule.passes("CW-S036", LINKED, rules(1, 1, prefix="logs/"))
    rule.passes("CW-S036", LINKED, {LifecycleRules("acme-corpus"): ()})
    rule.passes("CW-S036", {}, tested=False)
