"""Tests of CW-N004."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_derived_addresses_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-N004",
        {"compute.1.instance_type": "p5en.48xlarge"},
        path="compute[1].instance_type",
        message="each p5en.48xlarge is assumed to need 16 addresses",
        severity="info",
    )
    rule.passes("CW-N004")  # the figure of p5.48xlarge has a source
