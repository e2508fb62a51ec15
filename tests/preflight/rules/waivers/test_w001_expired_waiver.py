"""Tests of CW-W001."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import waiver


def test_an_expired_waiver_is_a_finding(rule: Harness) -> None:
    rule.fails(
        "CW-W001",
        waiver(expires="2026-11-19", path="network.cidr"),
        path="waivers[0].expires",
        message="the waiver of CW-N003 at network.cidr expired on 2026-11-19",
        severity="error",
    )
    rule.passes("CW-W001", waiver(expires="2026-11-20"))
