"""Tests of CW-W003."""

from __future__ import annotations

import datetime as dt

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import REASON, SHORT, waiver


def test_unused_waiver_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-W003",
        waiver(),
        path="waivers[0]",
        message="the waiver of CW-N003 applies to",
        severity="info",
        also=["CW-N003"],
    )


def test_waiver_of_a_skipped_rule_is_not_reported(rule: Harness) -> None:
    rule.passes("CW-W003", waiver(), tested=False)
    rule.passes("CW-W003", waiver(expires="2026-11-19"), tested=False)


def test_used_waiver_passes(rule: Harness) -> None:
    outcome = rule.run("CW-W003", {**SHORT, **waiver()}, also=["CW-N003"])
    status = {r.rule: (r.status, r.tested) for r in outcome.result.rules if r.status != "skipped"}
    assert status == {"CW-N003": ("waived", 1), "CW-W003": ("pass", 1)}
    (waived,) = outcome.result.waived
    assert (waived.reason, waived.expires) == (REASON, dt.date(2027, 1, 31))
    assert outcome.result.exit_code() == 0
