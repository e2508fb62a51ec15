"""Tests of CW-B004."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_alert_addresses_are_required_and_unique(rule: Harness) -> None:
    rule.fails(
        "CW-B004",
        {"budget": {"monthly_usd": 10}},
        path="budget",
        message="the monthly budget has no recipients",
        severity="warning",
    )
    twice = ["a@acme.example", "A@acme.example"]
    rule.fails(
        "CW-B004",
        {"budget": {"monthly_usd": 10, "alert_emails": twice}},
        path="budget.alert_emails[1]",
        message="A@acme.example is listed twice for the monthly budget",
        severity="error",
    )
    rule.fails(
        "CW-B004",
        {"observability.alarm_emails": twice},
        path="observability.alarm_emails[1]",
        message="is listed twice",
    )
    rule.passes("CW-B004", {"budget": {"monthly_usd": 10, "alert_emails": twice[:1]}})
    rule.passes("CW-B004", {"budget": {"run_usd": 10}}, tested=False)
