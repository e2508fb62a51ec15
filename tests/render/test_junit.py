"""Check results as JUnit."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from clusterwright.preflight.results import RuleResult, Severity
from clusterwright.render.junit import check_junit
from tests.render.check_results import CLEAN, CONTAINERS, QUOTA, RESULT


def junit(result: Any, fail_on: Severity = "error") -> ET.Element:
    return ET.fromstring(check_junit(result, fail_on=fail_on))


def kinds(suite: ET.Element) -> dict[str, str]:
    """Outcome of each test case by its rule."""
    return {
        str(case.get("name")).split()[0]: case[0].tag if len(case) else "passed"
        for case in suite.iter("testcase")
    }


def test_junit_separates_failures_errors_and_skips() -> None:
    suites = junit(RESULT)
    assert kinds(suites) == {
        "CW-B001": "error",
        "CW-L002": "system-out",
        "CW-N003": "skipped",
        "CW-Q012": "failure",
        "CW-Q030": "error",
        "CW-Q031": "error",
        "CW-S005": "passed",
        "CW-Q040": "skipped",
    }
    (suite,) = suites
    assert suite.attrib["tests"] == "8"
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("1", "3", "2")


def test_junit_follows_the_threshold() -> None:
    assert kinds(junit(RESULT, "warning"))["CW-L002"] == "failure"
    assert kinds(junit(RESULT.strictly()))["CW-Q030"] == "failure"


def test_junit_has_position_and_hint() -> None:
    failure = next(junit(RESULT).iter("failure"))
    assert failure.get("message") == QUOTA.message
    assert failure.text
    assert "configs/prod.yaml:22: error[CW-Q012]" in failure.text
    assert "hint: request 64" in failure.text


@pytest.mark.parametrize("message", ["a < b & \"c\" 'd'", "bell \x07 and escape \x1b", "]]>"])
def test_junit_escapes_any_message(message: str) -> None:
    finding = dataclasses.replace(CONTAINERS, severity="error", message=message)
    result = dataclasses.replace(RESULT, findings=(finding,))
    failure = next(junit(result).iter("failure"))
    assert str(failure.get("message")).startswith(message[:4])


def test_junit_reports_an_exception_as_an_error() -> None:
    crashed = RuleResult(
        rule="CW-X001", title="T", severity="error", account=False, status="unknown", crash="Boom"
    )
    (error,) = junit(dataclasses.replace(CLEAN, rules=(crashed,))).iter("error")
    assert error.get("message") == "the rule crashed: Boom"
