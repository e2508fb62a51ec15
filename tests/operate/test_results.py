"""Exit codes and order of findings."""

from __future__ import annotations

import pytest

from clusterwright.operate.results import (
    HourlyCost,
    OperatingFinding,
    Severity,
    UnknownPart,
    UnpricedNodes,
    exit_code_of,
    most_severe_first,
)


def finding(severity: Severity, code: str = "x") -> OperatingFinding:
    return OperatingFinding(code=code, severity=severity, message="m")


@pytest.mark.parametrize(
    ("severities", "unknown", "code"),
    [
        ((), 0, 0),
        (("info",), 0, 0),
        (("info",), 1, 2),
        (("warning",), 0, 1),
        (("error",), 1, 1),
    ],
)
def test_exit_code(severities: tuple[Severity, ...], unknown: int, code: int) -> None:
    found = [finding(severity) for severity in severities]
    assert exit_code_of(found, [UnknownPart("x", "y")] * unknown) == code


def test_order_is_by_severity_and_stable() -> None:
    found = [finding("info", "a"), finding("error", "b"), finding("error", "c")]
    assert [each.code for each in most_severe_first(found)] == ["b", "c", "a"]


def test_a_sum_without_some_nodes_is_a_lower_bound() -> None:
    assert not HourlyCost(None).at_least
    assert HourlyCost(None, (UnpricedNodes("p5.48xlarge", "spot", 1, "r"),)).at_least
