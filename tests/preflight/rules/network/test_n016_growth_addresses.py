"""Tests of CW-N016."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_growth_that_does_not_fit_is_reported(rule: Harness) -> None:
    # A /23 has 507 addresses: 8 nodes of 32 fit, 16 do not.
    small = {"network.cidr": "10.0.0.0/23", "network.egress": "closed"}
    finding = rule.fails(
        "CW-N016",
        {**small, "compute.1.max_count": 16},
        path="compute[1].max_count",
        message="this fits today, max_count will not: the cluster needs",
        severity="warning",
    )
    assert finding.hint
    assert finding.hint.startswith("cidr: 10.0.")
    rule.passes("CW-N016", {"compute.1.max_count": 16})
    rule.passes("CW-N016", small, tested=False)


def test_growth_with_insufficient_range_names_the_total(rule: Harness) -> None:
    changes = {"network.cidr": "10.0.0.0/25", "compute.1.max_count": 200}
    hint = rule.fails(
        "CW-N016", changes, path="compute[1].max_count", message="at max_count: "
    ).hint
    assert hint
    larger = {**changes, "network.cidr": hint.removeprefix("cidr: ")}
    rule.passes("CW-N016", larger)
