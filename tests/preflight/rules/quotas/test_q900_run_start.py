"""Tests of CW-Q900."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_started_run_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-Q900",
        {"run": {"hours": 24, "start": "2026-11-19"}},
        path="run.start",
        message="the run started on 2026-11-19, before today (2026-11-20)",
        severity="info",
        numbers=("2026-11-19", None, "2026-11-20"),
    )
    rule.passes("CW-Q900", {"run": {"hours": 24, "start": "2026-11-20"}})
    rule.passes("CW-Q900", {"run": {"hours": 24}}, tested=False)
