"""Exit codes, order and summaries of check results."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.problems import Position
from clusterwright.preflight.results import (
    CheckResult,
    Finding,
    RuleResult,
    Severity,
    Unanswered,
    at_or_above,
    in_order,
)


def finding(severity: Severity, line: int | None = None, rule: str = "CW-N001") -> Finding:
    position = None if line is None else Position("dev.yaml", line, 1)
    return Finding(rule=rule, severity=severity, path="a", message="m", position=position)


def result(**values: Any) -> CheckResult:
    return CheckResult("dev.yaml", "dev", values.pop("rules", ()), **values)


UNANSWERED = Unanswered(
    rule="CW-Q001", severity="warning", path="compute", message="denied", region="us-east-1"
)
CRASHED = RuleResult(rule="CW-N001", account=False, status="unknown", crash="ValueError")


@pytest.mark.parametrize(
    ("values", "fail_on", "code"),
    [
        ({}, "error", 0),
        ({"findings": (finding("warning"),)}, "error", 0),
        ({"findings": (finding("warning"),)}, "warning", 1),
        ({"findings": (finding("error"),)}, "info", 1),
        ({"unanswered": (UNANSWERED,)}, "error", 2),
        ({"unanswered": (UNANSWERED,), "findings": (finding("error"),)}, "error", 1),
        ({"rules": (CRASHED,), "findings": (finding("error"),)}, "error", 70),
    ],
)
def test_exit_codes(values: dict[str, Any], fail_on: Severity, code: int) -> None:
    assert result(**values).exit_code(fail_on=fail_on) == code


def test_strictly_an_unknown_is_an_error() -> None:
    strict = result(unanswered=(UNANSWERED,), findings=(finding("warning"),)).strictly()
    first, second = strict.findings
    assert (first.rule, first.severity, first.where) == ("CW-Q001", "error", "us-east-1")
    assert first.message == "could not be checked: denied"
    assert second.severity == "warning"
    assert strict.exit_code() == 1


def test_every_status_is_in_the_summary() -> None:
    passed = RuleResult(rule="CW-N002", account=True, status="pass")
    found = result(rules=(CRASHED, passed, passed))
    assert found.summary() == {"pass": 2, "fail": 0, "unknown": 1, "skipped": 0, "waived": 0}
    assert found.crashed == (CRASHED,)


def test_order_is_by_severity_line_and_rule() -> None:
    mixed = [
        finding("info", 1),
        finding("error", 9),
        finding("error", 2, "CW-Q001"),
        finding("error", 2),
        finding("error"),
    ]
    assert in_order(mixed) == (mixed[4], mixed[3], mixed[2], mixed[1], mixed[0])


@pytest.mark.parametrize(
    ("severity", "threshold", "expected"),
    [("error", "warning", True), ("warning", "warning", True), ("info", "warning", False)],
)
def test_thresholds(severity: Severity, threshold: Severity, expected: bool) -> None:
    assert at_or_above(severity, threshold) is expected
