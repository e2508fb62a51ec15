"""Findings as SARIF 2.1.0, for code scanning of GitHub, GitLab and others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Final

from clusterwright.cluster_spec.problems import Position
from clusterwright.preflight.results import CheckResult, Finding, RuleResult, Unanswered

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
RESULTS_MAX: Final = 25_000
"""GitHub rejects a run with more, and shows the 5,000 most severe (docs.github.com,
troubleshooting SARIF uploads, "results exceed limit")."""
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


def check_sarif(result: CheckResult, version: str) -> str:
    """One run. Waived findings are suppressed results; an unknown is a notification.

    SARIF has tool execution notifications for what a tool could not do, and
    `executionSuccessful` is then false.
    """
    ran = [rule for rule in result.rules if rule.status != "skipped"]
    rules = {rule.rule: index for index, rule in enumerate(ran)}
    results = [_result(finding, rules) for finding in result.findings]
    for waived in result.waived:
        suppressed = _result(waived.finding, rules)
        suppressed["suppressions"] = [
            {
                "kind": "inSource",
                "justification": f"{waived.reason} (until {waived.expires})",
            }
        ]
        results.append(suppressed)
    left_out = len(results) - RESULTS_MAX
    run = {
        "tool": {
            "driver": {
                "name": "clusterwright",
                "semanticVersion": version,
                "rules": [_rule(rule) for rule in ran],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not (result.unanswered or result.crashed),
                "toolExecutionNotifications": [
                    *(_notification(u, rules) for u in result.unanswered),
                    *(_crash(rule, rules) for rule in result.crashed),
                    *(_too_many(left_out) if left_out > 0 else ()),
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results[:RESULTS_MAX],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: RuleResult) -> dict[str, Any]:
    title = rule.title or rule.rule
    return {
        "id": rule.rule,
        "name": "".join(word.capitalize() for word in title.replace("'", "").split()),
        "shortDescription": {"text": title},
        # GitHub code scanning requires both (its rule GH2012).
        "fullDescription": {"text": f"{title}. Prevents: {rule.prevents or 'see the reference'}."},
        "help": {"text": _help(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity or "error"]},
        "properties": {"scope": "account" if rule.account else "offline", "status": rule.status},
    }


def _help(rule: RuleResult) -> str:
    source = f" Source: {rule.source}." if rule.source else ""
    return f"docs/reference/rules.md, {rule.rule}.{source}"


def _result(finding: Finding, rules: dict[str, int]) -> dict[str, Any]:
    text = finding.message + (f". Hint: {finding.hint}" if finding.hint else "")
    found: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rules[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [_location(finding.position, finding.path)],
        # A finding keeps its identity when lines above it move.
        "partialFingerprints": {"path/v1": _fingerprint(finding.rule, finding.path)},
    }
    numbers = {
        name: value
        for name, value in (
            ("requested", finding.requested),
            ("used", finding.used),
            ("limit", finding.limit),
            ("where", finding.where),
            ("quotaCode", finding.quota_code),
        )
        if value is not None
    }
    if numbers:
        found["properties"] = numbers
    return found


def _location(position: Position | None, path: str) -> dict[str, Any]:
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": path or "spec"}]}
    if position is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(position.file)},
            "region": {
                "startLine": position.line,
                "startColumn": position.column,
                "endColumn": position.column + position.length,
            },
        }
    return location


def _notification(entry: Unanswered, rules: dict[str, int]) -> dict[str, Any]:
    return {
        "level": "warning",
        "message": {"text": entry.message + (f". Hint: {entry.hint}" if entry.hint else "")},
        "associatedRule": {"id": entry.rule, "index": rules[entry.rule]},
        "locations": [_location(entry.position, entry.path)],
    }


def _too_many(left_out: int) -> Iterator[dict[str, Any]]:
    text = (
        f"{left_out:,} results are left out, because GitHub limits their number: see --format json"
    )
    yield {"level": "warning", "message": {"text": text}}


def _crash(rule: RuleResult, rules: dict[str, int]) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": f"the rule crashed: {rule.crash}"},
        "associatedRule": {"id": rule.rule, "index": rules[rule.rule]},
    }


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else path.as_posix()


def _fingerprint(rule: str, path: str) -> str:
    return hashlib.sha256(f"{rule} {path}".encode()).hexdigest()[:32]
