"""Tests of CW-N036."""

from __future__ import annotations

import dataclasses
from typing import Any

from clusterwright.preflight.facts import network
from tests.preflight.existing_network import EXISTING, HERE, THERE, VPC
from tests.preflight.harness import Harness
from tests.preflight.refusal_cases import ON_EKS

SUBNETS = {"control_plane_subnet_ids": [HERE.id, THERE.id]}
ON_EXISTING: dict[str, Any] = {
    **ON_EKS,
    "network": {
        **EXISTING["network"],
        "existing": {**EXISTING["network"]["existing"], **SUBNETS},
    },
}
SERVES: dict[str, Any] = {**ON_EXISTING, "hyperpod": {"inference": {}}}


def facts(*tagged: str) -> dict[Any, Any]:
    """The two subnets, and one of another VPC with the tag, which does not count."""
    tags = frozenset({("kubernetes.io/role/internal-elb", "1"), ("Name", "a")})
    foreign = dataclasses.replace(THERE, id="subnet-0000000f", vpc_id="vpc-0000000f")
    return {
        network.Subnets(): tuple(
            dataclasses.replace(subnet, tags=tags if subnet.id in tagged else frozenset())
            for subnet in (HERE, THERE, foreign)
        )
    }


def test_subnets_without_the_tag_are_found(rule: Harness) -> None:
    path = "network.existing.control_plane_subnet_ids"
    rule.fails(
        "CW-N036",
        SERVES,
        facts("subnet-0000000f"),
        path=path,
        message=f"no subnet has the tag kubernetes.io/role/internal-elb in {VPC}",
        severity="warning",
        numbers=(2, None, 0),
    )
    rule.fails(
        "CW-N036",
        SERVES,
        facts(HERE.id),
        path=path,
        message=f"only {HERE.id} has the tag",
        numbers=(2, None, 1),
    )
    rule.passes("CW-N036", SERVES, facts(HERE.id, THERE.id))


def test_network_without_endpoints_needs_no_tag(rule: Harness) -> None:
    rule.passes("CW-N036", ON_EXISTING, facts(), tested=False)
    rule.passes("CW-N036", tested=False)
