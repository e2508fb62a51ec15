"""Tests of CW-S024."""

from __future__ import annotations

import dataclasses

from clusterwright.preflight.facts import storage
from tests.preflight.existing_storage import FOUND, NETWORK, STANDING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.existing_file_systems import HERE, VPC, vpcs


def test_file_systems_in_another_vpc_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-S024",
        STANDING,
        vpcs(None),
        path=HERE,
        message=f"is in {VPC}, and the stacks create a new VPC for the nodes",
    )
    rule.fails(
        "CW-S024",
        STANDING,
        vpcs("test-eu-network"),
        path=HERE,
        message="fs-0123456789abcdef0 is in vpc-00000001, and the stacks create a new VPC for "
        "the nodes",
    )
    rule.passes("CW-S024", STANDING, vpcs("test-network"))
    there = {storage.FileSystems(): (FOUND,)}
    rule.passes("CW-S024", {**STANDING, **NETWORK}, there)
    other = {storage.FileSystems(): (dataclasses.replace(FOUND, vpc_id="vpc-00000002"),)}
    rule.fails(
        "CW-S024", {**STANDING, **NETWORK}, other, path=HERE, message=f"the nodes are in {VPC}"
    )
