"""Tests of CW-N021."""

from __future__ import annotations

from tests.preflight.existing_network import EXISTING
from tests.preflight.harness import Harness
from tests.preflight.rules.support.ip_ranges import free


def test_growth_in_existing_subnets_is_checked(rule: Harness) -> None:
    growing = {**EXISTING, "compute.1.max_count": 8}
    rule.fails(
        "CW-N021",
        growing,
        free(200),
        path="compute[1].max_count",
        message="this fits today, max_count will not: the cluster needs",
        severity="warning",
    )
    rule.fails(
        "CW-N021",
        growing,
        free(20),
        path="compute[1].max_count",
        message="at max_count: the cluster needs",
    )
    rule.passes("CW-N021", growing, free(300))
    rule.passes("CW-N021", EXISTING, tested=False)
