"""Tests of CW-S022."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clusterwright.preflight.facts import network
from tests.preflight.existing_storage import SUBNET
from tests.preflight.harness import Harness
from tests.preflight.rules.support.existing_file_systems import HOME, ZFS, standing


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "LUSTRE"}, "is LUSTRE, not OPENZFS"),
        ({"lifecycle": "FAILED"}, "is FAILED"),
        ({"dns_name": "fs-other"}, "the dns_name of"),
    ],
)
def test_different_existing_home_is_reported(
    rule: Harness, change: dict[str, Any], message: str
) -> None:
    path = "storage.home.existing.dns_name"
    changed = standing(dataclasses.replace(ZFS, **change))
    rule.fails("CW-S022", HOME, changed, path=path, message=message)
    rule.fails("CW-S022", HOME, standing(), path=path, message="does not exist in us-east-1")
    far = dataclasses.replace(SUBNET, zone_id="use1-az1")
    elsewhere = {**standing(ZFS), network.Subnets(): (far,)}
    rule.fails("CW-S022", HOME, elsewhere, path=path, message="use1-az1", severity="warning")
    rule.passes("CW-S022", HOME, standing(ZFS))
    rule.passes("CW-S022", {}, tested=False)
