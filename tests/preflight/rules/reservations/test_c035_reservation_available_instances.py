"""Tests of CW-C035."""

from __future__ import annotations

from clusterwright.aws.ec2.instances import Instance
from clusterwright.preflight.facts.instances import Instances
from tests.preflight.harness import Harness
from tests.preflight.rules.support.reservations import (
    BLOCK,
    ID,
    RESERVED,
    SECOND,
    fact,
    growing,
    on_ec2,
)


def test_groups_with_one_reservation_are_summed(rule: Harness) -> None:
    others = Instance("p5.48xlarge", 192, "on-demand", None, ID)
    ours = Instance("p5.48xlarge", 192, "on-demand", "test-cluster", ID)
    both = on_ec2(rule, {"compute.2": SECOND})
    rule.fails(
        "CW-C035",
        None,
        {**fact(RESERVED, available_count=6), Instances(): (others, others)},
        spec=both,
        path="compute[1].count",
        message=f"7 instances of 2 groups from the reservation {ID}, 6 are free",
        numbers=(7, 2, 8),
    )
    rule.passes(
        "CW-C035",
        None,
        {**fact(RESERVED, available_count=6), Instances(): (others, ours)},
        spec=both,
    )
    rule.passes(
        "CW-C035",
        None,
        {**fact(RESERVED, state="scheduled", available_count=0), Instances(): ()},
        spec=both,
    )
    rule.unsure(
        "CW-C035",
        None,
        {**fact(RESERVED, available_count=None), Instances(): ()},
        spec=both,
        path="compute[1].capacity.id",
        message="does not report its available instances",
    )


def test_reservation_of_karpenter_is_checked_before_the_first_node(rule: Harness) -> None:
    rule.fails(
        "CW-C030",
        None,
        fact(None),
        spec=growing(rule, most=8),
        path="compute[1].capacity.id",
        message=ID,
    )
    used = {**fact(BLOCK, available_count=0), Instances(): ()}
    rule.passes("CW-C035", None, used, spec=growing(rule, most=8))
    rule.fails(
        "CW-C035",
        None,
        used,
        spec=growing(rule, most=9),
        path="compute[1].max_count",
        message=f"9 instances with max_count from the capacity block {ID}, which has 8",
        severity="warning",
        numbers=(9, None, 8),
    )
