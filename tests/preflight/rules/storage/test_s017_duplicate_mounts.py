"""Tests of CW-S017."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.existing_storage import FS_ID, STANDING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.storage_settings import LINK, exporting, lustre
from tests.support import specs


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s3://acme-out", "s3://acme-out"),
        ("s3://acme-out/", "s3://acme-out"),
        ("s3://acme-out", "s3://acme-out/b"),
        ("s3://acme-out/a/b", "s3://acme-out/a"),
    ],
)
def test_two_exports_to_one_prefix_are_reported(rule: Harness, one: str, other: str) -> None:
    rule.fails(
        "CW-S017",
        lustre(exporting("/a", one), exporting("/b", other)),
        path="storage.lustre[1].repositories[0].s3",
        message="two file systems export to s3://acme-out",
    )


@pytest.mark.parametrize(
    "file_systems",
    [
        (exporting("/a", "s3://acme-out/a"), exporting("/b", "s3://acme-out/ab")),
        (exporting("/a", "s3://acme-out"), exporting("/b", "s3://acme-out-2")),
        (exporting("/a", "s3://out"), exporting("/b", "s3://out", export=[], **{"import": []})),
    ],
)
def test_different_prefixes_pass(rule: Harness, file_systems: tuple[dict[str, Any], ...]) -> None:
    rule.passes("CW-S017", lustre(*file_systems))


def test_duplicate_mounts_of_a_file_system_are_reported(rule: Harness) -> None:
    (first,) = STANDING["storage.lustre"]
    again = {**first, "mount_path": "/again"}
    rule.fails(
        "CW-S017",
        lustre(first, again),
        path="storage.lustre[1].existing.id",
        message=f"{FS_ID} is mounted twice",
    )
    rule.passes("CW-S017", STANDING)


def test_bucket_that_is_mounted_and_linked_is_reported(rule: Harness) -> None:
    mounted = {"name": "acme-corpus", "mount_path": "/s3"}
    linked = {**specs.LUSTRE, "repositories": [LINK]}
    rule.fails(
        "CW-S017",
        {**lustre(linked), "storage.buckets": [mounted]},
        path="storage.buckets[0].mount_path",
        message="jobs see its objects twice",
        severity="warning",
    )
    rule.passes("CW-S017", {**lustre(linked), "storage.buckets": [{"name": "acme-corpus"}]})
