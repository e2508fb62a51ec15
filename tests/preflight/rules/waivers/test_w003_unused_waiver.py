"""Tests of CW-W003."""

from __future__ import annotations

import datetime as dt

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import REASON, SHORT, waiver


def test_a_waiver_that_excuses_nothing_is_said(rule: Harness) -> None:
    rule.fails(
        "CW-W003",
        waiver(),
        path="waivers[0]",
        message="the waiver of CW-N003 applies to",
        severity="info",
        also=["CW-N003"],
    )


def test_of_a_rule_that_did_not_run_nothing_follows(rule: Harness) -> None:
    rule.passes("CW-W003", waiver(), tested=False)
    rule.passes("CW-W003", waiver(expires="2026-11-19"), tested=False)


def test_a_waiver_that_excuses_something_passes(rule: Harness) -> None:
    outcome = rule.run("CW-W003", {**SHORT, **waiver()}, also=["CW-N003"])
    status = {r.rule: (r.status, r.tested) for r in outcome.result.rules if r.status != "skipped"}
    assert status == {"CW-N003": ("waived", 1), "CW-W003": ("pass", 1)}
    (waived,) = outcome.result.waived
    assert (waived.reason, waived.expires) == (REASON, dt.date(2027, 1, 31))
    assert outcome.result.exit_code() == 0
