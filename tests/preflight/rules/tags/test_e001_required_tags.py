"""Tests of CW-E001."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_empty_required_tags_are_reported(rule: Harness) -> None:
    wanted = {"required_tags": ["owner"]}
    finding = rule.fails(
        "CW-E001",
        {**wanted, "tags": {"Owner": "ml"}},
        path="required_tags[0]",
        message="the tag `owner` is missing",
    )
    assert finding.hint == "`Owner` is another key: keys are case-sensitive"
    for value in ("", "  "):
        rule.fails(
            "CW-E001",
            {**wanted, "tags": {"owner": value}},
            path="required_tags[0]",
            message="the tag `owner` has no value",
        )
    rule.passes("CW-E001", {**wanted, "tags": {"owner": "ml"}})
    rule.passes("CW-E001", {"tags": {}}, tested=False)
    twice = {"required_tags": ["owner", "owner"]}
    rule.fails("CW-E001", twice, path="required_tags[0]", message="the tag `owner` is missing")
