"""Tests of CW-W002."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import waiver


def test_waiver_of_an_unknown_rule_is_a_finding(rule: Harness) -> None:
    finding = rule.fails(
        "CW-W002",
        waiver(rule="CW-N303"),
        path="waivers[0].rule",
        message="the rule CW-N303",
    )
    assert finding.hint
    assert finding.hint.startswith("did you mean CW-N")
    rule.passes("CW-W002", waiver())
