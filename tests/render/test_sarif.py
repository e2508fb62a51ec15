"""Check results as SARIF."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.preflight.results import CheckResult, Finding
from clusterwright.render.sarif import RESULTS_MAX, check_sarif
from tests.render.check_results import CLEAN, QUOTA, RESULT


def sarif(result: Any) -> dict[str, Any]:
    document = json.loads(check_sarif(result, "1.2.3"))
    (run,) = document.pop("runs")
    assert document == {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
    }
    found: dict[str, Any] = run
    return found


SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0.schema.json").read_text("utf-8"))
"""OASIS's schema of SARIF 2.1.0, from @microsoft/sarif-multitool-linux 5.7.0 (MIT)."""


@pytest.mark.parametrize("result", [RESULT, CLEAN])
def test_sarif_matches_the_schema(result: CheckResult) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    document = json.loads(check_sarif(result, "1.2.3"))
    assert [error.message for error in validator.iter_errors(document)] == []
    document["runs"][0]["results"].append({"ruleId": "CW-1"})
    assert list(validator.iter_errors(document))


def test_sarif_rules_have_the_fields_that_github_requires() -> None:
    """GH2012 of Microsoft's validator: short and full description, and help."""
    for rule in sarif(RESULT)["tool"]["driver"]["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"].startswith("docs/reference/rules.md, CW-")


def test_sarif_is_within_the_limits_of_github() -> None:
    findings = tuple(
        dataclasses.replace(QUOTA, path=f"compute[{index}].count") for index in range(25_010)
    )
    text = check_sarif(dataclasses.replace(RESULT, findings=findings, waived=()), "1.2.3")
    (run,) = json.loads(text)["runs"]
    assert len(run["results"]) == RESULTS_MAX
    notes = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert any(note.startswith("10 results are left out") for note in notes)
    assert all(len(result["locations"]) <= 100 for result in run["results"])
    assert len(gzip.compress(text.encode())) < 10_000_000
    small = json.loads(check_sarif(RESULT, "1.2.3"))["runs"][0]
    assert not any("left out" in json.dumps(n) for n in small["invocations"])


def test_sarif_has_the_required_format() -> None:
    """The required properties and value sets of SARIF 2.1.0, sections 3.13 to 3.58."""
    run = sarif(RESULT)
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert driver["semanticVersion"] == "1.2.3"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["name"].isidentifier()
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert result["message"]["text"]
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert region["startLine"] >= 1
        assert region["endColumn"] > region["startColumn"] >= 1
        assert location["logicalLocations"][0]["fullyQualifiedName"]
        assert result["partialFingerprints"]["path/v1"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    for notification in invocation["toolExecutionNotifications"]:
        assert notification["message"]["text"]
        assert ids[notification["associatedRule"]["index"]] == notification["associatedRule"]["id"]


def test_sarif_has_positions_and_suppresses_waived_findings() -> None:
    quota, containers, waived = sarif(RESULT)["results"]
    physical = quota["locations"][0]["physicalLocation"]
    assert physical == {
        "artifactLocation": {"uri": "configs/prod.yaml"},
        "region": {"startLine": 22, "startColumn": 12, "endColumn": 14},
    }
    assert quota["properties"]["quotaCode"] == "L-9EF527CA"
    assert containers["level"] == "warning"
    assert waived["suppressions"] == [
        {"kind": "inSource", "justification": "widened in January (until 2027-01-31)"}
    ]
    assert "suppressions" not in quota


def test_unknown_is_a_notification_and_not_a_result() -> None:
    run = sarif(RESULT)
    assert {result["ruleId"] for result in run["results"]} == {"CW-Q012", "CW-L002", "CW-N003"}
    texts = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert any("fsx:DescribeFileSystems" in text for text in texts)
    assert sarif(CLEAN)["invocations"][0]["executionSuccessful"] is True


def test_fingerprint_is_stable_when_lines_move() -> None:
    assert QUOTA.position
    moved = dataclasses.replace(QUOTA, position=dataclasses.replace(QUOTA.position, line=99))
    before = sarif(RESULT)["results"][0]["partialFingerprints"]
    after = sarif(dataclasses.replace(RESULT, findings=(moved,)))["results"][0]
    assert after["partialFingerprints"] == before


def test_absolute_paths_become_uris() -> None:
    assert QUOTA.position
    place = dataclasses.replace(QUOTA.position, file="/a b/c.yaml")
    result = dataclasses.replace(RESULT, findings=(dataclasses.replace(QUOTA, position=place),))
    location = sarif(result)["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "file:///a%20b/c.yaml"


def test_finding_without_a_position_has_a_logical_location() -> None:
    finding = Finding(rule="CW-Q012", severity="error", path="budget", message="m")
    (location,) = sarif(dataclasses.replace(RESULT, findings=(finding,)))["results"][0][
        "locations"
    ]
    assert location == {"logicalLocations": [{"fullyQualifiedName": "budget"}]}
