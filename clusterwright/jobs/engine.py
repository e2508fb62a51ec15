"""Execution of the rules on a job file; one result per rule, as those of `check`."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, Final

from clusterwright.cluster_spec.problems import Position
from clusterwright.jobs.job import Job
from clusterwright.jobs.lexer import Unread
from clusterwright.jobs.manifest_file import Item
from clusterwright.jobs.manifests import Manifests
from clusterwright.jobs.options import Option
from clusterwright.jobs.registry import others
from clusterwright.jobs.rule import Fail, FileRule, Place, Subject, Unknown
from clusterwright.jobs.shell import Assignment, Command, Word
from clusterwright.preflight.results import (
    CheckResult,
    Finding,
    RuleResult,
    Unanswered,
    in_order,
)

REFERENCE: Final = "docs/reference/job-rules.md"


def run(
    rules: Sequence[FileRule[Subject]],
    job: Subject,
    *,
    only: frozenset[str] | None = None,
    skip: frozenset[str] = frozenset(),
) -> CheckResult:
    """Return every rule's result.

    A rule on other files that `only` names is skipped: it says nothing about this one.
    """
    started = time.perf_counter()
    results: list[RuleResult] = []
    findings: list[Finding] = []
    unanswered: list[Unanswered] = []
    for rule in rules:
        reason = "--skip" if rule.id in skip else None
        if only is not None and rule.id not in only:
            reason = "not in --only"
        reason = reason or rule.skipped(job)
        if reason is not None:
            results.append(_result(rule, "skipped", skipped_because=reason))
            continue
        found, unknown, crash = _checked(rule, job)
        findings += found
        unanswered += unknown
        status = "fail" if found else "unknown" if unknown or crash else "pass"
        results.append(_result(rule, status, crash=crash, tested=1))
    for other in others(rules, only or ()):
        reason = f"a rule on {other.files}, the file has {rules[0].files}"
        results.append(_result(other, "skipped", skipped_because=reason))
    return CheckResult(
        file=job.file.name,
        environment=job.cluster.environment,
        rules=tuple(results),
        findings=in_order(findings),
        unanswered=tuple(unanswered),
        seconds=time.perf_counter() - started,
    )


def _checked(
    rule: FileRule[Subject], job: Subject
) -> tuple[list[Finding], list[Unanswered], str | None]:
    findings: list[Finding] = []
    unanswered: list[Unanswered] = []
    try:
        for verdict in rule.check(job):
            common: dict[str, Any] = {
                "rule": rule.id,
                "path": _path(verdict.at),
                "message": verdict.message,
                "position": position(job, verdict.at),
                "hint": verdict.hint,
                "doc": f"{REFERENCE}#{rule.id.lower()}",
            }
            if isinstance(verdict, Unknown):
                unanswered.append(Unanswered(severity=rule.severity, **common))
            else:
                findings.append(_finding(rule, verdict, common))
    except Exception as error:
        if os.environ.get("CLUSTERWRIGHT_DEBUG"):
            raise
        return findings, unanswered, f"{type(error).__name__}: {error}"
    return list(dict.fromkeys(findings)), unanswered, None


def _finding(rule: FileRule[Any], verdict: Fail, common: dict[str, Any]) -> Finding:
    return Finding(
        severity=verdict.severity or rule.severity,
        requested=verdict.requested,
        limit=verdict.limit,
        where=verdict.where,
        **common,
    )


def _result(rule: FileRule[Any], status: Any, **more: Any) -> RuleResult:
    return RuleResult(
        rule=rule.id,
        title=rule.title,
        severity=rule.severity,
        account=False,
        status=status,
        prevents=rule.prevents,
        source=rule.source,
        **more,
    )


def _path(place: Place) -> str:
    """What a finding is about: an option, a variable, a command; empty for the file."""
    if isinstance(place, Option):
        return f"--{place.name}"
    if isinstance(place, Assignment):
        return place.name
    if isinstance(place, Word):
        return place.text.split("=")[0][:60] if place.text.startswith("-") else "command"
    return "" if place is None or isinstance(place, Unread | Item) else "command"


def position(job: Job | Manifests, place: Place) -> Position:
    """The position in the file; line 1 for the whole file."""
    if place is None:
        return job.file.position(1)
    if isinstance(place, Unread):
        return job.file.position(place.line, place.column)
    if isinstance(place, Item):
        return job.file.position(place.line, place.column, place.length)
    if isinstance(place, Assignment):
        place = place.value
    elif isinstance(place, Command):
        place = place.words[0]
    elif not isinstance(place, Option | Word):
        place = place.word
    return job.file.position(place.line, place.column, place.length)
