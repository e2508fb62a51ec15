"""The JSON output of check."""

from __future__ import annotations

import dataclasses
import json

from clusterwright.json_output.check import check_json
from clusterwright.preflight.results import RuleResult
from clusterwright.render.check import check_text as text_of
from tests.render.check_results import CLEAN, QUOTA, RESULT


def test_json_has_the_keys_of_the_contract() -> None:
    answer = json.loads(check_json(RESULT, 1))
    assert (answer["schema_version"], answer["command"], answer["exit_code"]) == (1, "check", 1)
    assert answer["summary"] == {"pass": 1, "fail": 2, "unknown": 3, "skipped": 1, "waived": 1}
    assert {(r["rule"], r["status"]) for r in answer["rules"]} >= {
        ("CW-Q012", "fail"), ("CW-Q040", "skipped"), ("CW-N003", "waived")
    }  # fmt: skip
    finding = answer["findings"][0]
    assert finding == {
        "rule": "CW-Q012",
        "severity": "error",
        "path": "compute[2].count",
        "file": "configs/prod.yaml",
        "line": 22,
        "column": 12,
        "message": QUOTA.message,
        "requested": 64,
        "used": 0,
        "limit": 8,
        "where": "sagemaker/L-9EF527CA in us-east-1",
        "quota_code": "L-9EF527CA",
        "hint": "request 64; allow days to weeks",
        "doc": "docs/reference/rules.md#cw-q012",
    }


def test_pass_fail_unknown_and_waived_are_separate() -> None:
    answer = json.loads(check_json(RESULT, 1))
    assert [f["rule"] for f in answer["findings"]] == ["CW-Q012", "CW-L002"]
    assert [u["rule"] for u in answer["unknown"]] == ["CW-B001", "CW-Q030", "CW-Q031"]
    assert answer["unknown"][1]["iam_action"] == "fsx:DescribeFileSystems"
    assert [w["rule"] for w in answer["waived"]] == ["CW-N003"]
    assert answer["waived"][0]["waiver"] == {
        "reason": "widened in January",
        "expires": "2027-01-31",
    }


def test_internal_error_is_reported() -> None:
    crashed = RuleResult(
        rule="CW-X001", title="T", severity="error", account=False, status="unknown", crash="Boom"
    )
    result = dataclasses.replace(CLEAN, rules=(crashed,))
    assert "bug[CW-X001]: the rule crashed: Boom" in text_of(result)
    assert json.loads(check_json(result, 70))["rules"][0]["crash"] == "Boom"
