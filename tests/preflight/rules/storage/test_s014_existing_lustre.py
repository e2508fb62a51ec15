"""Tests of CW-S014."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.preflight.existing_storage import FOUND, FS_ID, STANDING, SUBNET
from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import standing


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        ({"kind": "OPENZFS"}, "id", "is OPENZFS, not LUSTRE"),
        ({"lifecycle": "DELETING"}, "id", "is DELETING"),
        ({"dns_name": "other"}, "dns_name", "the dns_name of fs-0123456789abcdef0 is other"),
        ({"mount_name": "other"}, "mount_name", "the mount_name of fs-0123456789abcdef0 is other"),
    ],
)
def test_different_existing_file_system_is_reported(
    rule: Harness, change: dict[str, Any], path: str, message: str
) -> None:
    facts = standing(dataclasses.replace(FOUND, **change))
    where = f"storage.lustre[0].existing.{path}"
    rule.fails("CW-S014", STANDING, facts, path=where, message=message)
    rule.passes("CW-S014", STANDING, standing(FOUND))


def test_existing_file_system_without_efa_or_in_another_zone_is_reported(rule: Harness) -> None:
    here = "storage.lustre[0].existing.id"
    rule.fails(
        "CW-S014",
        STANDING,
        standing(),
        path=here,
        message=f"the file system {FS_ID} does not exist",
    )
    rule.fails(
        "CW-S014",
        STANDING,
        standing(dataclasses.replace(FOUND, efa=False)),
        path="storage.lustre[0].efa",
        message="was created without EFA",
    )
    there = dataclasses.replace(SUBNET, zone="us-east-1b", zone_id="use1-az1")
    rule.fails(
        "CW-S014",
        STANDING,
        standing(FOUND, subnets=(there,)),
        path=here,
        message="is in use1-az1, the nodes are in use1-az6",
        severity="error",
    )
