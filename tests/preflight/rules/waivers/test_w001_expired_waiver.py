"""Tests of CW-W001."""

from __future__ import annotations

from typing import Any

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


def test_an_expired_waiver_of_a_check_of_nodes_is_a_finding(rule: Harness) -> None:
    accepted = {"check": "nvlink", "reason": "the vendor replaces the cable"}

    def waived_until(day: str) -> dict[str, Any]:
        return {"acceptance": {"waivers": [{**accepted, "expires": day}]}}

    rule.fails(
        "CW-W001",
        waived_until("2026-11-19"),
        path="acceptance.waivers[0].expires",
        message="the waiver of the check nvlink expired on 2026-11-19: the check counts again",
        severity="error",
    )
    rule.passes("CW-W001", waived_until("2026-11-20"))
