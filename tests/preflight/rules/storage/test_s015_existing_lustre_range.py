"""Tests of CW-S015."""

from __future__ import annotations

import dataclasses

from clusterwright.preflight.facts import network
from tests.preflight.existing_storage import FOUND, NETWORK, STANDING, SUBNET
from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import lustre, standing


def test_existing_efa_lustre_in_another_range_is_reported(rule: Harness) -> None:
    near = dataclasses.replace(SUBNET, id="subnet-00000002", cidr="10.1.16.0/20")
    far = dataclasses.replace(near, cidr="10.2.0.0/20")
    rule.fails(
        "CW-S015",
        {**NETWORK, **lustre()},
        {network.Subnets(): (SUBNET, far)},
        path="storage.lustre[0].efa",
        message="are in 2 /16 ranges: 10.1.0.0/16, 10.2.0.0/16",
    )
    rule.passes("CW-S015", {**NETWORK, **lustre()}, {network.Subnets(): (SUBNET, near)})
    rule.passes("CW-S015", lustre(), tested=False)


def test_subnet_of_an_existing_file_system_is_checked(rule: Harness) -> None:
    near = dataclasses.replace(SUBNET, id="subnet-00000002", cidr="10.1.16.0/20")
    its = dataclasses.replace(SUBNET, id="subnet-00000009", cidr="10.9.0.0/20")
    rule.fails(
        "CW-S015",
        {**NETWORK, **STANDING},
        standing(
            dataclasses.replace(FOUND, subnet_ids=("subnet-00000009",)),
            subnets=(SUBNET, near, its),
        ),
        path="storage.lustre[0].efa",
        message="10.9.0.0/16",
    )
