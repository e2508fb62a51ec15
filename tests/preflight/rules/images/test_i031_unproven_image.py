"""Tests of CW-I031."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts.pcs import PcsImages
from tests.preflight.harness import Harness
from tests.preflight.rules.support.pcs import SPEC
from tests.preflight.rules.support.platforms import PARALLELCLUSTER

IMAGE = "ami-0123456789abcdef0"
OWN: dict[str, Any] = {**SPEC, "image": {"image_id": IMAGE}}


def test_several_instances_with_an_unproven_image_are_reported(rule: Harness) -> None:
    found = rule.fails(
        "CW-I031",
        OWN,
        {PcsImages("test"): None},
        path="compute[1].count",
        message=f"4 instances of workers start with {IMAGE}, which no active group of the "
        "cluster has",
        severity="warning",
    )
    assert (found.requested, found.limit) == (4, 1)
    rule.fails(
        "CW-I031",
        OWN,
        {PcsImages("test"): frozenset({"ami-0fedcba9876543210"})},
        path="compute[1].count",
        message="PCS replaces all of them again and again",
    )
    rule.passes("CW-I031", OWN, {PcsImages("test"): frozenset({IMAGE})})


def test_one_instance_may_try_an_image(rule: Harness) -> None:
    one = [dict(group, count=1) for group in OWN["compute"]]
    rule.passes("CW-I031", {**OWN, "compute": one}, tested=False)


def test_images_of_the_platform_and_other_platforms_are_not_asked_for(rule: Harness) -> None:
    rule.passes("CW-I031", SPEC, tested=False)
    rule.passes("CW-I031", {**PARALLELCLUSTER, "image": {"image_id": IMAGE}}, tested=False)
