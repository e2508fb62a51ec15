"""Tests of CW-C013."""

from __future__ import annotations

import dataclasses

from tests.preflight.capacity import SEGMENT, bought
from tests.preflight.harness import Harness
from tests.preflight.rules.support.training_plans import PLAN


def test_plan_in_another_zone_is_reported(rule: Harness) -> None:
    segment = dataclasses.replace(SEGMENT, zone="us-east-1c", zone_id="use1-az2")
    rule.fails(
        "CW-C013",
        PLAN,
        bought(capacities=(segment,)),
        path="network.availability_zone_id",
        message="the training plan run-1 is in use1-az2, the nodes are in use1-az6",
    )
    rule.passes("CW-C013", PLAN, bought())


def test_zone_name_is_resolved(rule: Harness) -> None:
    here = dataclasses.replace(SEGMENT, zone_id=None)
    rule.passes("CW-C013", PLAN, bought(capacities=(here,)))
    there = dataclasses.replace(SEGMENT, zone="us-east-1c", zone_id=None)
    rule.fails(
        "CW-C013",
        PLAN,
        bought(capacities=(there,)),
        path="network.availability_zone_id",
        message="is in use1-az2",
    )


def test_plan_without_a_zone_is_reported(rule: Harness) -> None:
    nowhere = dataclasses.replace(SEGMENT, zone=None, zone_id=None)
    rule.fails(
        "CW-C013",
        PLAN,
        bought(capacities=(nowhere,)),
        path="network.availability_zone_id",
        message="the training plan run-1 names no zone",
        severity="info",
    )
    rule.unsure(
        "CW-C013",
        PLAN,
        bought(capacities=(SEGMENT, nowhere)),
        path="network.availability_zone_id",
        message="a segment of the training plan run-1 names no zone",
    )
